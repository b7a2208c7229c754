/*
 * dequant.h - the number formats of GGUF files, and their numbers as fp32, bit for bit
 * as the Python package `gguf` gives them (its quants.py; layouts: ggml-common.h of
 * ggml-org/ggml).
 */
#ifndef MODEL_DEQUANT_H
#define MODEL_DEQUANT_H

#include <stdint.h>

/* The numbers by which files name the formats. */
enum dequant_type {
	DEQUANT_F32 = 0,
	DEQUANT_F16 = 1,
	DEQUANT_Q4_0 = 2,
	DEQUANT_Q4_1 = 3,
	DEQUANT_Q5_0 = 6,
	DEQUANT_Q5_1 = 7,
	DEQUANT_Q8_0 = 8,
	DEQUANT_Q2_K = 10,
	DEQUANT_Q3_K = 11,
	DEQUANT_Q4_K = 12,
	DEQUANT_Q5_K = 13,
	DEQUANT_Q6_K = 14,
	DEQUANT_BF16 = 30
};

enum {
	DEQUANT_BLOCK_MAX = 256 /* numbers in the largest block */
};

struct dequant_format {
	const char *name; /* "Q4_K" */
	enum dequant_type type;
	int block; /* numbers of a block, stored together */
	int bytes; /* of a block */
	void (*block_floats)(const unsigned char *data, float *out);
};

/* NULL where a format is not known. */
const struct dequant_format *dequant_format(uint32_t type);
/* The name of any format that ggml has, also those above do not list; "?" for others. */
const char *dequant_name(uint32_t type);

/* out[n] from the blocks at data; n is a multiple of the format's block. */
void dequantize(const struct dequant_format *format, const void *data, int64_t n, float *out);

/* IEEE 754 binary16 to fp32: exact; subnormals, infinities and NaNs are kept. */
float dequant_half(uint32_t half);

#endif
