/* Whole files and directories. */
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

static int exists(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0;
}

static void reading(void **state)
{
	struct buf out = {0};
	struct error err;

	(void)state;
	assert_int_equal(file_publish(scratch_path("f"), "ab\0c", 4, &err), 0);
	buf_adds(&out, "x");
	assert_int_equal(file_read(scratch_path("f"), 4, &out, &err), 0);
	assert_int_equal(out.len, 5);
	assert_memory_equal(out.data, "xab\0c", 6);
	assert_int_equal(file_read(scratch_path("f"), 3, &out, &err), -1);
	assert_int_equal(err.code, EXIT_DATA);
	assert_int_equal(out.len, 5);
	assert_int_equal(file_read(scratch_path("none"), 3, &out, &err), -1);
	assert_int_equal(err.code, EXIT_NOINPUT);
	assert_int_equal(file_read(scratch, 3, &out, &err), -1);
	assert_int_equal(err.code, EXIT_NOINPUT);
	assert_int_equal(file_publish(scratch_path("f"), "", 0, &err), 0);
	buf_clear(&out);
	assert_int_equal(file_read(scratch_path("f"), 0, &out, &err), 0);
	assert_int_equal(out.len, 0);
	assert_string_equal(out.data, "");
	buf_release(&out);
	/* No limit overflows: an endless device stops at max. */
	assert_int_equal(file_read("/dev/zero", 1 << 20, &out, &err), -1);
	buf_release(&out);
}

static void making(void **state)
{
	struct error err;

	(void)state;
	assert_int_equal(directory_make(scratch_path("a/b/c"), &err), 0);
	assert_int_equal(directory_make(scratch_path("a/b/c"), &err), 0);
	assert_int_equal(directory_make(scratch_path("a//b/d/"), &err), 0);
	assert_true(exists(scratch_path("a/b/d")));
	assert_int_equal(file_publish(scratch_path("a/f"), "", 0, &err), 0);
	assert_int_equal(directory_make(scratch_path("a/f"), &err), -1);
	assert_int_equal(err.code, EXIT_IO);
	assert_int_equal(directory_make(scratch_path("a/f/g"), &err), -1);
	assert_int_equal(directory_make("", &err), -1);
	assert_int_equal(directory_remove(scratch_path("a"), &err), 0);
	assert_false(exists(scratch_path("a")));
	assert_int_equal(directory_remove(scratch_path("a"), &err), 0);
}

static void publishing(void **state)
{
	struct error err;

	(void)state;
	directory_make(scratch_path("tmp/sub"), &err);
	file_publish(scratch_path("tmp/sub/f"), "1", 1, &err);
	directory_make(scratch_path("there"), &err);
	assert_int_equal(directory_publish(scratch_path("tmp"), scratch_path("there"), &err), -1);
	assert_int_equal(err.code, EXIT_IO);
	assert_int_equal(err.system, EEXIST);
	assert_true(exists(scratch_path("tmp/sub/f")));
	assert_int_equal(directory_publish(scratch_path("tmp"), scratch_path("new"), &err), 0);
	assert_true(exists(scratch_path("new/sub/f")));
	assert_false(exists(scratch_path("tmp")));
	assert_int_equal(directory_publish(scratch_path("tmp"), scratch_path("more"), &err), -1);
	directory_remove(scratch_path("new"), &err);
	directory_remove(scratch_path("there"), &err);
}

/* A link in a directory is removed, not what it leads to. */
static void removing_follows_no_link(void **state)
{
	struct error err;

	(void)state;
	directory_make(scratch_path("d"), &err);
	directory_make(scratch_path("keep"), &err);
	file_publish(scratch_path("keep/f"), "", 0, &err);
	assert_int_equal(symlink("../keep", scratch_path("d/link")), 0);
	assert_int_equal(directory_remove(scratch_path("d"), &err), 0);
	assert_true(exists(scratch_path("keep/f")));
	directory_remove(scratch_path("keep"), &err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reading),
		cmocka_unit_test(making),
		cmocka_unit_test(publishing),
		cmocka_unit_test(removing_follows_no_link),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
