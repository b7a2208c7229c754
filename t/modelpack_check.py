"""A GGUF file and the model directory made of it: the same to transformers.

usage: modelpack_check.py GGUF DIR
"""
import os
import sys

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedTokenizerFast

gguf, directory = sys.argv[1:]
want = AutoModelForCausalLM.from_pretrained(
    os.path.dirname(gguf), gguf_file=os.path.basename(gguf), dtype=torch.float32)
got, info = AutoModelForCausalLM.from_pretrained(directory, output_loading_info=True)
for kind in ("missing_keys", "unexpected_keys", "mismatched_keys"):
    assert not info[kind], (kind, info[kind])
ours, theirs = dict(got.named_parameters()), dict(want.named_parameters())
assert ours.keys() == theirs.keys(), ours.keys() ^ theirs.keys()
for name, p in theirs.items():
    assert torch.equal(p, ours[name]), name
tokenizer = PreTrainedTokenizerFast(tokenizer_file=directory + "/tokenizer.json")
reference = AutoTokenizer.from_pretrained(os.path.dirname(gguf), gguf_file=os.path.basename(gguf))
for text in ("The capital of France is", "def f(x):\n    return x + 12345", "naïve ☃"):
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    assert ids == reference(text, add_special_tokens=False)["input_ids"], text
ids = torch.tensor([tokenizer("The capital of France is", add_special_tokens=False)["input_ids"]])
answers = [m.generate(ids, max_new_tokens=12, do_sample=False).tolist() for m in (got, want)]
assert answers[0] == answers[1], answers
print("#", repr(tokenizer.decode(answers[0][0])))
