/* dequant.c - compiled without contraction of products and sums (see Makefile): a fused
 * multiplication would round differently. */
#include "model/dequant.h"

#include <stddef.h>
#include <string.h>

static float from_bits(uint32_t bits)
{
	float x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

float dequant_half(uint32_t h)
{
	uint32_t sign = (h & 0x8000u) << 16, exponent = h >> 10 & 31, fraction = h & 0x3ffu;

	if (exponent == 0) {
		float x = (float)fraction * 0x1p-24f;

		return sign ? -x : x;
	}
	if (exponent == 31)
		return from_bits(sign | 0x7f800000u | fraction << 13);
	return from_bits(sign | (exponent + 112) << 23 | fraction << 13);
}

static uint32_t read16(const unsigned char *p)
{
	return p[0] | (uint32_t)p[1] << 8;
}

static uint32_t read32(const unsigned char *p)
{
	return read16(p) | read16(p + 2) << 16;
}

static float half(const unsigned char *p)
{
	return dequant_half(read16(p));
}

static void f32(const unsigned char *p, float *out)
{
	*out = from_bits(read32(p));
}

static void f16(const unsigned char *p, float *out)
{
	*out = half(p);
}

static void bf16(const unsigned char *p, float *out)
{
	*out = from_bits(read16(p) << 16);
}

/* Blocks of 32: a scale d (and a minimum m), then the low four bits, numbers 0 to 15 in
 * the low halves of 16 bytes and 16 to 31 in the high ones; of Q5 the fifth bits before. */

static void q4_0(const unsigned char *p, float *out)
{
	float d = half(p);

	for (int i = 0; i < 16; i++) {
		out[i] = d * (float)((p[2 + i] & 15) - 8);
		out[i + 16] = d * (float)((p[2 + i] >> 4) - 8);
	}
}

static void q4_1(const unsigned char *p, float *out)
{
	float d = half(p), m = half(p + 2);

	for (int i = 0; i < 16; i++) {
		out[i] = d * (float)(p[4 + i] & 15) + m;
		out[i + 16] = d * (float)(p[4 + i] >> 4) + m;
	}
}

static void q5_0(const unsigned char *p, float *out)
{
	float d = half(p);
	uint32_t high = read32(p + 2);

	for (int i = 0; i < 16; i++) {
		int low = p[6 + i];

		out[i] = d * (float)((int)((low & 15) | (high >> i & 1) << 4) - 16);
		out[i + 16] = d * (float)((int)(low >> 4 | (high >> (i + 16) & 1) << 4) - 16);
	}
}

static void q5_1(const unsigned char *p, float *out)
{
	float d = half(p), m = half(p + 2);
	uint32_t high = read32(p + 4);

	for (int i = 0; i < 16; i++) {
		int low = p[8 + i];

		out[i] = d * (float)((low & 15) | (high >> i & 1) << 4) + m;
		out[i + 16] = d * (float)(low >> 4 | (high >> (i + 16) & 1) << 4) + m;
	}
}

static void q8_0(const unsigned char *p, float *out)
{
	float d = half(p);

	for (int i = 0; i < 32; i++)
		out[i] = (float)(signed char)p[2 + i] * d;
}

/* Blocks of 256 (K): scales of groups of 16 or 32 numbers are quantized themselves. */

static void q2_k(const unsigned char *p, float *out)
{
	const unsigned char *scales = p, *q = p + 16;
	float d = half(p + 80), dmin = half(p + 82);

	for (int group = 0; group < 16; group++) {
		float dl = d * (float)(scales[group] & 15);
		float ml = dmin * (float)(scales[group] >> 4);
		const unsigned char *bits = q + group / 8 * 32 + group % 2 * 16;
		int shift = group / 2 % 4 * 2;

		for (int i = 0; i < 16; i++)
			*out++ = dl * (float)(bits[i] >> shift & 3) - ml;
	}
}

/* Scale of a group of Q3_K: four low bits in bytes 0 to 7, two high ones in 8 to 11. */
static int q3_k_scale(const unsigned char *s, int group)
{
	int low = s[group % 8] >> (group / 8 * 4) & 15;

	return (low | (s[8 + group % 4] >> (group / 4 * 2) & 3) << 4) - 32;
}

static void q3_k(const unsigned char *p, float *out)
{
	const unsigned char *high = p, *q = p + 32, *scales = p + 96;
	float d = half(p + 108);

	for (int group = 0; group < 16; group++) {
		float dl = d * (float)q3_k_scale(scales, group);
		const unsigned char *bits = q + group / 8 * 32 + group % 2 * 16;
		const unsigned char *mask = high + group % 2 * 16;
		int shift = group / 2 % 4 * 2;

		for (int i = 0; i < 16; i++) {
			int low = bits[i] >> shift & 3;

			/* the bit says that nothing is taken off */
			*out++ = dl * (float)(low - (mask[i] >> (group / 2) & 1 ? 0 : 4));
		}
	}
}

/* Scale and minimum of a group of Q4_K and Q5_K: those of the block by six bits each. */
static void group_scale(const unsigned char *p, int group, float *scale, float *min)
{
	const unsigned char *s = p + 4;
	int six = s[group] & 63, six_min = s[group + 4] & 63;

	if (group >= 4) {
		six = (s[group + 4] & 15) | (s[group - 4] >> 6) << 4;
		six_min = s[group + 4] >> 4 | (s[group] >> 6) << 4;
	}
	*scale = half(p) * (float)six;
	*min = half(p + 2) * (float)six_min;
}

static void q4_k(const unsigned char *p, float *out)
{
	for (int group = 0; group < 8; group++) {
		const unsigned char *q = p + 16 + group / 2 * 32;
		float scale, min;

		group_scale(p, group, &scale, &min);
		for (int i = 0; i < 32; i++)
			*out++ = scale * (float)(q[i] >> (group % 2 * 4) & 15) - min;
	}
}

static void q5_k(const unsigned char *p, float *out)
{
	const unsigned char *high = p + 16;

	for (int group = 0; group < 8; group++) {
		const unsigned char *q = p + 48 + group / 2 * 32;
		float scale, min;

		group_scale(p, group, &scale, &min);
		for (int i = 0; i < 32; i++) {
			int low = q[i] >> (group % 2 * 4) & 15;

			*out++ = scale * (float)(low | (high[i] >> group & 1) << 4) - min;
		}
	}
}

static void q6_k(const unsigned char *p, float *out)
{
	float d = half(p + 208);

	for (int group = 0; group < 16; group++) { /* of 16 numbers; two share a row of bits */
		float dl = d * (float)(signed char)p[192 + group];
		int row = group / 2 % 4, at = group % 2 * 16;
		const unsigned char *low = p + group / 8 * 64 + row % 2 * 32 + at;
		const unsigned char *high = p + 128 + group / 8 * 32 + at;

		for (int i = 0; i < 16; i++) {
			int q = (low[i] >> (row / 2 * 4) & 15) | (high[i] >> (row * 2) & 3) << 4;

			*out++ = dl * (float)(q - 32);
		}
	}
}

static const struct dequant_format formats[] = {
	{"F32", DEQUANT_F32, 1, 4, f32},
	{"F16", DEQUANT_F16, 1, 2, f16},
	{"BF16", DEQUANT_BF16, 1, 2, bf16},
	{"Q4_0", DEQUANT_Q4_0, 32, 18, q4_0},
	{"Q4_1", DEQUANT_Q4_1, 32, 20, q4_1},
	{"Q5_0", DEQUANT_Q5_0, 32, 22, q5_0},
	{"Q5_1", DEQUANT_Q5_1, 32, 24, q5_1},
	{"Q8_0", DEQUANT_Q8_0, 32, 34, q8_0},
	{"Q2_K", DEQUANT_Q2_K, 256, 84, q2_k},
	{"Q3_K", DEQUANT_Q3_K, 256, 110, q3_k},
	{"Q4_K", DEQUANT_Q4_K, 256, 144, q4_k},
	{"Q5_K", DEQUANT_Q5_K, 256, 176, q5_k},
	{"Q6_K", DEQUANT_Q6_K, 256, 210, q6_k},
};

const struct dequant_format *dequant_format(uint32_t type)
{
	for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
		if (formats[i].type == type)
			return &formats[i];
	}
	return NULL;
}

