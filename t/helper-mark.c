/*
 * helper-mark - leaves marks wherever it is executed, and tries to get out.  The attacks on
 * confirm-exec (t/077*) run it under the name "mark" (testdata/exec/mark.json): what ran, and
 * with which words, is in the file "ran" of its working directory; "<ran>" is its first line
 * of output.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

extern char **environ;

static void leave_mark(int argc, char **argv)
{
	FILE *f = fopen("ran", "a");

	for (int i = 0; f && i < argc; i++)
		fprintf(f, "%s\n", argv[i]);
	if (f)
		fclose(f);
	puts("<ran>");
	fflush(stdout);
}

static int say(const char *what, int done)
{
	printf("%s %s\n", what, done ? "DONE" : strerror(errno));
	return 0;
}

static int flood(const char *line)
{
	for (;;)
		if (puts(line) < 0)
			return 3;
}

static void __attribute__((noreturn)) bomb(void)
{
	for (;;) {
		if (fork() == 0)
			continue;
		usleep(10000);
	}
}

/* Leaves the group and session, twice, ignores what it can, and holds a lock as long as it
 * lives. */
static int orphan(void)
{
	int ends[2], fd;
	char c;

	if (pipe(ends) != 0)
		return 1;
	if (fork() != 0)
		return read(ends[0], &c, 1) != 1;
	for (int round = 0; round < 2; round++) {
		setsid();
		if (fork() != 0)
			_exit(0);
	}
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_IGN);
	fd = open("alive", O_WRONLY | O_CREAT, 0666);
	if (fd < 0 || flock(fd, LOCK_EX) != 0 || write(ends[1], "x", 1) != 1)
		_exit(1);
	for (;;)
		sleep(1);
}

static void __attribute__((noreturn)) stubborn(void)
{
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_IGN);
	puts("ignoring");
	fflush(stdout);
	for (;;)
		sleep(1);
}

/* Ways to the terminal of the person. */
static int terminal(void)
{
	static const char keys[] = "y\n";
	struct termios t;
	int n = 0;

	for (int fd = 0; fd < 3; fd++) {
		n += isatty(fd);
		n += ioctl(fd, TIOCSTI, keys) == 0;
		n += tcgetattr(fd, &t) == 0;
		n += ioctl(fd, TIOCSCTTY, 1) == 0;
	}
	n += open("/dev/tty", O_RDWR) >= 0;
	printf("terminal %s\n", n ? "OPEN" : "closed");
	return 0;
}

/* Ways further into the kernel. */
static int kernel(const char *what)
{
	if (strcmp(what, "unshare") == 0)
		return say(what, unshare(CLONE_NEWUSER) == 0);
	if (strcmp(what, "mount") == 0)
		return say(what, mount("none", "/mnt", "tmpfs", 0, NULL) == 0);
	if (strcmp(what, "remount") == 0)
		return say(what, mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL) == 0);
	if (strcmp(what, "chroot") == 0)
		return say(what, chroot("/mnt") == 0);
	if (strcmp(what, "ptrace") == 0)
		return say(what, ptrace(PTRACE_ATTACH, 1, NULL, NULL) == 0);
	if (strcmp(what, "keyring") == 0)
		return say(what, syscall(SYS_keyctl, 0, -3, 1) >= 0);
	if (strcmp(what, "bpf") == 0)
		return say(what, syscall(SYS_bpf, 0, NULL, 0) >= 0 || errno == EFAULT);
	if (strcmp(what, "uring") == 0)
		return say(what, syscall(SYS_io_uring_setup, 1, NULL) >= 0 || errno == EFAULT);
	if (strcmp(what, "clone3") == 0)
		return say(what, syscall(SYS_clone3, NULL, 0) >= 0 || errno == EINVAL);
	if (strcmp(what, "setuid") == 0)
		return say(what, prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0);
	if (strcmp(what, "clock") == 0)
		return say(what, sethostname("evil", 4) == 0);
	errno = EINVAL;
	return say(what, 0);
}

