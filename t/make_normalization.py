"""Writes src/text/normalize_table.c: canonical decompositions and combining classes.

usage: make_normalization.py > src/text/normalize_table.c

The crate by which `tokenizers` normalizes has the tables of Unicode 9: what came later
is left out, by the list below, found by comparing with it.
"""
import unicodedata

LATER = """7fd 898-89f 8ca-8d3 9fe c3c d3b d3c eba 1715 1abf-1ace 1df6-1dfa a82c 10d24-10d27
10eab 10eac 10f46-10f50 10f82-10f85 11070 1133b 1145e 11839 1183a 11938 1193d 1193e 11943 119e0
11a34 11a47 11a99 11d42 11d44 11d45 11d97 16ff0 16ff1 1e130-1e136 1e2ae 1e2ec-1e2ef"""
later = set()
for part in LATER.split():
    low, _, high = part.partition("-")
    later.update(range(int(low, 16), int(high or low, 16) + 1))


def rows(cells, per_line):
    return "\n".join("\t" + " ".join(cells[i:i + per_line]) for i in range(0, len(cells), per_line))


pairs, ranges = [], []
for code in range(0x110000):
    text = chr(code)
    if 0xd800 <= code < 0xe000 or code in later:
        continue
    parts = unicodedata.decomposition(text)
    if parts and not parts.startswith("<"):
        first, second = (parts.split() + ["0"])[:2]
        composes = second != "0" and unicodedata.normalize("NFC", text) == text
        pairs.append("{0x%x, 0x%x, 0x%x, %d}," % (code, int(first, 16), int(second, 16), composes))
    rank = unicodedata.combining(text)
    if rank:
        if ranges and ranges[-1][1] == code - 1 and ranges[-1][2] == rank:
            ranges[-1][1] = code
        else:
            ranges.append([code, code, rank])
print("/* Written by t/make_normalization.py from the Unicode character database. */")
print('#include "text/normalize_table.h"\n\n/* clang-format off */')
print("const struct normalize_pair normalize_pairs[] = {\n%s\n};" % rows(pairs, 3))
print("const size_t normalize_n_pairs = sizeof normalize_pairs / sizeof normalize_pairs[0];\n")
print("const struct normalize_range normalize_ranges[] = {\n%s\n};" %
      rows(["{0x%x, 0x%x, %d}," % tuple(r) for r in ranges], 4))
print("const size_t normalize_n_ranges = sizeof normalize_ranges / sizeof normalize_ranges[0];")
