"""What the mask of a token costs llguidance and XGrammar, with a grammar of the same CLI:
values are any string, an option of accepted values has those, options come in order.

usage: bench_mask_peers.py TOKENIZER SPEC TOKENS

TOKENS: lines of token ids, answers with their end token (bench_mask writes them).
"""
import json
import sys
import time


def metadata(item):
    return {m["name"]: m["value"] for m in item.get("metadata", [])}


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Grammar:
    """Rules of both formats: they differ in how alternatives and strings are written."""

    def __init__(self, lark):
        self.lark, self.rules = lark, []

    def rule(self, name, body):
        self.rules.append("%s%s %s" % (name, ":" if self.lark else " ::=", body))
        return name

    def text(self):
        if self.lark:
            string = r'VALUE: "\"" /([^"\\\x00-\x1f]|\\["\\\/bfnrtu])*/ "\""' + "\n" + r'SPAN: /\$[0-9]+/'
            return "\n".join(self.rules + ["value: VALUE | SPAN", string])
        string = 'value ::= "\\"" char* "\\"" | "$" [0-9]+\nchar ::= [^"\\\\\\x00-\\x1f] | "\\\\" ["\\\\/bfnrtu]'
        return "\n".join(self.rules + [string])


def value_of(argument):
    accepted = argument.get("acceptedValues")
    if not accepted:
        return "value"
    return "( " + " | ".join(quoted(json.dumps(v)) for v in accepted) + " )"


def options_of(command, recursive):
    out = []
    for o in command.get("options", []) + recursive:
        arguments = o.get("arguments", [])
        if not arguments:
            out.append("( %s )?" % quoted("," + json.dumps(o["name"])))
        else:
            repeat = "*" if metadata(o).get("repeatable") else "?"
            name = quoted("," + json.dumps(o["name"]) + ",")
            out.append("( %s %s )%s" % (name, value_of(arguments[0]), repeat))
    return out


def add_command(grammar, command, path, roots, recursive=()):
    name = "c%d" % len(roots)
    parts = [quoted("[" + ",".join(json.dumps(w) for w in path))]
    parts += options_of(command, list(recursive))
    operands = command.get("arguments", [])
    if operands:
        parts += ['( "," "\\"--\\"" )?', '( "," value )*']
    roots.append(grammar.rule(name, " ".join(parts + ['"]"'])))
    for sub in command.get("commands", []):
        below = [o for o in command.get("options", []) if o.get("recursive")]
        add_command(grammar, sub, path + [sub["name"]], roots, [*recursive, *below])


def grammar_of(spec, lark):
    grammar, roots = Grammar(lark), []
    program = spec["info"]["title"]
    add_command(grammar, spec, [program], roots)
    grammar.rule("start" if lark else "root", " | ".join(['"null"'] + roots))
    grammar.rules.insert(0, grammar.rules.pop())
    return grammar.text()


def measure(name, answers, open_matcher):
    """Microseconds a token of CPU time, Python's calls included, of a first and a second round."""
    rounds, followed, tokens = [], 0, 0
    for _ in range(2):
        spent, tokens, followed = 0.0, 0, 0
        for answer in answers:
            mask, take = open_matcher()
            start, good = time.process_time(), True
            for token in answer[:-1]:
                mask()
                if not take(token):
                    good = False
                    break
                tokens += 1
            spent += time.process_time() - start
            followed += good
        rounds.append(1e6 * spent / max(tokens, 1))
    print("  %-12s first round %9.2f us a token, second %9.2f; %d of %d answers followed to the end" % (
        name, rounds[0], rounds[1], followed, len(answers)))


def llguidance_matcher(path, spec, size):
    import llguidance
    with open(path, encoding="utf-8") as f:
        text = f.read()
    end = next(t["id"] for t in json.loads(text)["added_tokens"] if t["content"] == "<|end|>")
    tokenizer = llguidance.LLTokenizer(text, n_vocab=size, eos_token=end)
    grammar = llguidance.grammar_from("lark", grammar_of(spec, True))

    def open_matcher():
        matcher = llguidance.LLMatcher(tokenizer, grammar)
        if matcher.is_error():
            raise ValueError(matcher.get_error())
        return matcher.compute_bitmask, matcher.consume_token
    return open_matcher


def xgrammar_matcher(path, spec, size):
    import xgrammar
    with open(path, encoding="utf-8") as f:
        document = json.load(f)
    words = [""] * size
    for token, i in document["model"]["vocab"].items():
        words[i] = token
    end = None
    for token in document["added_tokens"]:
        words[token["id"]] = token["content"]
        end = token["id"] if token["content"] == "<|end|>" else end
    info = xgrammar.TokenizerInfo(words, xgrammar.VocabType.BYTE_LEVEL, vocab_size=size, stop_token_ids=[end])
    compiled = xgrammar.GrammarCompiler(info).compile_grammar(grammar_of(spec, False))
    bitmask = xgrammar.allocate_token_bitmask(1, size)

    def open_matcher():
        matcher = xgrammar.GrammarMatcher(compiled)
        return lambda: matcher.fill_next_token_bitmask(bitmask), matcher.accept_token
    return open_matcher


def main():
    tokenizer, spec_path, tokens = sys.argv[1:]
    with open(spec_path, encoding="utf-8") as f:
        spec = json.load(f)
    with open(tokens, encoding="ascii") as f:
        answers = [[int(t) for t in line.split()] for line in f]
    with open(tokenizer, encoding="utf-8") as f:
        document = json.load(f)
    size = 1 + max([*document["model"]["vocab"].values(), *(t["id"] for t in document["added_tokens"])])
    for name, make in (("llguidance", llguidance_matcher), ("XGrammar", xgrammar_matcher)):
        start = time.process_time()
        try:
            opened = make(tokenizer, spec, size)
            print("  %-12s ready after %.2f s" % (name, time.process_time() - start))
            measure(name, answers, opened)
        except ImportError as e:
            print("  %-12s not measured: %s" % (name, e))


main()
