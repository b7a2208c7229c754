/* Reading streams: zstd and plain text, whole and damaged. */
#include "tap.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <zstd.h>

#include "stream/jsonl.h"

/* Compresses text to one frame with a checksum, behind what out holds. */
static void add_frame(struct buf *out, const char *text, size_t len)
{
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	size_t bound = ZSTD_compressBound(len), n;

	ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
	buf_reserve(out, bound);
	n = ZSTD_compress2(zstd, out->data + out->len, bound, text, len);
	assert_false(ZSTD_isError(n));
	out->len += n;
	ZSTD_freeCCtx(zstd);
}

static const char *make_file(const void *data, size_t len)
{
	const char *path = scratch_path("in");
	struct error err;

	assert_int_equal(file_publish(path, data, len, &err), 0);
	return path;
}

/* Reads all of path; returns the last code and the records, one a line, in out. */
static int read_all(const char *path, struct buf *out, struct error *err)
{
	struct jsonl_reader *in = jsonl_open(path, err);
	struct record r = {0};
	int rc;

	assert_non_null(in);
	buf_clear(out);
	buf_adds(out, "");
	while ((rc = jsonl_read(in, &r, err)) == 1) {
		buf_addf(out, "%ld:", r.line);
		record_print(&r, out);
		buf_addc(out, '\n');
	}
	if (rc == -2) /* a broken stream stays broken */
		assert_int_equal(jsonl_read(in, &r, err), -2);
	if (rc == -1) {
		buf_addf(out, "bad %ld:", r.line);
		buf_add(out, r.text.data, r.text.len);
	}
	record_release(&r);
	jsonl_close(in);
	return rc;
}

static void expect(const void *data, size_t len, int code, const char *text, const char *message)
{
	struct buf out = {0};
	struct error err = {0};
	int rc = read_all(make_file(data, len), &out, &err);

	if (rc != code)
		fail_msg("code %d, expected %d: %s", rc, code, err.message);
	assert_string_equal(out.data, text);
	if (message && !strstr(err.message, message))
		fail_msg("said: %s", err.message);
	if (message && !strstr(err.message, "/in:"))
		fail_msg("names no file: %s", err.message);
	buf_release(&out);
}

#define EXPECT(data, code, text, message) expect(data, sizeof(data) - 1, code, text, message)

static void plain_text(void **state)
{
	(void)state;
	EXPECT("", 0, "", NULL);
	EXPECT("\n", 0, "", NULL);
	EXPECT("\r\n \t\n\n", 0, "", NULL);
	EXPECT("{\"a\":1}\n{\"b\":2}\n", 0, "1:{\"a\":1}\n2:{\"b\":2}\n", NULL);
	EXPECT("{\"a\":1}\n\n  \n{\"b\":2}", 0, "1:{\"a\":1}\n4:{\"b\":2}\n", NULL);
	EXPECT("{\"a\":1}\r\n\r\n{\"b\":2}\r\n", 0, "1:{\"a\":1}\n3:{\"b\":2}\n", NULL);
	EXPECT("{\"a\":1}\r", 0, "1:{\"a\":1}\n", NULL);
	EXPECT("{}", 0, "1:{}\n", NULL);
	EXPECT("\xef\xbb\xbf{\"a\":1}\n", 0, "1:{\"a\":1}\n", NULL);
	EXPECT("\xef\xbb\xbf", 0, "", NULL);
}

static void bad_lines(void **state)
{
	(void)state;
	EXPECT("{\"a\":1}\n\n{\"a\":\"\xff\"}\n{}\n", -1, "1:{\"a\":1}\nbad 3:{\"a\":\"\xff\"}",
		"in:3: byte 7: not valid UTF-8");
	EXPECT("{\"a\":1,\"a\":2}\n", -1, "bad 1:{\"a\":1,\"a\":2}", "in:1: byte 8: field 'a'");
	EXPECT("[1]\n", -1, "bad 1:[1]", "in:1: byte 1: not a JSON object");
	EXPECT("{}\n\xef\xbb\xbf{}\n", -1, "1:{}\nbad 2:\xef\xbb\xbf{}", "in:2:");
	EXPECT("{}\n{\"a\":", -1, "1:{}\nbad 2:{\"a\":", "in:2: the line ends too early");
	EXPECT("(", -1, "bad 1:(", "in:1:");
	EXPECT("P\n", -1, "bad 1:P", "in:1:");
	EXPECT("\x1f\x8b\x08\x00....", -2, "", "gzip");
	EXPECT("\xfd"
	       "7zXZ\0",
		-2, "", "xz");
	EXPECT("\xff\xfe{\0}\0", -2, "", "UTF-16");
}

