/*
 * The reader of JSON Lines, plain and zstd: an untouched record is its line again,
 * and one with a field set is still a record.
 * seeds: testdata/stream testdata/check/pairs.jsonl
 */
#include "t/fuzz/fuzz.h"

#include "stream/jsonl.h"

static void use(struct record *r)
{
	struct buf out = {0};
	struct record again;
	struct arena arena = {0};
	struct error err;
	const char *text, **argv;
	long long integer;
	double real, *reals;
	int argc, n, *integers;

	record_print(r, &out);
	fuzz_assert(
		out.len == r->text.len && (!out.len || !memcmp(out.data, r->text.data, out.len)));
	record_string(r, "request", &text, &err);
	record_integer(r, "n", &integer, &err);
	record_real(r, "n", &real, &err);
	record_argv(r, "argv", &arena, &argc, &argv, &err);
	record_integers(r, "tokens", &arena, &n, &integers, &err);
	record_reals(r, "logp", &arena, &n, &reals, &err);
	record_set(r, "argv", json_string("\"x\\"));
	record_set(r, "added", json_integer(-1));
	buf_clear(&out);
	record_print(r, &out);
	record_init(&again);
	fuzz_assert(record_parse(&again, out.data, out.len, &err) == 0);
	fuzz_assert(json_object_size(again.json) == json_object_size(r->json));
	record_release(&again);
	arena_release(&arena);
	buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz_file file;
	struct jsonl_reader *in;
	struct record r;
	struct error err;
	int got;

	fuzz_file_set(&file, data, size);
	in = jsonl_open(file.path, &err);
	fuzz_assert(in);
	record_init(&r);
	while ((got = jsonl_read(in, &r, &err)) == 1 || got == -1)
		if (got == 1)
			use(&r);
	fuzz_assert(got == 0 || jsonl_read(in, &r, &err) == -2);
	record_release(&r);
	jsonl_close(in);
	return 0;
}
