/*
 * 0780-audit.c - the audit log: whatever is done to its files afterwards is found, it
 * goes on through files of a size and among processes, and a crash or a full disk at
 * any step leaves a log that holds.
 */
#include "tap.h"

#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

#include "exec/audit.h"
#include "exec/audit_head.h"
#include "stream/file.h"

static char dir[64], path[128], head_path[160], moved[160];

static int make_dir(void **state)
{
	(void)state;
	snprintf(dir, sizeof dir, "build/audit-test-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof path, "%s/log", dir);
	snprintf(head_path, sizeof head_path, "%s/log.head", dir);
	snprintf(moved, sizeof moved, "%s/moved", dir);
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	return directory_remove(dir, NULL);
}

/* A new entry of about that many bytes. */
static json_t *entry(const char *what, size_t bytes)
{
	char *text = xmalloc(bytes + 1);
	json_t *json;

	memset(text, 'x', bytes);
	text[bytes] = '\0';
	json = json_pack("{s:s, s:s}", "event", what, "filler", text);
	free(text);
	return json;
}

static void append(int n, size_t bytes, long long limit)
{
	struct error err;
	struct audit *log = audit_open(path, &err);

	if (!log)
		fail_msg("%s", err.message);
	audit_limit(log, limit);
	for (int i = 0; i < n; i++)
		if (audit_append(log, entry("test", bytes), &err) != 0)
			fail_msg("%s", err.message);
	audit_close(log);
}

static void holds(long long want)
{
	struct error err;
	long long entries;
	char last[65];

	if (audit_verify(path, &entries, last, &err) != 0)
		fail_msg("%s", err.message);
	assert_int_equal(entries, want);
}

/* The log is found damaged: its message says so; nothing is added to it where that
 * can be seen at its end. */
static void broken(const char *why, int end)
{
	struct error err;
	long long entries;
	char last[65];
	struct audit *log;

	assert_int_equal(audit_verify(path, &entries, last, &err), -1);
	assert_int_equal(err.code, EXIT_DATA);
	if (!strstr(err.message, why))
		fail_msg("%s", err.message);
	if (!end)
		return;
	log = audit_open(path, &err);
	assert_null(log);
	assert_int_equal(err.code, EXIT_FAILURE_OWN);
}

static void read_all(const char *name, struct buf *out)
{
	struct error err;

	buf_clear(out);
	assert_int_equal(file_read(name, SIZE_MAX / 2, out, &err), 0);
}

static void write_all_of(const char *name, const void *data, size_t len)
{
	FILE *f = fopen(name, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	fclose(f);
}

/* Lines as offsets: line i is text[at[i]..at[i + 1]). */
static int lines_of(const struct buf *text, size_t at[64])
{
	int n = 0;

	at[0] = 0;
	for (size_t i = 0; i < text->len; i++)
		if (text->data[i] == '\n')
			at[++n] = i + 1;
	return n;
}

/* Writes the lines in that order; -1 ends it. */
static void reorder(const struct buf *text, const int *order)
{
	struct buf out = {0};
	size_t at[64];

	lines_of(text, at);
	for (int i = 0; order[i] >= 0; i++)
		buf_add(&out, text->data + at[order[i]], at[order[i] + 1] - at[order[i]]);
	write_all_of(path, out.data ? out.data : "", out.len);
	buf_release(&out);
}

static void new_log_holds(void **state)
{
	(void)state;
	append(0, 0, AUDIT_FILE_BYTES);
	holds(0);
	append(1, 10, AUDIT_FILE_BYTES);
	append(2, 10, AUDIT_FILE_BYTES);
	holds(3);
}

static void any_other_order_is_found(void **state)
{
	static const int orders[][8] = {{1, 2, 3, 4, 5, -1}, {0, 2, 3, 4, 5, -1},
		{0, 1, 2, 4, 5, -1}, {1, 0, 2, 3, 4, 5, -1}, {0, 1, 2, 3, 5, 4, -1},
		{0, 0, 1, 2, 3, 4, 5, -1}, {0, 1, 2, 3, 4, 5, 5, -1}, {0, 1, 2, 3, 4, -1},
		{0, 1, 2, -1}, {0, -1}, {-1}};
	struct buf text = {0};

	(void)state;
	append(6, 10, AUDIT_FILE_BYTES);
	read_all(path, &text);
	for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
		reorder(&text, orders[i]);
		broken("", 0);
	}
	/* The end missing is seen when the log is opened, too. */
	for (size_t i = 7; i < sizeof orders / sizeof *orders; i++) {
		reorder(&text, orders[i]);
		broken("its end is missing", 1);
	}
	write_all_of(path, text.data, text.len);
	holds(6);
	buf_release(&text);
}

static void any_changed_byte_is_found(void **state)
{
	struct buf text = {0};

	(void)state;
	append(3, 5, AUDIT_FILE_BYTES);
	read_all(path, &text);
	for (size_t i = 0; i < text.len; i++) {
		text.data[i] ^= 1;
		write_all_of(path, text.data, text.len);
		broken("", 0);
		text.data[i] ^= 1;
	}
	/* Half of the last line, and bytes behind it. */
	write_all_of(path, text.data, text.len - 3);
	broken("unfinished", 1);
	buf_adds(&text, "{}\n");
	write_all_of(path, text.data, text.len);
	broken("", 1);
	buf_release(&text);
}

static void head_is_needed(void **state)
{
	struct buf head = {0};

	(void)state;
	append(2, 5, AUDIT_FILE_BYTES);
	read_all(head_path, &head);
	assert_int_equal(unlink(head_path), 0);
	broken("whether its end is there cannot be told", 1);
	assert_int_equal(unlink(head_path), 0); /* made by that attempt, and empty */
	for (size_t i = 0; i + 1 < head.len; i += 7) {
		head.data[i] ^= 1;
		write_all_of(head_path, head.data, head.len);
		broken("head", 1);
		head.data[i] ^= 1;
	}
	write_all_of(head_path, head.data, head.len);
	holds(2);
	/* The whole log gone. */
	assert_int_equal(rename(path, moved), 0);
	write_all_of(path, "", 0);
	broken("its end is missing: 0 entries of 2", 1);
	buf_release(&head);
}

static void files_of_a_size_are_one_chain(void **state)
{
	struct buf text = {0};
	char first[160], second[160];
	struct stat st;
	int n;

	(void)state;
	append(10, 300, 1000);
	holds(10);
	n = audit_rotated_count(path);
	assert_int_equal(n, 3); /* of three lines of about 470 bytes: the third makes it full */
	snprintf(first, sizeof first, "%s.1", path);
	snprintf(second, sizeof second, "%s.2", path);
	assert_int_equal(stat(second, &st), 0);
	assert_true(st.st_size >= 1000 && st.st_size < 2000);
	append(1, 300, 1000);
	holds(11);
	/* A whole part taken away, or changed for another. */
	assert_int_equal(rename(second, moved), 0);
	broken(":1: the chain is broken", 0);
	assert_int_equal(rename(moved, second), 0);
	assert_int_equal(rename(first, moved), 0);
	broken(":1: the chain is broken", 0);
	assert_int_equal(rename(moved, first), 0);
	read_all(first, &text);
	text.data[50] ^= 1;
	write_all_of(first, text.data, text.len);
	broken("", 0);
	text.data[50] ^= 1;
	write_all_of(first, text.data, text.len);
	holds(11);
	/* A crash right after the renaming. */
	snprintf(moved, sizeof moved, "%s.%d", path, audit_rotated_count(path) + 1);
	assert_int_equal(rename(path, moved), 0);
	append(1, 10, 1000);
	holds(12);
	buf_release(&text);
}

/* What a crash leaves between the steps of an append. */
static void crash_between_steps(void **state)
{
	struct buf head = {0}, before = {0}, after = {0};
	struct audit_head h;
	struct error err;
	int fd;

	(void)state;
	append(2, 5, AUDIT_FILE_BYTES);
	read_all(path, &before);
	read_all(head_path, &head);
	append(1, 5, AUDIT_FILE_BYTES);
	read_all(path, &after);
	fd = audit_head_open(path, 1, &err);
	assert_true(fd >= 0);
	assert_int_equal(audit_head_read(fd, &h, &err), 0);
	assert_int_equal(h.entries, 3);
	/* The head named the third line, and it came. */
	memcpy(h.next, h.last, sizeof h.next);
	h.entries = 2;
	char *last_of_two = strstr(head.data, "\"last\":\"") + 8;
	memcpy(h.last, last_of_two, 64);
	assert_int_equal(audit_head_write(fd, &h, &err), 0);
	holds(3);
	append(1, 5, AUDIT_FILE_BYTES);
	holds(4);
	/* It did not come. */
	write_all_of(path, before.data, before.len);
	assert_int_equal(audit_head_write(fd, &h, &err), 0);
	holds(2);
	append(1, 5, AUDIT_FILE_BYTES);
	holds(3);
	/* Another one came. */
	assert_int_equal(audit_head_write(fd, &h, &err), 0);
	broken("its end was changed", 1);
	/* It came, but nothing was to come. */
	write_all_of(path, after.data, after.len);
	h.next[0] = '\0';
	assert_int_equal(audit_head_write(fd, &h, &err), 0);
	broken("its end was changed", 1);
	close(fd);
	buf_release(&head);
	buf_release(&before);
	buf_release(&after);
}

static void processes_share_one_chain(void **state)
{
	enum {
		PROCESSES = 6,
		EACH = 25
	};
	int status;

	(void)state;
	for (int i = 0; i < PROCESSES; i++)
		if (fork() == 0) {
			struct error err;
			struct audit *log = audit_open(path, &err);
			int failed = !log;

			if (log)
				audit_limit(log, 2000);
			for (int k = 0; k < EACH && !failed; k++)
				failed = audit_append(log, entry("process", 100), &err) != 0;
			if (failed)
				print_message("# %s\n", err.message);
			audit_close(log);
			_exit(failed);
		}
	for (int i = 0; i < PROCESSES; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	holds(PROCESSES * EACH);
	assert_true(audit_rotated_count(path) > 10);
}

/* Entries of a log that holds, and goes on; nothing where there is neither log nor head. */
static long long holds_and_goes_on(void)
{
	struct error err;
	long long entries = 0;
	char last[65];

	if (access(path, F_OK) == 0 || access(head_path, F_OK) == 0)
		if (audit_verify(path, &entries, last, &err) != 0)
			fail_msg("%s", err.message);
	append(1, 10, AUDIT_FILE_BYTES);
	holds(entries + 1);
	return entries;
}

/* kill -9 at any moment leaves a log that holds and goes on. */
static void killed_at_any_moment(void **state)
{
	struct error err;
	long long entries = 1;

	(void)state;
	append(1, 10, AUDIT_FILE_BYTES);
	for (int i = 0; i < 40; i++) {
		int said[2], status;
		char byte;
		pid_t child;

		assert_int_equal(pipe(said), 0);
		child = fork();
		if (child == 0) {
			struct audit *log = audit_open(path, &err);

			audit_limit(log, 3000);
			for (;;)
				if (audit_append(log, entry("killed", 100), &err) == 0 &&
					write(said[1], "x", 1) != 1)
					_exit(1);
		}
		close(said[1]);
		/* However slow the machine is, it has begun. */
		assert_int_equal(read(said[0], &byte, 1), 1);
		usleep((useconds_t)(i * 97));
		assert_int_equal(kill(child, SIGKILL), 0);
		assert_int_equal(waitpid(child, &status, 0), child);
		close(said[0]);
		const long long before = entries;

		entries = holds_and_goes_on() + 1;
		assert_true(entries > before + 1);
	}
}

/* Three entries, a file for each two, where files may grow to `room` bytes only; 0: as
 * they like.  In a child that its parent traces. */
static void be_killed(rlim_t room)
{
	struct rlimit limit = {room, room};
	struct error err;
	struct audit *log;

	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
		_exit(77);
	signal(SIGXFSZ, SIG_IGN);
	if (room)
		setrlimit(RLIMIT_FSIZE, &limit);
	raise(SIGSTOP);
	log = audit_open(path, &err);
	if (log)
		audit_limit(log, 500);
	for (int i = 0; log && i < 3; i++)
		audit_append(log, entry("killed", 100), &err);
	audit_close(log);
	_exit(0);
}

/* Lets the child go to the n-th system call from its stop on, and kills it before that
 * is made: 0 where it has ended before. */
static int kill_at_call(pid_t child, int n)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	assert_true(WIFSTOPPED(status));
	ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)(PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD));
	/* A call stops twice: before it, and behind it. */
	for (int stops = 0; stops < 2 * n + 1;) {
		assert_int_equal(ptrace(PTRACE_SYSCALL, child, NULL, NULL), 0);
		assert_int_equal(waitpid(child, &status, 0), child);
		if (WIFEXITED(status))
			return 0;
		stops += WSTOPSIG(status) == (SIGTRAP | 0x80);
	}
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status);
}

