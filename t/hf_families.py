"""Compares t/helper-tokenize with Hugging Face `tokenizers`, for the tokenizers of the
families of models that people have, and real vocabularies; prints TAP.

usage: hf_families.py TOKENIZE DIRECTORY
"""
import json
import os
import random
import subprocess
import sys
import sysconfig
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from tokenize_helper import tokenize

helper, folder = sys.argv[1], sys.argv[2]
rng = random.Random(411)
number = 0
SPACES = [" ", "  ", "   ", "\t", "\n", "\n\n", "\r\n", "\u00a0", "\u2003", "\u3000", "\u0085", "\u180e",
          "\u200b", "\u2028", "\ufeff", "\x0b", "\x1c"]
EMOJI = ["👍🏽", "👩‍👩‍👧", "🇩🇪", "🇺🇸🇫🇷", "❤️", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "1️⃣", "🧑🏿‍🚀", "⛹🏻‍♀️", "☎︎", "🫨", "🪿"]
MARKS = ["e\u0301", "a\u0323\u0302", "a\u0302\u0323", "ﬁ", "Å", "Ω", "각", "한국어", "\u0f71\u0f72",
         "ſ", "'ſ", "’s", "İ", "ß", "ẛ̣", "ย่", "नि", "\u0344", "\u2126", "\u1100\u1161\u11a8", "\u0958"]


def check(ok, what):
    global number
    number += 1
    print("%s %d - %s" % ("ok" if ok else "not ok", number, what), flush=True)


def library(size):
    """Source text: what is there of Python's own library, in the order of names."""
    parts, folder = [], sysconfig.get_paths()["stdlib"]
    for name in sorted(os.listdir(folder)):
        if name.endswith(".py"):
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as f:
                parts.append(f.read())
            size -= len(parts[-1])
            if size < 0:
                break
    return "".join(parts)


source = library(1 << 20)[:1 << 20]
lines = source.split("\n")


def every_character():
    """Each character there is (assigned or not), in its block, alone and in words."""
    out = []
    for start in range(0, 0x110000, 64):
        chars = [chr(c) for c in range(start, start + 64) if c and not 0xd800 <= c < 0xe000]
        if 0x3500 <= start < 0x9f00 and start & 0x3c0 or 0xac00 <= start < 0xd700 and start & 0x1c0:
            continue
        if start >= 0x20000 and start & 0xfc0 and not 0xe0000 <= start < 0xe0200:
            continue
        for c in range(0, len(chars), 16):
            few = chars[c:c + 16]
            out += ["".join(few), " ".join(few), "a" + "a".join(few) + "1", "1" + ".".join(few) + "\u0301"]
    return out


def invalid():
    """Bytes that are not UTF-8, as every program hands them on."""
    parts = [b"\xff", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\xed\xa0\x80", b"\xc0\xaf", b"abc", b" ", b"\xc3\xa9",
             b"\xf4\x90\x80\x80"]
    return b"".join(rng.choice(parts) for _ in range(rng.randint(1, 12))).decode("utf-8", "replace")


def mixed():
    parts = []
    for _ in range(rng.randint(1, 16)):
        kind = rng.randrange(7)
        if kind < 2:
            parts.append(rng.choice(rng.choice(lines).split(" ")))
        elif kind == 6:
            parts.append(rng.choice(["1", "12", "123", "1234567", "'s", "'LL", "don't", "it'S", "$1", "<s>", "</s>",
                                     "<|end|>", "\u2581", "<0x41>", "the", "éa", "null", "_", "½", "٣", "①"]))
        else:
            parts.append(rng.choice([SPACES, EMOJI, MARKS, SPACES][kind - 2]))
    return "".join(parts)


def code():
    at = rng.randrange(len(source) - 400)
    return source[at:at + rng.randint(1, 400)]


