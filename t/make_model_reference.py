#!/usr/bin/env python3
"""Writes testdata/model/: small Llama models as transformers saves them, and what
transformers and PyTorch compute with them, in double precision.

Needs torch, transformers and safetensors.  Usage: make_model_reference.py DIR
"""

import os
import sys

import torch
from safetensors.torch import save_file
from transformers import LlamaConfig, LlamaForCausalLM

CASES = {
    # Head width other than hidden / heads, grouped keys, own head.
    "grouped": dict(vocab_size=61, hidden_size=24, intermediate_size=33, num_hidden_layers=2,
                    num_attention_heads=4, num_key_value_heads=2, head_dim=8,
                    tie_word_embeddings=False, rope_theta=500.0, rms_norm_eps=1e-5),
    # Tied head, one key head for each query head, the default width of heads.
    "tied": dict(vocab_size=47, hidden_size=24, intermediate_size=40, num_hidden_layers=3,
                 num_attention_heads=2, num_key_value_heads=2, head_dim=12,
                 tie_word_embeddings=True, rope_theta=10000.0, rms_norm_eps=1e-6),
}
# Prefixes shared and not, one sequence twice, lengths 2 to 9.
SEQUENCES = [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 3, 4, 9, 8], [1, 2, 3, 4, 9, 8], [1, 2, 30],
             [7, 7, 7, 7, 7], [1, 2, 3, 4, 5, 6, 40], [9, 1]]
TEMPERATURE = 0.7


def weights(model, seed):
    """Weights of a size at which every part of the model matters."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, p in model.named_parameters():
            noise = torch.randn(p.shape, generator=generator)
            p.copy_(1 + 0.2 * noise if "norm" in name else noise * 1.2 / p.shape[-1] ** 0.5)


def coefficient(sequence, position):
    """A loss weight for every target, of either sign."""
    return ((sequence * 5 + position * 3) % 7 - 3) / 4.0


def reference(model):
    width = max(map(len, SEQUENCES))
    out = {
        "sequences": torch.full((len(SEQUENCES), width), -1.0),
        "coefficients": torch.zeros(len(SEQUENCES), width),
        "logprobs": torch.zeros(len(SEQUENCES), width),
        "entropies": torch.zeros(len(SEQUENCES), width),
        "temperature": torch.tensor([TEMPERATURE]),
    }
    loss = torch.zeros((), dtype=torch.float64)
    for s, tokens in enumerate(SEQUENCES):
        logits = model(torch.tensor([tokens])).logits[0]
        logp = torch.log_softmax(logits / TEMPERATURE, -1)
        out[f"logits.{s}"] = logits.detach().float().contiguous()
        for i in range(1, len(tokens)):
            out["sequences"][s, i - 1], out["sequences"][s, i] = tokens[i - 1], tokens[i]
            out["coefficients"][s, i] = coefficient(s, i)
            out["logprobs"][s, i] = logp[i - 1, tokens[i]].detach()
            out["entropies"][s, i] = -(logp[i - 1].exp() * logp[i - 1]).sum().detach()
            loss = loss + coefficient(s, i) * logp[i - 1, tokens[i]]
    loss.backward()
    out["loss"] = loss.detach().float().reshape(1)
    for name, p in model.named_parameters():
        out["grad." + name] = p.grad.float().contiguous()
    return out


def main():
    top = sys.argv[1]
    for seed, (name, settings) in enumerate(CASES.items()):
        config = LlamaConfig(max_position_embeddings=64, attn_implementation="eager",
                             bos_token_id=None, eos_token_id=2, **settings)
        model = LlamaForCausalLM(config)
        weights(model, seed)
        path = os.path.join(top, name)
        model.save_pretrained(path)
        model = LlamaForCausalLM.from_pretrained(path, dtype=torch.float64,
                                                 attn_implementation="eager")
        save_file(reference(model), os.path.join(path, "reference.safetensors"))
        for file in os.listdir(path):
            os.chmod(os.path.join(path, file), 0o644)


main()
