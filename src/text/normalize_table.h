/* normalize_table.h - the Unicode character database's part in normalization. */
#ifndef TEXT_NORMALIZE_TABLE_H
#define TEXT_NORMALIZE_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* A canonical decomposition, in order of code; second 0: into one character. */
struct normalize_pair {
	uint32_t code, first, second;
	int composes; /* the two become code again in NFC */
};
extern const struct normalize_pair normalize_pairs[];
extern const size_t normalize_n_pairs;

/* Characters of one combining class above 0. */
struct normalize_range {
	uint32_t from, to;
	int rank;
};
extern const struct normalize_range normalize_ranges[];
extern const size_t normalize_n_ranges;

#endif