/* The same before each of its system calls, with room and where the disk is full: then a
 * part of a line may be written. */
static void killed_at_every_call(void **state)
{
	static const rlim_t rooms[] = {0, 300, 500};
	long long most = 0;
	int calls = 0;

	(void)state;
	for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
		for (int n = 0, alive = 1; alive; n++) {
			pid_t child = fork();
			long long entries;

			if (child == 0)
				be_killed(rooms[i]);
			alive = kill_at_call(child, n);
			entries = holds_and_goes_on();
			most = entries > most ? entries : most;
			calls += alive;
			assert_int_equal(directory_remove(dir, NULL), 0);
			assert_int_equal(make_dir(NULL), 0);
		}
	print_message("# killed before each of %d system calls\n", calls);
	assert_true(calls > 100 && most == 3);
}

/* An append that fails for want of room: in a child, for the limit cannot be raised. */
static int append_with_room(off_t room, struct error *err)
{
	struct rlimit limit = {(rlim_t)room, (rlim_t)room};
	int status;
	pid_t child = fork();

	if (child == 0) {
		struct audit *log;

		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &limit);
		log = audit_open(path, err);
		status = !log || audit_append(log, entry("full", 200), err) != 0;
		audit_close(log);
		_exit(status ? err->code : 0);
	}
	assert_true(waitpid(child, &status, 0) == child && WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void full_disk_at_any_byte(void **state)
{
	struct error err;
	struct stat st;
	long long entries = 2;

	(void)state;
	append(2, 200, AUDIT_FILE_BYTES);
	assert_int_equal(stat(path, &st), 0);
	for (off_t room = 0; room <= st.st_size + 800; room += 37) {
		int code = append_with_room(room, &err);

		assert_true(code == 0 || code == EXIT_FAILURE_OWN);
		entries += code == 0;
		holds(entries);
		if (entries == 3)
			break;
	}
	assert_int_equal(entries, 3);
	append(1, 10, AUDIT_FILE_BYTES);
	holds(4);
}

static void log_of_others_is_refused(void **state)
{
	struct error err;

	(void)state;
	append(1, 10, AUDIT_FILE_BYTES);
	for (int i = 0; i < 2; i++) {
		const char *name = i ? head_path : path;

		assert_int_equal(chmod(name, 0622), 0);
		assert_null(audit_open(path, &err));
		assert_non_null(strstr(err.message, "someone else"));
		assert_int_equal(chmod(name, 0600), 0);
	}
	assert_int_equal(rename(head_path, moved), 0);
	assert_int_equal(symlink("moved", head_path), 0);
	assert_null(audit_open(path, &err));
	assert_int_equal(unlink(head_path), 0);
	assert_int_equal(mkfifo(head_path, 0600), 0);
	assert_null(audit_open(path, &err));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_dir, remove_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(new_log_holds), TEST(any_other_order_is_found),
		TEST(any_changed_byte_is_found), TEST(head_is_needed),
		TEST(files_of_a_size_are_one_chain), TEST(crash_between_steps),
		TEST(processes_share_one_chain), TEST(killed_at_any_moment),
		TEST(killed_at_every_call), TEST(full_disk_at_any_byte),
		TEST(log_of_others_is_refused)};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
