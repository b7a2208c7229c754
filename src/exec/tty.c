#include "exec/tty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum {
	ANSWER_MAX = 64
};

int tty_open(struct error *err)
{
	int tty = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (tty < 0)
		return error_set_errno(
			err, EXIT_REFUSED, "there is no terminal to ask a person on: /dev/tty");
	return tty;
}

int tty_write(int tty, const char *text, size_t len, struct error *err)
{
	while (len > 0) {
		ssize_t n = write(tty, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_set_errno(err, EXIT_REFUSED, "cannot write to the terminal");
		text += n;
		len -= (size_t)n;
	}
	return 0;
}

void tty_size(int tty, unsigned *lines, unsigned *columns)
{
	struct winsize size = {0};

	ioctl(tty, TIOCGWINSZ, &size);
	*lines = size.ws_row;
	*columns = size.ws_col;
}

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static const int noes[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/* Waits for input with the signals let in: 1; 0 when it is too late; -1 with errno.
 * Where the caller blocks them, none can come unnoticed just before the wait. */
static int wait_for_input(int tty, double deadline)
{
	struct pollfd p = {tty, POLLIN, 0};
	double left = deadline - seconds_now();
	struct timespec t = {0, 0};
	sigset_t mask, pending;
	int ready;

	if (left > 0) {
		t.tv_sec = (time_t)left;
		t.tv_nsec = (long)((left - (double)t.tv_sec) * 1e9);
	}
	sigprocmask(SIG_SETMASK, NULL, &mask);
	for (size_t i = 0; i < sizeof noes / sizeof *noes; i++)
		sigdelset(&mask, noes[i]);
	ready = ppoll(&p, 1, &t, &mask);
	/* Where there was input as well, ppoll() has let none of them in. */
	sigpending(&pending);
	for (size_t i = 0; i < sizeof noes / sizeof *noes; i++) {
		if (!sigismember(&pending, noes[i]))
			continue;
		errno = EINTR;
		ready = -1;
	}
	return ready;
}

/* Reads up to the end of the line, one byte at a time: what comes behind it
 * belongs to someone else. */
static int read_line(int tty, double deadline, struct buf *answer, struct error *err)
{
	char c = '\0';

	for (;;) {
		int ready = wait_for_input(tty, deadline);
		ssize_t n = ready <= 0 ? ready : read(tty, &c, 1);

		if (ready == 0)
			return TTY_LATE;
		if (n == 0 || (n < 0 && (errno == EINTR || errno == EIO)))
			return TTY_NO;
		if (n < 0)
			return error_set_errno(err, EXIT_REFUSED, "cannot read from the terminal");
		if (c == '\n' || c == '\r')
			return answer->len > ANSWER_MAX ? TTY_NO : 0;
		if (answer->len <= ANSWER_MAX)
			buf_addc(answer, c);
	}
}

int tty_ask(int tty, const char *question, int seconds, struct buf *answer, struct error *err)
{
	struct termios saved, line;
	size_t len = 0;
	int result;

	buf_clear(answer);
	if (tcgetattr(tty, &saved) != 0)
		return error_set_errno(err, EXIT_REFUSED, "/dev/tty is no terminal");
	line = saved;
	line.c_iflag |= ICRNL;
	line.c_iflag &= ~(tcflag_t)(IGNCR | INLCR);
	line.c_lflag |= ICANON | ECHO | ECHOE | ECHOK | ISIG;
	line.c_oflag |= OPOST | ONLCR;
	/* Waits for the output to be shown, then discards unread input: an answer
	 * given before the question is none. */
	if (tcsetattr(tty, TCSAFLUSH, &line) != 0 || tcflush(tty, TCIFLUSH) != 0)
		return error_set_errno(err, EXIT_REFUSED, "cannot prepare the terminal");
	while (question[len])
		len++;
	result = tty_write(tty, question, len, err);
	if (result == 0)
		result = read_line(tty, seconds_now() + seconds, answer, err);
	/* What is left of the line is not for those who come after us. */
	if (result != 0)
		tcflush(tty, TCIFLUSH);
	if (tcsetattr(tty, TCSANOW, &saved) != 0 && result == 0)
		result = error_set_errno(err, EXIT_REFUSED, "cannot restore the terminal");
	return result;
}