static int unix_socket(const char *path)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(a.sun_path, sizeof a.sun_path, "%s", path);
	return say("connect", connect(fd, (struct sockaddr *)&a, sizeof a) == 0);
}

static int write_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	return say("write", fd >= 0 && write(fd, "evil\n", 5) == 5);
}

static int change_mode(const char *path)
{
	struct stat st;

	return say("chmod", stat(path, &st) == 0 && chmod(path, st.st_mode & 07777) == 0);
}

static int read_file(const char *path)
{
	char text[64] = "";
	int fd = open(path, O_RDONLY);

	if (fd < 0 || read(fd, text, sizeof text - 1) < 0)
		return say("read", 0);
	printf("read DONE %s\n", text);
	return 0;
}

static int use_up(const char *what)
{
	if (strcmp(what, "memory") == 0) {
		size_t mib = 0;

		for (char *p; mib < 512 && (p = malloc(1 << 20)); mib++)
			memset(p, 1, 1 << 20);
		printf("memory %s\n", mib == 512 ? "ALL" : "bounded");
	} else if (strcmp(what, "file") == 0) {
		static char block[1 << 20];
		int fd = open("big", O_WRONLY | O_CREAT, 0666), mib = 0;

		signal(SIGXFSZ, SIG_IGN);
		while (mib < 8 && write(fd, block, sizeof block) == (ssize_t)sizeof block)
			mib++;
		printf("file %s\n", mib == 8 ? "ALL" : "bounded");
	} else if (strcmp(what, "files") == 0) {
		int n = 0;

		while (n < 200 && dup(1) >= 0)
			n++;
		printf("files %s\n", n == 200 ? "ALL" : "bounded");
	} else {
		for (;;)
			;
	}
	return 0;
}

static int show(void)
{
	char c;
	ssize_t n;
	mode_t mask = umask(0);

	for (char **e = environ; *e; e++)
		printf("env %s\n", *e);
	for (int fd = 3; fd < 1024; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			printf("fd %d\n", fd);
	printf("umask %03o\n", (unsigned)mask);
	fputs("input ", stdout);
	while ((n = read(0, &c, 1)) == 1)
		putchar(c);
	puts("");
	return 0;
}

/* Bytes from their hexadecimal digits, as they are. */
static int paint(const char *hex)
{
	for (; hex[0] && hex[1]; hex += 2) {
		char two[3] = {hex[0], hex[1], '\0'};

		putchar((int)strtol(two, NULL, 16));
	}
	putchar('\n');
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "", *last = argc > 1 ? argv[argc - 1] : "";

	if (argc < 2) {
		puts("1..0 # SKIP a helper of t/0770-attacks-words.sh");
		return 0;
	}
	leave_mark(argc, argv);
	if (strcmp(what, "flood") == 0)
		return flood(last);
	if (strcmp(what, "bomb") == 0)
		bomb();
	if (strcmp(what, "orphan") == 0)
		return orphan();
	if (strcmp(what, "stubborn") == 0)
		stubborn();
	if (strcmp(what, "terminal") == 0)
		return terminal();
	if (strcmp(what, "kernel") == 0)
		return kernel(last);
	if (strcmp(what, "connect") == 0)
		return unix_socket(last);
	if (strcmp(what, "write") == 0)
		return write_file(last);
	if (strcmp(what, "chmod") == 0)
		return change_mode(last);
	if (strcmp(what, "read") == 0)
		return read_file(last);
	if (strcmp(what, "use-up") == 0)
		return use_up(last);
	if (strcmp(what, "show") == 0)
		return show();
	if (strcmp(what, "paint") == 0)
		return paint(last);
	if (strcmp(what, "exit") == 0)
		return atoi(last);
	if (strcmp(what, "signal") == 0)
		return raise(atoi(last)) + 99;
	if (strcmp(what, "kill") == 0)
		return say("kill", kill(atoi(last), SIGTERM) == 0);
	return 0;
}
