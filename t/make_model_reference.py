#!/usr/bin/env python3
"""Writes testdata/model/: small models of every architecture as transformers saves them, and what
transformers and PyTorch compute with them, in double precision.

Needs torch, transformers and safetensors.  Usage: make_model_reference.py DIR
"""

import os
import sys

import torch
from safetensors.torch import save_file
from transformers import AutoConfig, AutoModelForCausalLM

SMALL = dict(vocab_size=41, hidden_size=16, intermediate_size=20, num_hidden_layers=2,
             num_attention_heads=4, num_key_value_heads=2, rope_theta=500.0, rms_norm_eps=1e-5)
CASES = {
    # Head width other than hidden / heads, grouped keys, own head.
    "grouped": dict(vocab_size=61, hidden_size=24, intermediate_size=33, num_hidden_layers=2,
                    num_attention_heads=4, num_key_value_heads=2, head_dim=8,
                    tie_word_embeddings=False, rope_theta=500.0, rms_norm_eps=1e-5),
    # Tied head, one key head for each query head, the default width of heads.
    "tied": dict(vocab_size=47, hidden_size=24, intermediate_size=40, num_hidden_layers=3,
                 num_attention_heads=2, num_key_value_heads=2, head_dim=12,
                 tie_word_embeddings=True, rope_theta=10000.0, rms_norm_eps=1e-6),
    # Waves of lengths below, between and above the limits of Llama 3's scaling.
    "llama3": dict(SMALL, head_dim=8, rope_scaling=dict(
        rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
        original_max_position_embeddings=32)),
    "linear": dict(SMALL, head_dim=8, rope_scaling=dict(rope_type="linear", factor=4.0)),
    "mistral": dict(SMALL, model_type="mistral", head_dim=8, sliding_window=3),
    "qwen2": dict(SMALL, model_type="qwen2", tie_word_embeddings=True),
    "qwen2-window": dict(SMALL, model_type="qwen2", use_sliding_window=True, sliding_window=4,
                         max_window_layers=1),
    "qwen3": dict(SMALL, model_type="qwen3", head_dim=8),
    # One layer in three sees everything; positions of that one are stretched.
    "gemma3": dict(SMALL, model_type="gemma3_text", head_dim=8, num_hidden_layers=3,
                   sliding_window=3, layer_types=["sliding_attention"] * 2 + ["full_attention"],
                   query_pre_attn_scalar=20, rope_local_base_freq=80.0,
                   rope_scaling=dict(rope_type="linear", factor=2.0)),
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
            if "norm" in name:
                gemma = "Gemma" in type(model).__name__
                p.copy_(0.2 * noise + (0 if gemma else 1))
            elif "bias" in name:
                p.copy_(0.3 * noise)
            else:
                p.copy_(noise * 1.2 / p.shape[-1] ** 0.5)


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
        config = AutoConfig.for_model(
            **{"model_type": "llama", "max_position_embeddings": 64, "bos_token_id": None,
               "eos_token_id": 2, **settings}, attn_implementation="eager")
        model = AutoModelForCausalLM.from_config(config)
        weights(model, seed)
        path = os.path.join(top, name)
        model.save_pretrained(path)
        model = AutoModelForCausalLM.from_pretrained(path, dtype=torch.float64,
                                                     attn_implementation="eager")
        save_file(reference(model), os.path.join(path, "reference.safetensors"))
        for file in os.listdir(path):
            os.chmod(os.path.join(path, file), 0o644)


main()