/* After a bad line reading may go on. */
static void goes_on(void **state)
{
	const char *path = make_file("{}\nx\n{\"b\":2}\n", 13);
	struct record r = {0};
	struct error err;
	struct jsonl_reader *in = jsonl_open(path, &err);

	(void)state;
	assert_int_equal(jsonl_read(in, &r, &err), 1);
	assert_int_equal(jsonl_read(in, &r, &err), -1);
	assert_string_equal(r.text.data, "x");
	assert_int_equal(r.line, 2);
	assert_int_equal(jsonl_read(in, &r, &err), 1);
	assert_int_equal(r.line, 3);
	assert_string_equal(r.file, jsonl_name(in));
	assert_int_equal(jsonl_read(in, &r, &err), 0);
	assert_int_equal(jsonl_read(in, &r, &err), 0);
	record_release(&r);
	jsonl_close(in);
}

static void frames(void **state)
{
	static const char skippable[] = "\x53\x2a\x4d\x18\x05\0\0\0hello";
	static const char two[] = "1:{\"a\":1}\n2:{\"b\":2}\n";
	struct buf data = {0};

	(void)state;
	add_frame(&data, "{\"a\":1}\n{\"b\":2}\n", 16);
	expect(data.data, data.len, 0, two, NULL);
	/* Two frames; a line that goes over their seam; an empty frame. */
	buf_clear(&data);
	add_frame(&data, "{\"a\":1}\n", 8);
	add_frame(&data, "{\"b\"", 4);
	add_frame(&data, "", 0);
	add_frame(&data, ":2}\n", 4);
	expect(data.data, data.len, 0, two, NULL);
	/* Skippable frames before, between and after. */
	buf_clear(&data);
	buf_add(&data, skippable, sizeof skippable - 1);
	add_frame(&data, "{\"a\":1}\n", 8);
	buf_add(&data, skippable, sizeof skippable - 1);
	add_frame(&data, "{\"b\":2}", 7);
	buf_add(&data, skippable, sizeof skippable - 1);
	expect(data.data, data.len, 0, two, NULL);
	/* Only a skippable frame, only an empty frame: no records. */
	expect(skippable, sizeof skippable - 1, 0, "", NULL);
	buf_clear(&data);
	add_frame(&data, "", 0);
	expect(data.data, data.len, 0, "", NULL);
	/* Text behind a frame is read as text, anything else is refused. */
	buf_clear(&data);
	add_frame(&data, "{\"a\":1}\n", 8);
	buf_adds(&data, "{\"b\":2}\n");
	expect(data.data, data.len, 0, two, NULL);
	data.len -= 8;
	buf_adds(&data, "garbage");
	expect(data.data, data.len, -2, "1:{\"a\":1}\n", "neither zstd nor text");
	data.len -= 7;
	buf_add(&data, "\0\0\0\0", 4);
	expect(data.data, data.len, -2, "1:{\"a\":1}\n", "neither zstd nor text");
	buf_release(&data);
}

/* A stream cut anywhere is an error, never an end. */
static void truncated_frames(void **state)
{
	struct buf data = {0}, out = {0};
	struct error err;
	size_t first;

	(void)state;
	add_frame(&data, "{\"a\":1}\n", 8);
	first = data.len;
	add_frame(&data, "{\"b\":2}\n", 8);
	for (size_t len = 1; len < data.len; len++) {
		int rc = read_all(make_file(data.data, len), &out, &err);

		if (len == first)
			assert_int_equal(rc, 0);
		else if (len == 1 || len == first + 1)
			assert_true(rc < 0); /* one byte could be text */
		else
			assert_int_equal(rc, -2);
		if (rc)
			assert_int_equal(err.code, EXIT_DATA);
		if (rc == -2 && len != first + 1)
			assert_non_null(strstr(err.message, "truncated zstd stream (byte "));
	}
	buf_release(&data);
	buf_release(&out);
}

/* A flipped bit anywhere is noticed, by the checksum if by nothing else.  A few
 * bits mean nothing (a larger window, codes that are not used): there the records
 * must be the right ones. */
static void corrupt_frames(void **state)
{
	struct buf text = {0}, data = {0}, out = {0}, whole = {0};
	struct error err;
	size_t unnoticed = 0;

	(void)state;
	for (int i = 0; i < 40; i++)
		buf_addf(&text, "{\"id\":%d,\"request\":\"start server %d\"}\n", i, i * 7919);
	add_frame(&data, text.data, text.len);
	assert_int_equal(read_all(make_file(data.data, data.len), &whole, &err), 0);
	for (size_t i = 0; i < data.len * 8; i++) {
		int rc;

		data.data[i / 8] ^= (char)(1 << i % 8);
		rc = read_all(make_file(data.data, data.len), &out, &err);
		data.data[i / 8] ^= (char)(1 << i % 8);
		if (rc == 0)
			assert_string_equal(out.data, whole.data);
		else
			assert_int_equal(err.code, EXIT_DATA);
		unnoticed += rc == 0;
	}
	assert_true(unnoticed < data.len / 8);
	buf_release(&text);
	buf_release(&data);
	buf_release(&out);
	buf_release(&whole);
}

