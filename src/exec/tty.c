#include "exec/tty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

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

/* Waits for input with SIGINT and SIGTERM let in: 0, or -1 with errno.  Where the
 * caller blocks them, none can come unnoticed just before the wait. */
static int wait_for_input(int tty)
{
	struct pollfd p = {tty, POLLIN, 0};
	sigset_t mask;

	sigprocmask(SIG_SETMASK, NULL, &mask);
	sigdelset(&mask, SIGINT);
	sigdelset(&mask, SIGTERM);
	return ppoll(&p, 1, NULL, &mask) < 0 ? -1 : 0;
}

/* Reads up to the end of the line, one byte at a time: what comes behind it
 * belongs to someone else. */
static int read_line(int tty, struct buf *answer, struct error *err)
{
	char c;

	for (;;) {
		ssize_t n = wait_for_input(tty);

		if (n == 0)
			n = read(tty, &c, 1);
		if (n == 0 || (n < 0 && errno == EINTR))
			return 1;
		if (n < 0)
			return error_set_errno(err, EXIT_REFUSED, "cannot read from the terminal");
		if (c == '\n' || c == '\r')
			return 0;
		if (answer->len < 4096)
			buf_addc(answer, c);
	}
}

int tty_ask(int tty, const char *question, struct buf *answer, struct error *err)
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
		result = read_line(tty, answer, err);
	if (tcsetattr(tty, TCSANOW, &saved) != 0 && result == 0)
		result = error_set_errno(err, EXIT_REFUSED, "cannot restore the terminal");
	return result;
}