def marks():
    """Letters under heaps of combining marks, in any order."""
    return "".join(rng.choice("aeouAn ") + "".join(
        chr(rng.choice([rng.randint(0x300, 0x36f), rng.randint(0x591, 0x5bd), rng.randint(0x64b, 0x655), 0x345,
                        0x3099, rng.randint(0x1100, 0x11ff), 0xac00 + 28 * rng.randint(0, 30)]))
        for _ in range(rng.randint(0, 5))) for _ in range(rng.randint(1, 8)))


texts = (["", " ", "  ", "\n", "\u2581", "a", " a", "  a"] + every_character() +
         [invalid() for _ in range(1500)] + [marks() for _ in range(1500)] + [code() for _ in range(2000)] +
         [mixed() for _ in range(9000)])
few = texts[:8] + rng.sample(texts[8:], 5000)
big = (source + "".join(rng.sample(texts, 2000)))[-(1 << 20):]


def compare(path, strings, what, own=None):
    """Theirs of path, ours of own or path."""
    theirs = Tokenizer.from_file(path)
    ours = tokenize(helper, [own or path], strings)
    bad = 0
    for text, got in zip(strings, ours or []):
        ids = theirs.encode(text, add_special_tokens=False).ids
        decoded = theirs.decode(ids, skip_special_tokens=False)
        if [ids, decoded] != got:
            bad += 1
            if bad <= 3:
                print("#", ascii(text[:200]), "expected", ids[:60], ascii(decoded[:200]), "got", got[0][:60],
                      ascii(got[1][:200]))
    check(ours is not None and len(ours) == len(strings) and not bad,
          "%s: ids and text of %d strings" % (what, len(strings)))


def speed(path, what):
    """Seconds for 1 MiB of source text in lines and as a whole, one core each."""
    theirs = Tokenizer.from_file(path)
    for how, strings in (("lines", source.split("\n")), ("whole", [source])):
        best = 1e9
        for _ in range(3):
            start = time.perf_counter()
            theirs.encode_batch_fast(strings, add_special_tokens=False)
            best = min(best, time.perf_counter() - start)
        ours = float(subprocess.run([helper, "--time", path], input="".join(json.dumps(s) + "\n" for s in strings),
                                    capture_output=True, text=True, check=True).stdout)
        print("# speed: %s, %s: theirs %.3f s, ours %.3f s, %.1f times as fast" % (what, how, best, ours, best / ours))


B, S = pre_tokenizers.ByteLevel, pre_tokenizers.Sequence
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
          r"|\s+(?!\S)|\s+")
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
O200K = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
         r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
         r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")


def split(pattern):
    return S([pre_tokenizers.Split(Regex(pattern), "isolated"), B(add_prefix_space=False, use_regex=False)])