static void long_lines(void **state)
{
	static const size_t sizes[] = {(1 << 17) - 9, (1 << 17) - 8, 1 << 17, 20 << 20};

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		for (int packed = 0; packed < 2; packed++) {
			struct buf text = {0}, data = {0};
			struct record r = {0};
			struct error err;
			struct jsonl_reader *in;

			buf_adds(&text, "{}\n{\"a\":\"");
			buf_reserve(&text, sizes[i]);
			memset(text.data + text.len, 'x', sizes[i]);
			text.len += sizes[i];
			buf_adds(&text, "\"}\n{\"b\":1}\n");
			if (packed)
				add_frame(&data, text.data, text.len);
			else
				buf_add(&data, text.data, text.len);
			in = jsonl_open(make_file(data.data, data.len), &err);
			assert_int_equal(jsonl_read(in, &r, &err), 1);
			assert_int_equal(jsonl_read(in, &r, &err), 1);
			assert_int_equal(
				json_string_length(json_object_get(r.json, "a")), sizes[i]);
			assert_int_equal(jsonl_read(in, &r, &err), 1);
			assert_string_equal(r.text.data, "{\"b\":1}");
			assert_int_equal(jsonl_read(in, &r, &err), 0);
			record_release(&r);
			jsonl_close(in);
			buf_release(&text);
			buf_release(&data);
		}
	}
}

/* Many small lines over the seams of all buffers, with odd ends. */
static void many_lines(void **state)
{
	enum {
		LINES = 20000
	};
	struct buf text = {0}, data = {0};

	(void)state;
	for (int i = 0; i < LINES; i++)
		buf_addf(&text, "{\"id\":%d,\"pad\":\"%.*s\"}%s", i, i % 37,
			"-------------------------------------",
			i == LINES - 1 ? ""
			: i % 5 == 0   ? "\r\n"
			: i % 7 == 0   ? "\n\n"
				       : "\n");
	add_frame(&data, text.data, text.len);
	for (int packed = 0; packed < 2; packed++) {
		struct buf *file = packed ? &data : &text;
		struct record r = {0};
		struct error err;
		struct jsonl_reader *in = jsonl_open(make_file(file->data, file->len), &err);

		for (int i = 0; i < LINES; i++) {
			long long id = -1;

			assert_int_equal(jsonl_read(in, &r, &err), 1);
			assert_int_equal(record_integer(&r, "id", &id, &err), 0);
			assert_int_equal(id, i);
		}
		assert_int_equal(jsonl_read(in, &r, &err), 0);
		record_release(&r);
		jsonl_close(in);
	}
	buf_release(&text);
	buf_release(&data);
}

/* Through a pipe: a record is there as soon as its line is, though the peer
 * waits for an answer before it goes on. */
static void a_pipe_in_pieces(void **state)
{
	for (int plain = 0; plain < 2; plain++) {
		struct record r = {0};
		struct jsonl_reader *in;
		struct error err;
		char path[64];
		int there[2], back[2], status;
		pid_t child;

		(void)state;
		assert_int_equal(pipe(there), 0);
		assert_int_equal(pipe(back), 0);
		child = fork();
		if (child == 0) {
			struct jsonl_writer *out;

			alarm(20);
			dup2(there[1], STDOUT_FILENO);
			out = jsonl_create(NULL, plain, &err);
			for (int i = 0; i < 50; i++) {
				char answer;

				if (jsonl_write_text(out, "{\"a\":1}", 7, &err) != 0 ||
					jsonl_flush(out, &err) != 0 ||
					read(back[0], &answer, 1) != 1)
					_exit(1);
			}
			_exit(jsonl_finish(out, &err) != 0);
		}
		alarm(30);
		close(there[1]);
		snprintf(path, sizeof path, "/proc/self/fd/%d", there[0]);
		in = jsonl_open(path, &err);
		for (int i = 0; i < 50; i++) {
			assert_int_equal(jsonl_read(in, &r, &err), 1);
			assert_int_equal(write(back[1], "x", 1), 1);
		}
		assert_int_equal(jsonl_read(in, &r, &err), 0);
		alarm(0);
		record_release(&r);
		jsonl_close(in);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
		close(there[0]);
		close(back[0]);
		close(back[1]);
	}
}

static void no_input(void **state)
{
	struct error err;

	(void)state;
	assert_null(jsonl_open(scratch_path("missing"), &err));
	assert_int_equal(err.code, EXIT_NOINPUT);
	assert_null(jsonl_open(scratch, &err));
	assert_int_equal(err.code, EXIT_NOINPUT);
	assert_non_null(strstr(err.message, "is a directory"));
	jsonl_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_text),
		cmocka_unit_test(bad_lines),
		cmocka_unit_test(goes_on),
		cmocka_unit_test(frames),
		cmocka_unit_test(truncated_frames),
		cmocka_unit_test(corrupt_frames),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(many_lines),
		cmocka_unit_test(a_pipe_in_pieces),
		cmocka_unit_test(no_input),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
