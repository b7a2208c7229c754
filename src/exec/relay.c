#include "exec/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exec/visible.h"
#include "text/utf8.h"

enum {
	BLOCK = 1 << 16,
	/* So much a writable pipe takes without making us wait. */
	WRITE_MAX = 4096
};

static int same_file(int a, int b)
{
	struct stat x, y;

	return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

int relay_open(struct relay *r, unsigned long long most, int child[2], struct error *err)
{
	memset(r, 0, sizeof *r);
	r->most = most;
	r->n = same_file(STDOUT_FILENO, STDERR_FILENO) ? 1 : 2;
	child[0] = child[1] = -1;
	for (size_t i = 0; i < r->n; i++) {
		int ends[2];

		if (pipe2(ends, O_CLOEXEC) != 0)
			return error_set_errno(err, EXIT_FAILURE_OWN, "cannot make a pipe");
		fcntl(ends[0], F_SETFL, O_NONBLOCK);
		r->streams[i].from = ends[0];
		r->streams[i].to = i == 0 ? STDOUT_FILENO : STDERR_FILENO;
		r->streams[i].terminal = isatty(r->streams[i].to);
		child[i] = ends[1];
	}
	if (r->n == 1)
		child[1] = fcntl(child[0], F_DUPFD_CLOEXEC, 3);
	return 0;
}

static int pending(const struct relay_stream *s)
{
	return s->text.len > s->written;
}

nfds_t relay_poll(const struct relay *r, struct pollfd *fds)
{
	nfds_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct relay_stream *s = &r->streams[i];

		if (pending(s))
			fds[n++] = (struct pollfd){s->to, POLLOUT, 0};
		else if (s->from >= 0)
			fds[n++] = (struct pollfd){s->from, POLLIN, 0};
	}
	return n;
}

static void end_input(struct relay_stream *s)
{
	if (s->from >= 0)
		close(s->from);
	s->from = -1;
}

/* Nobody takes our output any more: the command is to notice that as we do. */
static void give_up(struct relay_stream *s)
{
	buf_clear(&s->text);
	s->written = 0;
	end_input(s);
}

static void write_some(struct relay_stream *s)
{
	while (pending(s)) {
		struct pollfd p = {s->to, POLLOUT, 0};
		size_t len = s->text.len - s->written;
		ssize_t n;

		if (poll(&p, 1, 0) <= 0)
			return;
		n = write(s->to, s->text.data + s->written, len < WRITE_MAX ? len : WRITE_MAX);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			return;
		if (n < 0) {
			give_up(s);
			return;
		}
		s->written += (size_t)n;
	}
	buf_clear(&s->text);
	s->written = 0;
}

static void pass(struct relay_stream *s, const char *text, size_t len, int last)
{
	if (s->terminal)
		relay_neutralise(s, text, len, last, &s->text);
	else
		buf_add(&s->text, text, len);
}

/* 1: beyond the bound. */
static int read_some(struct relay *r, struct relay_stream *s)
{
	char block[BLOCK];
	ssize_t n = read(s->from, block, sizeof block);
	int beyond = 0;

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 0;
	if (n <= 0) {
		pass(s, "", 0, 1);
		end_input(s);
		return 0;
	}
	if ((unsigned long long)n > r->most - r->bytes) {
		n = (ssize_t)(r->most - r->bytes);
		beyond = 1;
	}
	r->bytes += (unsigned long long)n;
	pass(s, block, (size_t)n, beyond);
	if (beyond)
		for (size_t i = 0; i < r->n; i++)
			end_input(&r->streams[i]);
	return beyond;
}

int relay_move(struct relay *r)
{
	int beyond = 0;

	for (size_t i = 0; i < r->n; i++) {
		struct relay_stream *s = &r->streams[i];

		write_some(s);
		if (!pending(s) && s->from >= 0)
			beyond |= read_some(r, s);
		write_some(s);
	}
	return beyond;
}

int relay_done(const struct relay *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->streams[i].from >= 0 || pending(&r->streams[i]))
			return 0;
	return 1;
}

void relay_close(struct relay *r)
{
	for (size_t i = 0; i < r->n; i++) {
		end_input(&r->streams[i]);
		buf_release(&r->streams[i].text);
	}
}

/* The character at text is cut off by the end of what has come. */
static int is_cut(const char *text, size_t len)
{
	unsigned char c = (unsigned char)text[0];
	size_t size = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc2 ? 2 : 1;

	if (size <= len || c > 0xf4)
		return 0;
	for (size_t i = 1; i < len; i++)
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			return 0;
	return 1;
}

static void add_character(struct relay_stream *s, const char *text, size_t size, struct buf *out)
{
	char c = size == 1 ? text[0] : 0;
	int after_cr = s->was_cr;

	s->was_cr = c == '\r';
	if (c == '\n' && after_cr)
		return;
	if (c == '\n' || c == '\r')
		buf_addc(out, '\n');
	else if (c == '\t' || visible_harmless(text, size))
		buf_add(out, text, size);
	else
		visible_plain(out, text, size);
}

void relay_neutralise(
	struct relay_stream *s, const char *text, size_t len, int last, struct buf *out)
{
	struct buf all = {0};
	size_t at = 0;

	buf_add(&all, s->partial, s->n_partial);
	buf_add(&all, text, len);
	s->n_partial = 0;
	while (at < all.len) {
		size_t size;

		if (!last && is_cut(all.data + at, all.len - at)) {
			s->n_partial = all.len - at;
			memcpy(s->partial, all.data + at, s->n_partial);
			break;
		}
		utf8_decode(all.data + at, all.len - at, &size);
		add_character(s, all.data + at, size, out);
		at += size;
	}
	buf_release(&all);
}