DEEPSEEK = (r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
            r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")

CORPUS = [line for line in lines if line.strip()][:12000] + MARKS * 3 + EMOJI * 3
SPECIAL = ["<|begin|>", "<|end|>"]
BYTES = ["<0x%02X>" % b for b in range(256)]


def save(t, name):
    t.add_tokens(["null", AddedToken("the", single_word=True), AddedToken("import", rstrip=True, normalized=False),
                  AddedToken("éa"), AddedToken("$1", lstrip=True, normalized=True),
                  AddedToken("<0x41>x", normalized=False)])
    t.add_special_tokens([AddedToken("<|tool|>", lstrip=True, rstrip=True, special=True)])
    path = os.path.join(folder, name + ".json")
    t.save(path)
    return path


def byte_level(name, pre, normalizer=None, **model):
    t = Tokenizer(models.BPE(**model))
    t.pre_tokenizer, t.decoder = pre, decoders.ByteLevel()
    if normalizer:
        t.normalizer = normalizer
    t.train_from_iterator(CORPUS, trainers.BpeTrainer(
        vocab_size=3000, show_progress=False, special_tokens=SPECIAL,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    return save(t, name)


def pieces(name, normalizer, pre, decoder, train_pre=None, fallback=True, fuse=True):
    t = Tokenizer(models.BPE(byte_fallback=fallback, fuse_unk=fuse, unk_token="<unk>"))
    t.decoder = decoder
    if normalizer:
        t.normalizer = normalizer
    if train_pre or pre:
        t.pre_tokenizer = train_pre or pre
    t.train_from_iterator(CORPUS, trainers.BpeTrainer(
        vocab_size=3000, show_progress=False, limit_alphabet=150,
        special_tokens=["<unk>", "<s>", "</s>"] + (BYTES if fallback else [])))
    if train_pre:
        state = json.loads(t.to_str())
        state["pre_tokenizer"] = json.loads(pre.__getstate__()) if pre else None
        if fallback:  # as in converted files: bytes are tokens of the model, not added ones
            state["added_tokens"] = state["added_tokens"][:3]
        t = Tokenizer.from_str(json.dumps(state))
    return save(t, name)


N, D, P = normalizers, decoders, pre_tokenizers
under = P.Metaspace("\u2581", prepend_scheme="never")
tail = [D.Replace("\u2581", " "), D.ByteFallback(), D.Fuse()]
families = {
    "gpt2": lambda n: byte_level(n, B(add_prefix_space=False)),
    "llama3": lambda n: byte_level(n, split(LLAMA3), ignore_merges=True),
    "qwen2": lambda n: byte_level(n, split(QWEN2), N.NFC()),
    "smollm": lambda n: byte_level(n, S([P.Digits(individual_digits=True), B(add_prefix_space=False)])),
    "o200k": lambda n: byte_level(n, split(O200K)),
    "deepseek": lambda n: byte_level(n, S(
        [P.Split(Regex(r"\p{N}{1,3}"), "isolated"), P.Split(Regex("[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+"), "isolated"),
         P.Split(Regex(DEEPSEEK), "isolated"), B(add_prefix_space=False, use_regex=False)])),
    "negated": lambda n: byte_level(n, S([P.Split(Regex(r"\P{L}+|[^\p{L}\d]\S|\h\H|\W\w|\D\p{^N}"), "isolated"),
                                          B(False, use_regex=False)])),
    "nfd": lambda n: byte_level(n, B(add_prefix_space=True), N.Sequence([N.NFD(), N.Strip()])),
    "llama2": lambda n: pieces(n, N.Sequence([N.Prepend("\u2581"), N.Replace(" ", "\u2581")]), None,
                               D.Sequence(tail + [D.Strip(" ", 1, 0)]), train_pre=under),
    "llama2-across": lambda n: pieces(n, N.Sequence([N.Prepend("\u2581"), N.Replace(" ", "\u2581")]), None,
                                      D.Sequence(tail + [D.Strip(" ", 1, 0)])),
    "mistral": lambda n: pieces(n, None, P.Metaspace("\u2581", prepend_scheme="first", split=False),
                                D.Sequence(tail + [D.Strip(" ", 1, 0)]), train_pre=under),
    "gemma": lambda n: pieces(n, N.Replace(" ", "\u2581"), P.Split(" ", "merged_with_previous"), D.Sequence(tail),
                              train_pre=S([P.Split("\u2581", "merged_with_next")])),
    "metaspace": lambda n: pieces(n, None, P.Metaspace(), D.Metaspace(), fallback=False, fuse=False),
    "unknown-fused": lambda n: pieces(n, N.Replace(Regex(r"\s+"), "\u2581"), None, D.Sequence(tail), fallback=False),
    "behaviors": lambda n: byte_level(n, S([
        P.Split(Regex(r"[aeiou]"), "merged_with_previous"), P.Split(Regex(r"\s"), "merged_with_next"),
        P.Split(Regex(r"\d"), "contiguous"), P.Split(Regex(r"[^\w]+"), "removed"), B(False, use_regex=False)])),
}


def main():
    for name in os.environ.get("FAMILIES", " ".join(families)).split():
        path = families[name](name)
        compare(path, texts if name in ("gpt2", "llama3", "qwen2", "smollm", "llama2", "gemma") else few, name)
        compare(path, [big], name + ", 1 MiB")
        if "SPEED" in os.environ:
            speed(path, name)
    print("1..%d" % number)
    print("# %d strings at most, %d of them distinct" % (len(texts), len(set(texts))))


if __name__ == "__main__":
    main()
