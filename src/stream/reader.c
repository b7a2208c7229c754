/*
 * reader.c - bytes to lines to records.
 *
 * Nothing waits for a full block: whatever read(2) gives is decompressed and cut
 * into lines at once, so that programs can be joined in a loop through pipes.
 */
#include "stream/jsonl.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "stream/publish.h"

enum {
	BLOCK = 1 << 17,
	MAGIC_SIZE = 4
};

enum state {
	AT_START,     /* of the input: nothing is known */
	AT_FRAME_END, /* another frame, text, or the end may follow */
	IN_FRAME,
	IN_TEXT,
	AT_END,
};

struct jsonl_reader {
	int fd;
	char *name;
	enum state state;
	ZSTD_DCtx *zstd;
	char *raw; /* BLOCK bytes as read; raw_pos to raw_len are not yet used */
	size_t raw_pos, raw_len;
	uint64_t raw_offset;  /* of raw in the input */
	int raw_end;	      /* read(2) said end of file */
	struct buf text;      /* decompressed; pos to len are not yet taken */
	size_t pos, searched; /* no line end before searched */
	int output_full;      /* the decompressor may hold more text */
	long line;
	int broken;
	struct error failure; /* why, once broken */
};

static int broken(struct jsonl_reader *in, enum exit_code code, const char *what)
{
	uint64_t at = in->raw_offset + in->raw_pos;

	in->broken = 1;
	return error_set(&in->failure, code, "%s: %s (byte %llu of the input, after line %ld)",
		in->name, what, (unsigned long long)at, in->line);
}

struct jsonl_reader *jsonl_open(const char *path, struct error *err)
{
	int standard = !path || strcmp(path, "-") == 0;
	int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	struct jsonl_reader *in;
	struct stat status;

	if (fd < 0) {
		error_set_errno(err, EXIT_NOINPUT, "cannot open '%s'", path);
		return NULL;
	}
	if (fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
		error_set(err, EXIT_NOINPUT, "'%s' is a directory, not a file of records",
			standard ? "standard input" : path);
		if (!standard)
			close(fd);
		return NULL;
	}
	in = xcalloc(1, sizeof *in);
	in->fd = fd;
	in->name = xstrdup(standard ? "standard input" : path);
	in->raw = xmalloc(BLOCK);
	return in;
}

void jsonl_close(struct jsonl_reader *in)
{
	if (!in)
		return;
	if (in->fd != STDIN_FILENO)
		close(in->fd);
	ZSTD_freeDCtx(in->zstd);
	free(in->raw);
	free(in->name);
	buf_release(&in->text);
	free(in);
}

const char *jsonl_name(const struct jsonl_reader *in)
{
	return in->name;
}

int jsonl_pending(const struct jsonl_reader *in)
{
	return in->text.len > in->pos &&
	       memchr(in->text.data + in->pos, '\n', in->text.len - in->pos) != NULL;
}

/* One read(2) behind what is left of the last one.  0, or -1. */
static int read_block(struct jsonl_reader *in)
{
	ssize_t n;

	in->raw_offset += in->raw_pos;
	in->raw_len -= in->raw_pos;
	memmove(in->raw, in->raw + in->raw_pos, in->raw_len);
	in->raw_pos = 0;
	do
		n = read(in->fd, in->raw + in->raw_len, BLOCK - in->raw_len);
	while (n < 0 && (errno == EINTR || wait_ready(in->fd, POLLIN)));
	if (n < 0) {
		in->broken = 1;
		return error_set_errno(&in->failure, EXIT_IO, "%s: cannot read after line %ld",
			in->name, in->line);
	}
	in->raw_end = n == 0;
	in->raw_len += (size_t)n;
	return 0;
}

/* Whether the n bytes are the beginning of a zstd or a skippable frame. */
static int is_magic(const char *data, size_t n)
{
	const unsigned char *p = (const unsigned char *)data;
	static const unsigned char frame[] = {0x28, 0xb5, 0x2f, 0xfd};
	static const unsigned char skippable[] = {0x50, 0x2a, 0x4d, 0x18};

	if (n > MAGIC_SIZE)
		n = MAGIC_SIZE;
	if (memcmp(p, frame, n) == 0)
		return 1;
	return n && (p[0] & 0xf0) == skippable[0] && memcmp(p + 1, skippable + 1, n - 1) == 0;
}

static const char *foreign_format(const char *data, size_t n)
{
	if (n >= 2 && memcmp(data, "\x1f\x8b", 2) == 0)
		return "this is gzip data; unpack it by zcat";
	if (n >= 4 && memcmp(data,
			      "\xfd"
			      "7zX",
			      4) == 0)
		return "this is xz data; unpack it by xzcat";
	if (n >= 2 && (memcmp(data, "\xff\xfe", 2) == 0 || memcmp(data, "\xfe\xff", 2) == 0))
		return "this is UTF-16 text; convert it by iconv -t UTF-8";
	return NULL;
}

