/* A plan comes back as it was packed, damage is found, and its digest depends on
 * everything in it. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "exec/plan.h"

static const char *const words[] = {"tool", "", "a b", "3:x,", "\xe2\x80\xae\n", NULL};
static const char *const variables[] = {"PATH=/bin", "HOME=", NULL};
static const char *const places[] = {"/one", "/two", NULL};

static struct plan example(int fd)
{
	return (struct plan){
		.argc = 5,
		.argv = words,
		.exe = {.path = "/bin/tool",
			.real_path = "/opt/tool",
			.fd = fd,
			.interpreter = "/bin/sh",
			.interpreter_argument = "-e",
			.interpreter_fd = fd},
		.directory = "/home",
		.n_environment = 2,
		.environment = variables,
		.input = "/etc/hostname",
		.input_fd = -1,
		.policy = "/etc/policy 00",
		.timeout = 600,
		.output_mib = 64,
		.umask = 022,
		.limits = {.processes = 10, .memory_mib = 20},
		.sandbox = 1,
		.n_read = 2,
		.read = places,
		.n_write = 1,
		.write = places,
		.audit_directory = "",
		.digest = "0123",
	};
}

static int file_with(const char *text)
{
	int fd = memfd_create("file", 0);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	return fd;
}

static void test_round_trip(void **state)
{
	struct arena arena = {0};
	struct error err;
	int fd = file_with("x"), packed, status = -1;
	struct plan plan = example(fd), back;

	(void)state;
	packed = plan_pack(&plan, 17, &err);
	assert_true(packed >= 0);
	assert_int_equal(plan_unpack(packed, &arena, &back, &status, &err), 0);
	assert_int_equal(status, 17);
	assert_int_equal(back.argc, plan.argc);
	for (int i = 0; i <= plan.argc; i++) {
		if (words[i])
			assert_string_equal(back.argv[i], words[i]);
		else
			assert_null(back.argv[i]);
	}
	assert_int_equal(back.n_environment, 2);
	assert_string_equal(back.environment[1], "HOME=");
	assert_string_equal(back.exe.interpreter_argument, "-e");
	assert_int_equal(back.exe.fd, fd);
	assert_int_equal(back.n_read, 2);
	assert_string_equal(back.read[1], "/two");
	assert_string_equal(back.input, "/etc/hostname");
	assert_int_equal(back.input_fd, -1);
	assert_string_equal(back.policy, "/etc/policy 00");
	assert_int_equal(back.umask, 022);
	assert_memory_equal(&back.limits, &plan.limits, sizeof back.limits);
	assert_int_equal(back.timeout, 600);
	assert_string_equal(back.digest, "0123");
	assert_true(write(packed, "x", 1) < 0);
	close(packed);
	close(fd);
	arena_release(&arena);
}

static int sealed(const char *data, size_t len)
{
	int fd = memfd_create("plan", MFD_ALLOW_SEALING);

	assert_int_equal(write(fd, data, len), len);
	assert_int_equal(
		fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE),
		0);
	return fd;
}

static void test_damage(void **state)
{
	struct error err;
	int fd = file_with("x"), packed, status;
	struct plan plan = example(fd), back;
	char data[4096];
	ssize_t len;

	(void)state;
	packed = plan_pack(&plan, 17, &err);
	len = pread(packed, data, sizeof data, 0);
	assert_true(len > 100 && len < (ssize_t)sizeof data);
	for (ssize_t cut = 0; cut < len; cut++) {
		struct arena arena = {0};
		int damaged = sealed(data, (size_t)cut);

		assert_int_equal(plan_unpack(damaged, &arena, &back, &status, &err), -1);
		close(damaged);
		arena_release(&arena);
	}
	/* Any byte changed: an error or other words, never a crash. */
	for (ssize_t at = 0; at < len; at++) {
		struct arena arena = {0};
		char saved = data[at];
		int damaged;

		data[at] = (char)(saved ^ 9);
		damaged = sealed(data, (size_t)len);
		data[at] = saved;
		plan_unpack(damaged, &arena, &back, &status, &err);
		close(damaged);
		arena_release(&arena);
	}
	assert_int_equal(plan_unpack(fd, &(struct arena){0}, &back, &status, &err), -1);
	close(packed);
	close(fd);
}

static void digest_of(const struct plan *plan, char digest[65])
{
	struct error err;

	assert_int_equal(plan_digest(plan, AT_FDCWD, digest, &err), 0);
}

#define DIFFERS(change)                                                                            \
	do {                                                                                       \
		struct plan other = example(fd);                                                   \
		other.change;                                                                      \
		digest_of(&other, digest);                                                         \
		assert_string_not_equal(digest, first);                                            \
	} while (0)

static void test_digest(void **state)
{
	static const char *const shifted[] = {"tool", "a", " b", "3:x,", "\xe2\x80\xae\n", NULL};
	static const char *const joined[] = {"PATH=/bin", "HOME=1", NULL};
	char first[65], digest[65], here[4096];
	int fd = file_with("x"), longer = file_with("xy");
	struct plan plan = example(fd);

	(void)state;
	digest_of(&plan, first);
	assert_int_equal(strlen(first), 64);
	digest_of(&plan, digest);
	assert_string_equal(digest, first);
	DIFFERS(argc = 4);
	DIFFERS(argv = shifted);
	DIFFERS(environment = joined);
	DIFFERS(n_environment = 1);
	DIFFERS(exe.path = "/bin/other");
	DIFFERS(exe.interpreter = "/bin/bash");
	DIFFERS(exe.interpreter_argument = NULL);
	DIFFERS(exe.fd = longer);
	DIFFERS(exe.interpreter_fd = longer);
	DIFFERS(directory = "/elsewhere");
	DIFFERS(timeout = 601);
	DIFFERS(input = "");
	DIFFERS(input_fd = longer);
	DIFFERS(policy = "/etc/policy 01");
	DIFFERS(output_mib = 65);
	DIFFERS(umask = 0);
	DIFFERS(limits.processes = 11);
	DIFFERS(limits.memory_mib = 21);
	DIFFERS(limits.file_mib = 1);
	DIFFERS(limits.files = 1);
	DIFFERS(limits.cpu_seconds = 1);
	DIFFERS(writable = 1);
	DIFFERS(sandbox = 0);
	DIFFERS(network = 1);
	DIFFERS(n_read = 1);
	DIFFERS(n_write = 2);
	assert_non_null(getcwd(here, sizeof here));
	assert_int_equal(chdir("/"), 0);
	digest_of(&plan, digest);
	assert_string_not_equal(digest, first);
	assert_int_equal(chdir(here), 0);
	assert_int_equal(pwrite(fd, "z", 1, 0), 1);
	digest_of(&plan, digest);
	assert_string_not_equal(digest, first);
	close(fd);
	close(longer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_damage), cmocka_unit_test(test_digest)};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
