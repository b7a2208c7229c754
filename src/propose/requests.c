#include "propose/requests.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The first bytes of a pipe, by duplicating them into another one. */
static ssize_t peek_pipe(char *bytes, size_t size)
{
	int ends[2];
	ssize_t n;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	do
		n = tee(STDIN_FILENO, ends[1], size, 0);
	while (n < 0 && errno == EINTR);
	if (n > 0)
		n = read(ends[0], bytes, size);
	close(ends[0]);
	close(ends[1]);
	return n;
}

static ssize_t peek(char *bytes, size_t size)
{
	off_t at = lseek(STDIN_FILENO, 0, SEEK_CUR);
	ssize_t n;

	if (at >= 0)
		return pread(STDIN_FILENO, bytes, size, at);
	n = recv(STDIN_FILENO, bytes, size, MSG_PEEK);
	return n >= 0 || errno != ENOTSOCK ? n : peek_pipe(bytes, size);
}

/* A zstd frame or a skippable frame: RFC 8878, 3.1.1 and 3.1.2. */
static int is_zstd(const char *bytes, size_t n)
{
	const unsigned char *b = (const unsigned char *)bytes;

	if (n < 4)
		return 0;
	return memcmp(bytes, "\x28\xb5\x2f\xfd", 4) == 0 ||
	       ((b[0] & 0xf0) == 0x50 && memcmp(b + 1, "\x2a\x4d\x18", 3) == 0);
}

int input_kind(enum input_kind *kind, struct error *err)
{
	char bytes[512];
	size_t blanks = 0;
	ssize_t n;

	*kind = INPUT_PERSON;
	if (isatty(STDIN_FILENO))
		return 0;
	n = peek(bytes, sizeof bytes);
	if (n < 0)
		return error_set_errno(err, EXIT_IO, "standard input");
	while (blanks < (size_t)n && strchr(" \t\r\n", bytes[blanks]) && bytes[blanks])
		blanks++;
	if (is_zstd(bytes, (size_t)n) || (blanks < (size_t)n && bytes[blanks] == '{'))
		*kind = INPUT_RECORDS;
	else
		*kind = INPUT_LINES;
	return 0;
}

int request_line(struct buf *line, struct error *err)
{
	int c;

	buf_clear(line);
	while ((c = getc_unlocked(stdin)) != EOF && c != '\n') {
		if (line->len == REQUEST_LINE_MAX)
			return error_set(err, EXIT_DATA,
				"standard input: a line is longer than %d MiB",
				REQUEST_LINE_MAX >> 20);
		buf_addc(line, (char)c);
	}
	if (ferror(stdin))
		return error_set_errno(err, EXIT_IO, "standard input");
	if (c == EOF && line->len == 0)
		return 0;
	if (line->len && line->data[line->len - 1] == '\r')
		line->data[--line->len] = '\0';
	return 1;
}
