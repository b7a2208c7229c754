"""Compares t/helper-tokenize with Hugging Face `tokenizers`; prints TAP.

usage: hf_tokenizers.py TOKENIZE DIRECTORY
"""
import json
import os
import random
import sys

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from tokenize_helper import tokenize

helper, folder = sys.argv[1], sys.argv[2]
rng = random.Random(4)
number = 0
ADDED = ["<|request|>", "<|answer|>", "<|end|>", "<|path|>", "$1", "$2", "$12", '["langgraph"',
         '["langgraph","up"', ',"--port",', ',"--wait"', ',"--"', '"python"', ',"python"', "]",
         "null", ',"a b"']
WORDS = """start the server on port run build image with tag please don't wait for it's api logs
 watch new project named from template debug host timeout seconds stop langgraph up dev verbose
 config file path base recreate pull no cache""".split()


def check(ok, what):
    global number
    number += 1
    print("%s %d - %s" % ("ok" if ok else "not ok", number, what), flush=True)


def request():
    out = []
    for _ in range(rng.randint(2, 12)):
        word = rng.choice(WORDS)
        kind = rng.random()
        if kind < .1 and len(word) > 3:
            at = rng.randrange(len(word) - 1)
            word = word[:at] + word[at + 1] + word[at] + word[at + 2:]
        elif kind < .2:
            word = rng.choice(["8123", "3.11", "./src/agent.py:graph", "http://localhost:8123/x?y=1",
                               "my-app_2", "v0.2.74", "'two words'", "redis:7", "8,123", "C:\\x\\y"])
        elif kind < .25:
            word = word.upper()
        out.append(word)
    return " ".join(out) + rng.choice(["", ".", "!", "?", " \n"])


def answer():
    parts = [rng.choice(['["langgraph","up"', '["langgraph"', '["langgraph","upx"'])]
    for _ in range(rng.randint(0, 5)):
        parts.append(rng.choice([',"--port",$1', ',"--wait"', ',"--port",$12', ',"--image","python"',
                                 ',"python"', ',"--","-x"', ',"a b"', ',"--port","8123"', ",$2",
                                 ',"it\'s \\"x\\","']))
    return "".join(parts) + rng.choice(["]", "", "]<|end|>", "]<|end|><|request|>", "null"])


def unicode_text():
    blocks = [(0x20, 0x7e), (0xa0, 0xff), (0x100, 0x17f), (0x300, 0x36f), (0x370, 0x3ff),
              (0x400, 0x4ff), (0x590, 0x5ff), (0x600, 0x6ff), (0x900, 0x97f), (0xe00, 0xe7f),
              (0x1100, 0x11ff), (0x1680, 0x169c), (0x180b, 0x180f), (0x1e00, 0x1eff),
              (0x2000, 0x206f), (0x2070, 0x209f), (0x2150, 0x218b), (0x2200, 0x22ff),
              (0x3000, 0x30ff), (0x4e00, 0x4fff), (0xac00, 0xadff), (0xfe00, 0xfe0f),
              (0xff00, 0xff60), (0x1f300, 0x1f6ff), (0x1f900, 0x1f9ff), (0x20000, 0x200ff),
              (1, 31), (0x7f, 0x9f), (0x2460, 0x24ff)]
    low, high = rng.choice(blocks)
    other = rng.choice(blocks)
    return "".join(chr(rng.randint(*(other if rng.random() < .2 else (low, high))))
                   for _ in range(rng.randint(1, 30)))


def code():
    return rng.choice(["def f(x):\n\treturn x  # {}\n", "for (int i = 0; i < {}; i++)\n    a[i]++;\n",
                       '{{"graphs": {{"agent": "./{}.py:graph"}}}}', "curl -s http://x/{} | jq .\r\n",
                       "\tif err != nil {{\n\t\treturn {}\n\t}}\n\n\n", "x = {}   \n   y"]
                      ).format(rng.randint(0, 99999))


def blanks():
    return "".join(rng.choice([" ", "  ", "\t", "\n", "\r\n", "\u00a0", "\u2003", "\u3000", "\u0085",
                               "\u180e", "\u200b", "a", "1", ".", "é", "'s", "'S", "don't", "$1 "])
                   for _ in range(rng.randint(1, 20)))


