"""Loads a directory written by model_dump with transformers and compares the logits."""

import sys

import torch
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM

directory = sys.argv[1]
dump = load_file(directory + "/dump.safetensors")
model, info = AutoModelForCausalLM.from_pretrained(directory, output_loading_info=True)
assert model.dtype == torch.float32, model.dtype
for kind in ("missing_keys", "unexpected_keys", "mismatched_keys"):
    assert not info[kind], (kind, info[kind])
assert model.config.eos_token_id == 7
with torch.no_grad():
    logits = model(dump["tokens"].long()[None]).logits[0]
gap = ((logits - dump["logits"]).abs().max() / logits.abs().max()).item()
print(f"# relative error {gap:.2g}")
sys.exit(not gap <= 1e-5)
