/* Writing streams: frames, flushing, publishing, failing. */
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <zstd.h>

#include "stream/jsonl.h"

static void read_file(const char *path, struct buf *out)
{
	struct error err;

	buf_clear(out);
	assert_int_equal(file_read(path, 1 << 28, out, &err), 0);
}

/* Decompresses a whole file by the library itself: 0, or -1 where it is no
 * complete row of frames. */
static int unpack(const struct buf *packed, struct buf *out)
{
	ZSTD_DCtx *zstd = ZSTD_createDCtx();
	ZSTD_inBuffer in = {packed->data, packed->len, 0};
	size_t left = 1;

	buf_clear(out);
	buf_adds(out, "");
	while (in.pos < in.size) {
		ZSTD_outBuffer block;

		buf_reserve(out, 1 << 17);
		block = (ZSTD_outBuffer){out->data + out->len, 1 << 17, 0};
		left = ZSTD_decompressStream(zstd, &block, &in);
		if (ZSTD_isError(left))
			break;
		out->len += block.pos;
		out->data[out->len] = '\0';
	}
	ZSTD_freeDCtx(zstd);
	return left ? -1 : 0;
}

static int count_entries(void)
{
	struct buf command = {0};
	int n = 0;
	FILE *list;
	char line[PATH_MAX];

	buf_addf(&command, "ls -A '%s'", scratch);
	list = popen(command.data, "r");
	while (fgets(line, sizeof line, list))
		n++;
	pclose(list);
	buf_release(&command);
	return n;
}

static void round_trip(void **state)
{
	static const int counts[] = {0, 1, 3, 20000};

	(void)state;
	for (int i = 0; i < 8; i++) {
		int plain = i & 1, count = counts[i / 2];
		const char *path = scratch_path("out");
		struct buf file = {0}, text = {0}, expected = {0};
		struct record r = {0};
		struct error err;
		struct jsonl_writer *out = jsonl_create(path, plain, &err);
		struct jsonl_reader *in;

		assert_non_null(out);
		buf_adds(&expected, "");
		for (int n = 0; n < count; n++) {
			struct buf line = {0};

			buf_addf(&line, "{\"id\":%d,\"pad\":\"%.*s\"}", n, n % 40,
				"........................................");
			assert_int_equal(record_parse(&r, line.data, line.len, &err), 0);
			assert_int_equal(jsonl_write(out, &r, &err), 0);
			if (n % 1000 == 7)
				assert_int_equal(jsonl_flush(out, &err), 0);
			buf_addf(&expected, "%s\n", line.data);
			buf_release(&line);
		}
		assert_int_equal(jsonl_finish(out, &err), 0);
		read_file(path, &file);
		if (plain)
			buf_add(&text, file.data, file.len);
		else
			assert_int_equal(unpack(&file, &text), 0);
		assert_string_equal(text.data ? text.data : "", expected.data);
		in = jsonl_open(path, &err);
		for (int n = 0; n < count; n++)
			assert_int_equal(jsonl_read(in, &r, &err), 1);
		assert_int_equal(jsonl_read(in, &r, &err), 0);
		jsonl_close(in);
		record_release(&r);
		buf_release(&file);
		buf_release(&text);
		buf_release(&expected);
		assert_int_equal(unlink(path), 0);
	}
}

static void has_a_checksum(void **state)
{
	struct buf file = {0}, text = {0};
	struct error err;
	struct jsonl_writer *out = jsonl_create(scratch_path("out"), 0, &err);

	(void)state;
	jsonl_write_text(out, "{}", 2, &err);
	assert_int_equal(jsonl_finish(out, &err), 0);
	read_file(scratch_path("out"), &file);
	assert_true(file.data[4] & 4); /* the frame header's checksum flag */
	file.data[file.len - 1] ^= 1;
	assert_int_equal(unpack(&file, &text), -1);
	buf_release(&file);
	buf_release(&text);
	unlink(scratch_path("out"));
}

static void abort_publishes_nothing(void **state)
{
	struct error err;
	struct jsonl_writer *out;
	struct buf file = {0};

	(void)state;
	assert_int_equal(file_publish(scratch_path("out"), "old", 3, &err), 0);
	out = jsonl_create(scratch_path("out"), 0, &err);
	jsonl_write_text(out, "{}", 2, &err);
	jsonl_flush(out, &err);
	read_file(scratch_path("out"), &file);
	assert_string_equal(file.data, "old");
	jsonl_abort(out);
	read_file(scratch_path("out"), &file);
	assert_string_equal(file.data, "old");
	assert_int_equal(count_entries(), 1);
	buf_release(&file);
	unlink(scratch_path("out"));
	jsonl_abort(NULL);
}

