/*
 * Opening by a path that others bend: what is let through, and a thread that exchanges the
 * file, a link and a directory 100,000 times while the path is walked.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec/executable.h"
#include "exec/walk.h"

enum {
	SWAPS = 100000
};

static char dir[4096];

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	assert_int_equal(chmod(path, 0755), 0);
}

static int setup(void **state)
{
	char name[] = "/tmp/walk-test-XXXXXX";

	(void)state;
	umask(022);
	if (!mkdtemp(name) || chdir(name) != 0 || !getcwd(dir, sizeof dir))
		return -1;
	return mkdir("good", 0755) || mkdir("evil", 0755) || mkdir("open", 0755) ||
	       chmod("open", 0777);
}

static int teardown(void **state)
{
	(void)state;
	return system("rm -rf good evil open d way link chain absolute to-open loop dangling pipe "
		      "wide "
		      "swapped next") != 0 ||
	       chdir("/") != 0 || rmdir(dir) != 0;
}

static int open_here(const char *path, unsigned flags, struct error *err)
{
	char whole[8192];

	snprintf(whole, sizeof whole, "%s/%s", dir, path);
	return walk_open(whole, flags, NULL, NULL, err);
}

static void test_trust(void **state)
{
	static const struct {
		const char *path;
		int code;
	} cases[] = {{"good/file", 0}, {"good/./file", 0}, {"good//file", 0},
		{"good/../good/file", 0}, {"link", 0}, {"way/file", 0}, {"chain", 0},
		{"absolute", 0}, {"open/file", EXIT_REFUSED}, {"to-open", EXIT_REFUSED},
		{"open/../good/file", EXIT_REFUSED}, {"good", EXIT_REFUSED}, {"pipe", EXIT_REFUSED},
		{"loop", EXIT_REFUSED}, {"wide", EXIT_REFUSED}, {"nothing", EXIT_NOTFOUND},
		{"good/file/x", EXIT_NOTFOUND}, {"good/file/", 0}, {"dangling", EXIT_NOTFOUND}};
	char target[8192];
	struct error err;

	(void)state;
	write_text("good/file", "x");
	write_text("open/file", "x");
	write_text("wide", "x");
	assert_int_equal(chmod("wide", 0666), 0);
	snprintf(target, sizeof target, "%s/good/file", dir);
	assert_int_equal(symlink("good/file", "link"), 0);
	assert_int_equal(symlink("good", "way"), 0);
	assert_int_equal(symlink("way/../link", "chain"), 0);
	assert_int_equal(symlink(target, "absolute"), 0);
	assert_int_equal(symlink("open/file", "to-open"), 0);
	assert_int_equal(symlink("loop", "loop"), 0);
	assert_int_equal(symlink("absent", "dangling"), 0);
	assert_int_equal(mkfifo("pipe", 0600), 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int fd = open_here(cases[i].path, 0, &err);

		if (fd >= 0 ? cases[i].code != 0 : cases[i].code != (int)err.code)
			fail_msg("%s: %d: %s", cases[i].path, fd, fd < 0 ? err.message : "open");
		if (fd >= 0)
			close(fd);
	}
	/* Files that decide must not be open to our group either. */
	assert_int_equal(chmod("good/file", 0664), 0);
	assert_int_equal(open_here("good/file", WALK_STRICT, &err), -1);
	close(open_here("good/file", 0, &err));
}

static void test_depth(void **state)
{
	char path[8192] = "";
	struct error err;
	struct buf content = {0};

	(void)state;
	for (int i = 0; i < 200; i++)
		strcat(path, "d/");
	assert_int_equal(
		system("p=d; for i in $(seq 199); do p=$p/d; done; mkdir -p $p; : >$p/x"), 0);
	strcat(path, "x");
	assert_int_equal(open_here(path, 0, &err), -1);
	assert_int_equal(err.code, EXIT_REFUSED);
	memset(path, 'a', 300);
	path[300] = '\0';
	assert_int_equal(open_here(path, 0, &err), -1);
	write_text("good/long", "0123456789");
	snprintf(path, sizeof path, "%s/good/long", dir);
	assert_int_equal(walk_read(path, 0, 9, NULL, NULL, &content, &err), -1);
	buf_clear(&content);
	assert_int_equal(walk_read(path, 0, 10, NULL, NULL, &content, &err), 0);
	assert_string_equal(content.data, "0123456789");
	buf_release(&content);
}

static atomic_int done;

/* way/tool is the good program, or one out of a directory that everyone may write. */
static void *swap(void *unused)
{
	(void)unused;
	for (int i = 0; i < SWAPS; i++) {
		switch (i % 3) {
		case 0:
			unlink("next");
			if (symlink(i % 2 ? "good" : "evil", "next") == 0)
				rename("next", "swapped");
			break;
		case 1:
			renameat2(AT_FDCWD, "good/tool", AT_FDCWD, "evil/tool", RENAME_EXCHANGE);
			break;
		default:
			renameat2(AT_FDCWD, "good", AT_FDCWD, "evil", RENAME_EXCHANGE);
		}
	}
	done = 1;
	return NULL;
}

/* What is opened is what its identity says, and never what everyone may write; what is
 * read through the descriptor is one of the two files, whole. */
static void test_race(void **state)
{
	char path[8192], text[64];
	int opened = 0, refused = 0;
	pthread_t thread;
	struct error err;
	struct stat st;

	(void)state;
	write_text("good/tool", "the good program");
	write_text("evil/tool", "the evil program");
	assert_int_equal(chmod("evil/tool", 0777), 0);
	assert_int_equal(symlink("good", "swapped"), 0);
	snprintf(path, sizeof path, "%s/swapped/tool", dir);
	assert_int_equal(pthread_create(&thread, NULL, swap, NULL), 0);
	while (!done) {
		struct arena arena = {0};
		struct executable exe;
		ssize_t n;

		if (executable_open(path, &arena, &exe, &err) != 0) {
			refused++;
			arena_release(&arena);
			continue;
		}
		opened++;
		assert_int_equal(fstat(exe.fd, &st), 0);
		assert_int_equal(st.st_mode & 0777, 0755);
		assert_int_equal(st.st_ino, exe.identity.inode);
		n = pread(exe.fd, text, sizeof text - 1, 0);
		assert_true(n > 0);
		text[n] = '\0';
		assert_string_equal(text, "the good program");
		executable_close(&exe);
		arena_release(&arena);
	}
	pthread_join(thread, NULL);
	print_message("# %d opened, %d refused\n", opened, refused);
	assert_true(opened + refused > 100);
	assert_true(opened > 0);
	assert_true(refused > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_trust),
		cmocka_unit_test(test_depth), cmocka_unit_test(test_race)};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, setup, teardown);
}
