"""Writes two small GGUF files that carry nothing but a vocabulary: bytes.gguf, byte-level
as SmolLM2's, and pieces.gguf, SentencePiece's with scores.

usage: make_gguf_vocab.py FOLDER     (testdata/gguf)
"""
import os
import sys

from gguf import GGUFWriter
from tokenizers import pre_tokenizers


def write(name, model, tokens, kinds, **more):
    writer = GGUFWriter(os.path.join(sys.argv[1], name), "llama")
    writer.add_tokenizer_model(model)
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    if "merges" in more:
        writer.add_tokenizer_pre("smollm")
        writer.add_token_merges(more["merges"])
    else:
        writer.add_token_scores(more["scores"])
        writer.add_unk_token_id(0)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
merges = ["t h", "Ġ th", "Ġth e", "1 2", "Ġ Ġ", "Ã ©"]
tokens = ["<|im_start|>", "<|im_end|>"] + alphabet + [m.replace(" ", "") for m in merges] + ["$1"]
write("bytes.gguf", "gpt2", tokens, [3, 3] + [1] * (len(tokens) - 3) + [4], merges=merges)
pieces = ["\u2581th", "\u2581the", "th", "he", "\u2581t", "\u2581", "t", "h", "e", "é", "1", "2", "\u2581\u2581"]
tokens = ["<unk>", "<s>", "</s>"] + ["<0x%02X>" % b for b in range(256)] + pieces
write("pieces.gguf", "llama", tokens, [2, 3, 3] + [6] * 256 + [1] * len(pieces),
      scores=[0.0] * 259 + [-float(i) for i in range(len(pieces))])