def strings(n):
    emoji = ["👍🏽", "👩‍👩‍👧", "🇩🇪", "❤️", "e\u0301", "½", "①", "٣", "ʼ", "’s", "Straße", "İ"]
    kinds = [request, request, answer, answer, unicode_text, code, blanks,
             lambda: request() + rng.choice(emoji) + answer() + rng.choice(emoji)]
    return [""] + [kinds[i % len(kinds)]() for i in range(n)]


def compare(path, texts, what, how=None):
    theirs = Tokenizer.from_file(path)
    if how == "ordinary":
        theirs.encode_special_tokens = True
    ours = tokenize(helper, [path] + ([how] if how else []), texts)
    bad = 0
    for text, got in zip(texts, ours or []):
        ids = theirs.encode(text, add_special_tokens=False).ids
        decoded = theirs.decode(ids, skip_special_tokens=False)
        if [ids, decoded] != got:
            bad += 1
            if bad <= 3:
                print("#", repr(text), "expected", ids, repr(decoded), "got", got)
    check(ours is not None and len(ours) == len(texts) and not bad,
          "%s: ids and text of %d strings" % (what, len(texts)))


def bpe(pre, size, corpus, **model):
    t = Tokenizer(models.BPE(**model))
    t.pre_tokenizer, t.decoder = pre, decoders.ByteLevel()
    t.train_from_iterator(corpus, trainers.BpeTrainer(
        vocab_size=size, min_frequency=2, show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    return t


def save(t, name):
    path = os.path.join(folder, name)
    t.save(path)
    return path


corpus = [request().lower() for _ in range(4000)] + [code() for _ in range(300)]
texts = strings(6000)

# Ours, read by them.
path = os.path.join(folder, "ours.json")
tokenize(helper, ["--train", "700", path] + ADDED, corpus)
compare(path, texts, "trained here")
compare(path, texts, "trained here, special tokens as text", "ordinary")

# The same merges as their trainer learns.
tokenize(helper, ["--train", "700", path], corpus)
ours = json.load(open(path))
theirs = Tokenizer.from_file(path)
theirs.train_from_iterator(corpus, trainers.BpeTrainer(
    vocab_size=956, min_frequency=2, show_progress=False,
    initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
theirs = json.loads(theirs.to_str())
check(ours["model"]["vocab"] == theirs["model"]["vocab"] and
      [list(m) for m in ours["model"]["merges"]] == [list(m) for m in theirs["model"]["merges"]],
      "trained here: vocabulary and merges equal those of their trainer")

# Theirs, read by us.
llama = Regex(r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
              r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
B, S = pre_tokenizers.ByteLevel, pre_tokenizers.Sequence
layouts = {
    "gpt2": B(add_prefix_space=False),
    "prefix": B(add_prefix_space=True),
    "prefix-no-regex": B(add_prefix_space=True, use_regex=False),
    "digits": S([pre_tokenizers.Digits(individual_digits=True), B(add_prefix_space=False)]),
    "digit-runs": S([pre_tokenizers.Digits(individual_digits=False), B(add_prefix_space=True)]),
    "llama": S([pre_tokenizers.Split(llama, "isolated"), B(add_prefix_space=False, use_regex=False)]),
    "removed": S([pre_tokenizers.Split(Regex(r"\s+|\."), "removed"), B(False, use_regex=False)]),
    "inverted": S([pre_tokenizers.Split(Regex(r"\w+|[^\w\s]+"), "removed", invert=True),
                   B(False, use_regex=False)]),
    "string": S([pre_tokenizers.Split("a", "isolated"), B(False)]),
}
for name, pre in layouts.items():
    t = bpe(pre, 600, corpus, ignore_merges=name == "llama")
    t.add_special_tokens(["<|end|>", AddedToken("$1", lstrip=True, special=True)])
    t.add_tokens(["null", "nu", AddedToken("the", single_word=True), AddedToken("up", rstrip=True),
                  AddedToken("image", lstrip=True, rstrip=True, normalized=False),
                  AddedToken("don", single_word=True, normalized=False), ',"--port",', "é", "a b"])
    compare(save(t, name + ".json"), texts[:3000], name)
compare(os.path.join(folder, "gpt2.json"), texts[:3000], "gpt2, special tokens as text", "ordinary")

# Merges as "a b" strings, as older files have them.
old = json.load(open(os.path.join(folder, "gpt2.json")))
old["model"]["merges"] = [" ".join(m) for m in old["model"]["merges"]]
path = os.path.join(folder, "old.json")
json.dump(old, open(path, "w"))
compare(path, texts[:1000], "merges as strings")
print("1..%d" % number)
