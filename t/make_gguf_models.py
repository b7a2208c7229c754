"""Writes testdata/gguf/models/NAME.gguf: the models of testdata/model as llama.cpp's
convert_hf_to_gguf.py stores them (names, order of rows, norms of Gemma).

usage: make_gguf_models.py testdata/model testdata/gguf/models
"""
import json
import os
import sys

import numpy as np
from gguf import GGUFWriter
from safetensors.numpy import load_file

NAMES = {"input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k",
         "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output", "self_attn.q_norm": "attn_q_norm",
         "self_attn.k_norm": "attn_k_norm", "post_attention_layernorm": "ffn_norm", "mlp.gate_proj": "ffn_gate",
         "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down"}
GEMMA = {"post_attention_layernorm": "post_attention_norm", "pre_feedforward_layernorm": "ffn_norm",
         "post_feedforward_layernorm": "post_ffw_norm"}
OUTER = {"model.embed_tokens.weight": "token_embd.weight", "model.norm.weight": "output_norm.weight",
         "lm_head.weight": "output.weight"}


def stored_name(name, gemma):
    if name in OUTER:
        return OUTER[name]
    _, _, layer, rest = name.split(".", 3)
    part, kind = rest.rsplit(".", 1)
    return f"blk.{layer}.{(GEMMA if gemma and part in GEMMA else NAMES)[part]}.{kind}"


def permute(x, heads):
    return x.reshape(heads, 2, x.shape[0] // heads // 2, *x.shape[1:]).swapaxes(1, 2).reshape(x.shape)


def divisors(width, theta, factor):
    """Of Llama 3's positions, as convert_hf_to_gguf.py computes them."""
    out = []
    for exponent in np.arange(0, width, 2, dtype=np.float64) / width:
        wave = 2 * np.pi * theta ** exponent
        smooth = np.clip((8192 / wave - 1) / 3, 0, 1)
        out.append(1 / ((1 - smooth) / factor + smooth))
    return np.array(out, dtype=np.float32)


def convert(source, path, name, factors=None):
    c = json.load(open(os.path.join(source, "config.json")))
    kind = {"gemma3_text": "gemma3"}.get(c["model_type"], c["model_type"])
    gemma, rope = kind == "gemma3", c["rope_parameters"]
    width = c.get("head_dim") or c["hidden_size"] // c["num_attention_heads"]
    w = GGUFWriter(path, kind)
    w.add_context_length(c["max_position_embeddings"])
    w.add_embedding_length(c["hidden_size"])
    w.add_feed_forward_length(c["intermediate_size"])
    w.add_block_count(c["num_hidden_layers"])
    w.add_head_count(c["num_attention_heads"])
    w.add_head_count_kv(c["num_key_value_heads"])
    w.add_key_length(width)
    w.add_layer_norm_rms_eps(c["rms_norm_eps"])
    w.add_eos_token_id(c["eos_token_id"])
    w.add_rope_freq_base(rope.get("full_attention", rope)["rope_theta"])
    if gemma:
        w.add_sliding_window(c["sliding_window"])
        w.add_string("gemma3.rope.scaling.type", "linear")
        w.add_float32("gemma3.rope.scaling.factor", rope["full_attention"]["factor"])
    if factors is not None:
        w.add_tensor("rope_freqs.weight", factors)
    for tensor, x in sorted(load_file(os.path.join(source, "model.safetensors")).items()):
        if kind == "llama" and ".q_proj" in tensor:
            x = permute(x, c["num_attention_heads"])
        if kind == "llama" and ".k_proj" in tensor:
            x = permute(x, c["num_key_value_heads"])
        if gemma and "norm" in tensor:
            x = x + np.float32(1)
        w.add_tensor(stored_name(tensor, gemma), np.ascontiguousarray(x))
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


top, out = sys.argv[1:]
os.makedirs(out, exist_ok=True)
for name in ("tied", "grouped", "qwen2", "qwen3", "gemma3"):
    convert(os.path.join(top, name), os.path.join(out, name + ".gguf"), name)
plain, theta = os.path.join(top, "tied"), 10000.0
good = divisors(12, theta, 32)
convert(plain, os.path.join(out, "llama3.gguf"), "llama3", good)
bad = good.copy()
bad[-1] *= 1.5
bad[-2] *= 0.5
convert(plain, os.path.join(out, "other-positions.gguf"), "llama3", bad)
