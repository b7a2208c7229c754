"""Writes a GGUF file of random blocks in every format that is read, and beside each
tensor NAME the numbers that the package `gguf` makes of it, as NAME.expected.

usage: make_gguf_reference.py OUT BLOCKS SEED     (testdata/gguf/blocks.gguf: 2 1)
"""
import sys

import numpy as np
from gguf import GGUFWriter
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType as T
from gguf.quants import dequantize

out, n, rng = sys.argv[1], int(sys.argv[2]), np.random.default_rng(int(sys.argv[3]))
# Where a block has its scales, halves that have to be finite.
HALVES = {T.Q4_0: [0], T.Q4_1: [0, 2], T.Q5_0: [0], T.Q5_1: [0, 2], T.Q8_0: [0], T.Q2_K: [80, 82], T.Q3_K: [108],
          T.Q4_K: [0, 2], T.Q5_K: [0, 2], T.Q6_K: [208]}


def halves(count):
    """Any binary16 that is a number: signed zeros, subnormals and the largest among them."""
    bits = rng.integers(0, 0x7c00, count, dtype=np.uint16) | rng.integers(0, 2, count, dtype=np.uint16) << 15
    bits[rng.random(count) < .05] = 0x8000
    bits[rng.random(count) < .05] = 0x0001
    return bits.astype("<u2")


writer = GGUFWriter(out, "llama")
writer.add_string("test.text", "é")
writer.add_array("test.list", [1, -2, 3])
for kind in [T.F32, T.F16, T.BF16] + list(HALVES):
    block, size = GGML_QUANT_SIZES[kind]
    rows, per_row = (n, 1) if block > 1 else (n, 64)
    data = rng.integers(0, 256, (rows, per_row * size), dtype=np.uint8)
    if kind == T.F16:
        data = halves(rows * per_row).view(np.uint8).reshape(rows, -1)
    for at in HALVES.get(kind, []):
        data[:, at:at + 2] = halves(rows).view(np.uint8).reshape(rows, 2)
    expected = dequantize(data, kind).astype("<f4", copy=False).reshape(rows, per_row * block)
    writer.add_tensor("x." + kind.name, data if block > 1 or kind == T.BF16 else
                      data.view("<f4" if kind == T.F32 else "<f2"), raw_dtype=kind)
    writer.add_tensor("x.%s.expected" % kind.name, expected)
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