const char *dequant_name(uint32_t type)
{
	static const char *const names[] = {[0] = "F32",
		"F16",
		"Q4_0",
		"Q4_1",
		[6] = "Q5_0",
		"Q5_1",
		"Q8_0",
		"Q8_1",
		"Q2_K",
		"Q3_K",
		"Q4_K",
		"Q5_K",
		"Q6_K",
		"Q8_K",
		"IQ2_XXS",
		"IQ2_XS",
		"IQ3_XXS",
		"IQ1_S",
		"IQ4_NL",
		"IQ3_S",
		"IQ2_S",
		"IQ4_XS",
		"I8",
		"I16",
		"I32",
		"I64",
		"F64",
		"IQ1_M",
		"BF16",
		[34] = "TQ1_0",
		"TQ2_0",
		[39] = "MXFP4"};

	if (type < sizeof names / sizeof names[0] && names[type])
		return names[type];
	return "?";
}

void dequantize(const struct dequant_format *format, const void *data, int64_t n, float *out)
{
	const unsigned char *p = data;

	switch (format->type) { /* the plain ones without a call for each number */
	case DEQUANT_F32:
		for (int64_t i = 0; i < n; i++)
			f32(p + 4 * i, out + i);
		return;
	case DEQUANT_F16:
		for (int64_t i = 0; i < n; i++)
			f16(p + 2 * i, out + i);
		return;
	case DEQUANT_BF16:
		for (int64_t i = 0; i < n; i++)
			bf16(p + 2 * i, out + i);
		return;
	default:
		break;
	}
	for (int64_t i = 0; i < n; i += format->block, p += format->bytes)
		format->block_floats(p, out + i);
}
