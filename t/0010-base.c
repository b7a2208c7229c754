/* Base library: random numbers, hashes, numbers from text, memory, messages. */
#include "tap.h"

#include <errno.h>
#include <math.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/number.h"
#include "base/rng.h"

/* Random123's published kat_vectors, lines "philox4x32 10". */
static void philox_known_answers(void **state)
{
	static const struct {
		uint32_t counter[4], key[2], expected[4];
	} vectors[] = {
		{{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{{~0u, ~0u, ~0u, ~0u}, {~0u, ~0u},
			{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0},
			{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	};
	uint32_t out[4];

	(void)state;
	for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
		philox4x32(vectors[i].counter, vectors[i].key, out);
		assert_memory_equal(out, vectors[i].expected, sizeof out);
	}
}

static void rng_streams_differ(void **state)
{
	struct rng a, b;
	enum {
		N = 64
	};
	uint32_t first[N];

	(void)state;
	rng_init(&a, 7, RNG_SYNTH, 5, 0);
	for (int i = 0; i < N; i++)
		first[i] = rng_u32(&a);
	rng_init(&b, 7, RNG_SYNTH, 5, 0);
	for (int i = 0; i < N; i++)
		assert_int_equal(rng_u32(&b), first[i]);
	/* Another seed, purpose, item or part: no number in common. */
	for (int change = 0; change < 5; change++) {
		rng_init(&b, 7 + (change == 0) + ((uint64_t)(change == 4) << 40),
			change == 1 ? RNG_TEST : RNG_SYNTH, 5 + (change == 2), change == 3);
		for (int i = 0; i < N; i++) {
			uint32_t x = rng_u32(&b);

			for (int j = 0; j < N; j++)
				assert_int_not_equal(x, first[j]);
		}
	}
}

/* Chi-square over 7 classes with 6 degrees of freedom: 22.5 is the 0.1 % point. */
static void rng_below_is_uniform(void **state)
{
	enum {
		CLASSES = 7,
		DRAWS = 70000
	};
	long counts[CLASSES] = {0};
	struct rng r;
	double chi = 0;

	(void)state;
	rng_init(&r, 1, RNG_TEST, 0, 0);
	for (int i = 0; i < DRAWS; i++) {
		uint32_t x = rng_below(&r, CLASSES);

		assert_true(x < CLASSES);
		counts[x]++;
	}
	for (int i = 0; i < CLASSES; i++)
		chi += pow((double)counts[i] - DRAWS / CLASSES, 2) / (DRAWS / CLASSES);
	assert_true(chi < 22.5);
	for (int i = 0; i < 100; i++) {
		assert_int_equal(rng_below(&r, 1), 0);
		assert_true(rng_below(&r, 0x80000001u) < 0x80000001u);
	}
}

static void rng_moments(void **state)
{
	enum {
		N = 200000
	};
	double mean = 0, square = 0, low = 1, high = 0, uniform = 0, fourth = 0;
	struct rng r;

	(void)state;
	rng_init(&r, 3, RNG_TEST, 1, 0);
	for (int i = 0; i < N; i++) {
		double x = rng_normal(&r), u = rng_double(&r);

		assert_true(isfinite(x));
		mean += x / N;
		square += x * x / N;
		fourth += x * x * x * x / N;
		uniform += u / N;
		low = u < low ? u : low;
		high = u > high ? u : high;
	}
	/* Five standard errors each. */
	assert_true(fabs(mean) < 5 / sqrt(N));
	assert_true(fabs(square - 1) < 5 * sqrt(2.0 / N));
	assert_true(fabs(fourth - 3) < 5 * sqrt(96.0 / N));
	assert_true(fabs(uniform - 0.5) < 5 / sqrt(12.0 * N));
	assert_true(low >= 0 && low < 1e-4 && high < 1 && high > 1 - 1e-4);
}

static void rng_shuffle_is_a_permutation(void **state)
{
	enum {
		N = 50
	};
	uint32_t items[N];
	int seen[N] = {0}, moved = 0;
	struct rng r;

	(void)state;
	for (uint32_t i = 0; i < N; i++)
		items[i] = i;
	rng_init(&r, 9, RNG_SHUFFLE, 0, 0);
	rng_shuffle(&r, items, N);
	for (uint32_t i = 0; i < N; i++) {
		seen[items[i]]++;
		moved += items[i] != i;
	}
	for (int i = 0; i < N; i++)
		assert_int_equal(seen[i], 1);
	assert_true(moved > N / 2);
	rng_shuffle(&r, items, 0);
}

static void rng_at_depends_on_each_coordinate(void **state)
{
	double base = rng_at(1, RNG_SAMPLE, 2, 3, 4, 5);

	(void)state;
	assert_true(base == rng_at(1, RNG_SAMPLE, 2, 3, 4, 5));
	assert_true(base >= 0 && base < 1);
	assert_true(base != rng_at(2, RNG_SAMPLE, 2, 3, 4, 5));
	assert_true(base != rng_at(1, RNG_TEST, 2, 3, 4, 5));
	assert_true(base != rng_at(1, RNG_SAMPLE, 3, 3, 4, 5));
	assert_true(base != rng_at(1, RNG_SAMPLE, 2 + (1ull << 32), 3, 4, 5));
	assert_true(base != rng_at(1, RNG_SAMPLE, 2, 4, 4, 5));
	assert_true(base != rng_at(1, RNG_SAMPLE, 2, 3, 5, 5));
	assert_true(base != rng_at(1, RNG_SAMPLE, 2, 3, 4, 6));
}

/* FIPS 180-2 and the FNV authors' published vectors. */
static void hashes(void **state)
{
	char hex[65];

	(void)state;
	sha256_hex("abc", 3, hex);
	assert_string_equal(
		hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	sha256_hex("", 0, hex);
	assert_string_equal(
		hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	assert_true(fnv64(FNV64_INIT, "", 0) == 0xcbf29ce484222325u);
	assert_true(fnv64(FNV64_INIT, "a", 1) == 0xaf63dc4c8601ec8cu);
	assert_true(fnv64(FNV64_INIT, "foobar", 6) == 0x85944171f73967e8u);
	assert_true(fnv64(fnv64(FNV64_INIT, "foo", 3), "bar", 3) == 0x85944171f73967e8u);
	assert_true(hash_mix(1) != hash_mix(2));
}

static void integers_from_text(void **state)
{
	static const char *const bad[] = {"", " 1", "1 ", "1x", "x", "0x10", "1.0", "1e3", "--1",
		"99999999999999999999", "-1", "101"};
	long long value = -5;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(number_integer(bad[i], 0, 100, &value, &err), -1);
		assert_int_equal(err.code, EXIT_USAGE);
		assert_int_equal(value, -5);
	}
	assert_int_equal(number_integer("100", 0, 100, &value, &err), 0);
	assert_int_equal(value, 100);
	assert_int_equal(
		number_integer("-9223372036854775808", INT64_MIN, INT64_MAX, &value, &err), 0);
	assert_true(value == INT64_MIN);
}

static void reals_from_text(void **state)
{
	static const char *const bad[] = {"", " 1", "1 ", "1x", "nan", "inf", "-inf", "1e999",
		"0x1p3", "1,5", "-0.1", "1.1", "e"};
	double value = -5;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(number_real(bad[i], 0, 1, &value, &err), -1);
		assert_int_equal(err.code, EXIT_USAGE);
	}
	assert_true(value == -5);
	assert_int_equal(number_real("2.5e-1", 0, 1, &value, &err), 0);
	assert_true(value == 0.25);
}

static void buffers(void **state)
{
	struct buf b = {0};
	char *text;

	(void)state;
	buf_clear(&b);
	buf_add(&b, NULL, 0);
	buf_adds(&b, "ab");
	buf_addc(&b, '\0');
	buf_addf(&b, "%d-%s", 42, "x");
	assert_int_equal(b.len, 7);
	assert_memory_equal(b.data,
		"ab\0"
		"42-x",
		8);
	for (int i = 0; i < 10000; i++)
		buf_addf(&b, "%d,", i);
	assert_int_equal(b.data[b.len], '\0');
	buf_clear(&b);
	assert_int_equal(b.len, 0);
	buf_adds(&b, "z");
	text = buf_detach(&b);
	assert_string_equal(text, "z");
	assert_null(b.data);
	free(text);
	text = buf_detach(&b);
	assert_string_equal(text, "");
	free(text);
}

static void arenas(void **state)
{
	struct arena a = {0};
	char *first = arena_strdup(&a, "first"), *parts[1000];

	(void)state;
	for (int i = 0; i < 1000; i++) {
		parts[i] = arena_zalloc(&a, (size_t)i * 7 % 500);
		assert_int_equal((uintptr_t)parts[i] % 16, 0);
		memset(parts[i], i, (size_t)i * 7 % 500);
	}
	memset(arena_alloc(&a, 100000), 1, 100000);
	for (int i = 0; i < 1000; i++)
		for (int j = 0; j < i * 7 % 500; j++)
			assert_int_equal((unsigned char)parts[i][j], i & 255);
	assert_string_equal(first, "first");
	arena_clear(&a);
	assert_string_equal(arena_strndup(&a, "abc", 2), "ab");
	arena_release(&a);
	arena_release(&a);
	assert_null(a.blocks);
}

static void errors(void **state)
{
	struct error err;

	(void)state;
	assert_int_equal(error_set(&err, EXIT_DATA, "part %d", 1), -1);
	assert_int_equal(error_prefix(&err, "whole"), -1);
	assert_string_equal(err.message, "whole: part 1");
	assert_int_equal(err.code, EXIT_DATA);
	assert_int_equal(err.system, 0);
	/* The old message may be an argument of the new one. */
	error_set(&err, EXIT_DATA, "again %s", err.message);
	assert_string_equal(err.message, "again whole: part 1");
	errno = ENOENT;
	assert_int_equal(error_set_errno(&err, EXIT_NOINPUT, "open"), -1);
	assert_string_equal(err.message, "open: No such file or directory");
	assert_int_equal(err.system, ENOENT);
	error_set(&err, EXIT_DATA, "%2000d", 1);
	assert_int_equal(strlen(err.message), sizeof err.message - 1);
	error_prefix(&err, "p");
	assert_int_equal(strncmp(err.message, "p:  ", 4), 0);
	assert_true(strlen(err.message) < sizeof err.message);
	assert_int_equal(error_set(NULL, EXIT_DATA, "nobody asks"), -1);
}

static void peak_memory(void **state)
{
	uint64_t before = memory_peak();
	enum {
		SIZE = 64 << 20
	};
	char *block = xmalloc(SIZE);

	(void)state;
	assert_true(before > 1 << 18);
	memset(block, 1, SIZE);
	assert_true(memory_peak() >= before + SIZE / 2);
	free(block);
}

static void names_of_enumerations(void **state)
{
	static const char *const names[] = {"auto", "ask", "", NULL}, *const none[] = {NULL};

	(void)state;
	assert_int_equal(names_find(names, "auto"), 0);
	assert_int_equal(names_find(names, ""), 2);
	assert_int_equal(names_find(names, "as"), -1);
	assert_int_equal(names_find(none, "auto"), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(philox_known_answers),
		cmocka_unit_test(rng_streams_differ),
		cmocka_unit_test(rng_below_is_uniform),
		cmocka_unit_test(rng_moments),
		cmocka_unit_test(rng_shuffle_is_a_permutation),
		cmocka_unit_test(rng_at_depends_on_each_coordinate),
		cmocka_unit_test(hashes),
		cmocka_unit_test(integers_from_text),
		cmocka_unit_test(reals_from_text),
		cmocka_unit_test(buffers),
		cmocka_unit_test(arenas),
		cmocka_unit_test(names_of_enumerations),
		cmocka_unit_test(errors),
		cmocka_unit_test(peak_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