/* Decides what the next bytes are; needs four of them, or the end. */
static int detect(struct jsonl_reader *in)
{
	const char *data = in->raw + in->raw_pos;
	size_t n = in->raw_len - in->raw_pos;
	const char *foreign;

	if (n < MAGIC_SIZE && !in->raw_end && (!n || is_magic(data, n)))
		return read_block(in);
	if (!n) {
		in->state = AT_END;
		return 0;
	}
	if (n >= MAGIC_SIZE && is_magic(data, n)) {
		if (!in->zstd)
			in->zstd = ZSTD_createDCtx();
		if (!in->zstd)
			die(EXIT_INTERNAL, "out of memory (zstd)");
		ZSTD_DCtx_reset(in->zstd, ZSTD_reset_session_only);
		in->state = IN_FRAME;
		return 0;
	}
	if (n > 1 && is_magic(data, n)) {
		in->raw_pos = in->raw_len;
		return broken(in, EXIT_DATA, "truncated zstd stream");
	}
	if (in->state == AT_FRAME_END && (!*data || !strchr("{ \t\r\n", *data)))
		return broken(in, EXIT_DATA, "what follows a zstd frame is neither zstd nor text");
	foreign = in->state == AT_START ? foreign_format(data, n) : NULL;
	if (foreign)
		return broken(in, EXIT_DATA, foreign);
	if (in->state == AT_START && n >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0)
		in->raw_pos += 3;
	in->state = IN_TEXT;
	return 0;
}

static int take_text(struct jsonl_reader *in)
{
	if (in->raw_pos == in->raw_len) {
		if (in->raw_end)
			in->state = AT_END;
		else
			return read_block(in);
		return 0;
	}
	buf_add(&in->text, in->raw + in->raw_pos, in->raw_len - in->raw_pos);
	in->raw_pos = in->raw_len;
	return 0;
}

static int take_frame(struct jsonl_reader *in)
{
	ZSTD_outBuffer out;
	ZSTD_inBuffer packed;
	size_t left;

	if (in->raw_pos == in->raw_len && !in->output_full) {
		if (in->raw_end)
			return broken(in, EXIT_DATA, "truncated zstd stream");
		return read_block(in);
	}
	buf_reserve(&in->text, BLOCK);
	out = (ZSTD_outBuffer){in->text.data + in->text.len, BLOCK, 0};
	packed = (ZSTD_inBuffer){in->raw + in->raw_pos, in->raw_len - in->raw_pos, 0};
	left = ZSTD_decompressStream(in->zstd, &out, &packed);
	in->raw_pos += packed.pos;
	if (ZSTD_isError(left)) {
		char what[200];

		snprintf(what, sizeof what, "corrupt zstd stream: %s", ZSTD_getErrorName(left));
		return broken(in, EXIT_DATA, what);
	}
	in->text.len += out.pos;
	in->text.data[in->text.len] = '\0';
	in->output_full = left != 0 && out.pos == BLOCK;
	if (left == 0)
		in->state = AT_FRAME_END;
	return 0;
}

/* Gets more text, or finds the end.  0, or -1 where the stream is broken. */
static int fill(struct jsonl_reader *in)
{
	/* Move what is left to the front, but not for every block of a long line. */
	if (in->pos && in->pos >= in->text.len / 2) {
		in->text.len -= in->pos;
		memmove(in->text.data, in->text.data + in->pos, in->text.len);
		in->searched -= in->pos;
		in->pos = 0;
	}
	switch (in->state) {
	case AT_START:
	case AT_FRAME_END:
		return detect(in);
	case IN_FRAME:
		return take_frame(in);
	case IN_TEXT:
		return take_text(in);
	default:
		return 0;
	}
}

/* Finds the next line: 1, 0 at the end, -1 where the stream is broken. */
static int next_line(struct jsonl_reader *in, const char **line, size_t *len)
{
	for (;;) {
		char *from = in->text.data, *lf = NULL;

		if (in->text.len > in->searched)
			lf = memchr(from + in->searched, '\n', in->text.len - in->searched);
		in->searched = lf ? (size_t)(lf - from) : in->text.len;
		if (in->searched - in->pos > JSONL_LINE_MAX)
			return broken(in, EXIT_DATA, "a line is longer than 256 MiB");
		if (lf || (in->state == AT_END && in->pos < in->text.len)) {
			*line = from + in->pos;
			*len = in->searched - in->pos;
			in->pos = in->searched = in->searched + (lf != NULL);
			in->line++;
			return 1;
		}
		if (in->state == AT_END)
			return 0;
		if (fill(in) != 0)
			return -1;
	}
}

static int is_blank(const char *line, size_t len)
{
	while (len && (*line == ' ' || *line == '\t' || *line == '\r'))
		line++, len--;
	return !len;
}

int jsonl_read(struct jsonl_reader *in, struct record *r, struct error *err)
{
	struct error fault;
	const char *line = "";
	size_t len = 0;
	int rc;

	do {
		rc = in->broken ? -1 : next_line(in, &line, &len);
		if (rc < 0) {
			if (err)
				*err = in->failure;
			return -2;
		}
		if (rc == 0)
			return 0;
	} while (is_blank(line, len));
	if (len && line[len - 1] == '\r')
		len--;
	rc = record_parse(r, line, len, &fault);
	r->file = in->name;
	r->line = in->line;
	if (rc == 0)
		return 1;
	return error_set(err, fault.code, "%s:%ld: %s", in->name, in->line, fault.message);
}