/* Runs body in a child whose standard output is a file. */
static void in_child(void (*body)(void), struct buf *result)
{
	const char *path = scratch_path("stdout");
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600), saved = dup(STDOUT_FILENO);

	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	close(fd);
	body();
	dup2(saved, STDOUT_FILENO);
	close(saved);
	read_file(path, result);
	unlink(path);
}

static void give_up_early(void)
{
	struct error err;
	struct jsonl_writer *out = jsonl_create(NULL, 0, &err);

	jsonl_write_text(out, "{}", 2, &err);
	jsonl_abort(out);
}

static void give_up_after_flush(void)
{
	struct error err;
	struct jsonl_writer *out = jsonl_create("-", 0, &err);

	jsonl_write_text(out, "{}", 2, &err);
	jsonl_flush(out, &err);
	jsonl_abort(out);
}

/* Even with nothing written yet, what is on standard output is a broken frame. */
static void aborted_output_is_broken(void **state)
{
	struct buf file = {0}, text = {0};

	(void)state;
	in_child(give_up_early, &file);
	assert_int_equal(file.len, 4);
	assert_int_equal(unpack(&file, &text), -1);
	in_child(give_up_after_flush, &file);
	assert_int_equal(unpack(&file, &text), -1);
	assert_string_equal(text.data, "{}\n");
	buf_release(&file);
	buf_release(&text);
}

/* What a child process that ends removes is its own, not its parent's. */
static void child_leaves_the_file(void **state)
{
	struct error err;
	struct jsonl_writer *out = jsonl_create(scratch_path("out"), 0, &err);
	int status;
	pid_t child;

	(void)state;
	fflush(NULL);
	child = fork();
	if (child == 0)
		exit(0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(count_entries(), 1);
	assert_int_equal(jsonl_finish(out, &err), 0);
	assert_int_equal(unlink(scratch_path("out")), 0);
}

static void modes_links_and_devices(void **state)
{
	const char *path = scratch_path("out"), *link = scratch_path("link");
	mode_t mask = umask(027);
	struct error err;
	struct stat status;
	struct buf file = {0};

	(void)state;
	assert_int_equal(jsonl_finish(jsonl_create(path, 1, &err), &err), 0);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0640);
	chmod(path, 0604);
	assert_int_equal(symlink("out", link), 0);
	assert_int_equal(file_publish(link, "new", 3, &err), 0);
	assert_int_equal(lstat(link, &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0604);
	read_file(path, &file);
	assert_string_equal(file.data, "new");
	assert_int_equal(jsonl_finish(jsonl_create("/dev/null", 0, &err), &err), 0);
	assert_int_equal(stat("/dev/null", &status), 0);
	assert_true(S_ISCHR(status.st_mode));
	assert_null(jsonl_create(scratch_path("none/out"), 0, &err));
	assert_int_equal(err.code, EXIT_IO);
	assert_null(jsonl_create(scratch, 0, &err));
	assert_int_equal(err.code, EXIT_IO);
	umask(mask);
	buf_release(&file);
	unlink(path);
	unlink(link);
}

static void full_disk(void **state)
{
	struct error err = {0};
	struct jsonl_writer *out;

	(void)state;
	if (access("/dev/full", W_OK) != 0)
		skip();
	assert_null(jsonl_create("/dev/full", 0, &err));
	assert_int_equal(err.code, EXIT_IO);
	assert_int_equal(err.system, ENOSPC);
	out = jsonl_create("/dev/full", 1, &err);
	assert_int_equal(jsonl_write_text(out, "{}", 2, &err), 0);
	assert_int_equal(jsonl_flush(out, &err), -1);
	assert_int_equal(err.system, ENOSPC);
	/* Having failed once it cannot end well, though nothing is left to write. */
	memset(&err, 0, sizeof err);
	assert_int_equal(jsonl_finish(out, &err), -1);
	assert_int_equal(err.code, EXIT_IO);
	assert_int_equal(err.system, ENOSPC);
}

static void closed_pipe(void **state)
{
	struct jsonl_writer *out;
	struct error err;
	char path[64];
	int ends[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	snprintf(path, sizeof path, "/proc/self/fd/%d", ends[1]);
	out = jsonl_create(path, 0, &err);
	if (!out)
		skip(); /* no /proc */
	close(ends[0]);
	jsonl_write_text(out, "{}", 2, &err);
	assert_int_equal(jsonl_flush(out, &err), -1);
	assert_int_equal(err.system, EPIPE);
	assert_int_equal(jsonl_finish(out, &err), -1);
	assert_int_equal(err.system, EPIPE);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(has_a_checksum),
		cmocka_unit_test(abort_publishes_nothing),
		cmocka_unit_test(aborted_output_is_broken),
		cmocka_unit_test(child_leaves_the_file),
		cmocka_unit_test(modes_links_and_devices),
		cmocka_unit_test(full_disk),
		cmocka_unit_test(closed_pipe),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
