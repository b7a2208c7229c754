/*
 * writer.c - records to zstd or plain text.
 *
 * A zstd output begins with the four magic bytes at once, before anything was
 * compressed: a program that dies with its records still in memory leaves a
 * broken frame, which the next program refuses, not an empty file.
 */
#include "stream/jsonl.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "stream/publish.h"

enum {
	BLOCK = 1 << 16, /* text collected before it is compressed */
	LEVEL = 1,	 /* costs less time than the parsing */
	MAGIC_SIZE = 4,
};

struct jsonl_writer {
	struct publish file; /* file.path is NULL for standard output */
	int fd;
	int terminal;	 /* show each record at once */
	ZSTD_CCtx *zstd; /* NULL: plain text */
	struct buf text; /* not yet compressed or written */
	char *packed;
	size_t packed_size, skip; /* magic bytes that are already out */
	struct error failure;	  /* the first one: nothing is written after it */
	int failed;
};

static int write_out(struct jsonl_writer *out, const void *data, size_t len, struct error *err)
{
	if (write_all(out->fd, data, len) == 0)
		return 0;
	return error_set_errno(err, EXIT_IO, "cannot write %s",
		out->file.path ? out->file.path : "standard output");
}

/* Compresses and writes all collected text. */
static int compress_text(struct jsonl_writer *out, ZSTD_EndDirective mode, struct error *err)
{
	ZSTD_inBuffer in = {out->text.data, out->text.len, 0};
	size_t left;

	do {
		ZSTD_outBuffer packed = {out->packed, out->packed_size, 0};
		size_t skip;

		left = ZSTD_compressStream2(out->zstd, &packed, &in, mode);
		if (ZSTD_isError(left))
			return error_set(
				err, EXIT_INTERNAL, "cannot compress: %s", ZSTD_getErrorName(left));
		skip = packed.pos < out->skip ? packed.pos : out->skip;
		out->skip -= skip;
		if (write_out(out, out->packed + skip, packed.pos - skip, err) != 0)
			return -1;
	} while (mode == ZSTD_e_continue ? in.pos < in.size : left != 0);
	return 0;
}

/* Writes what was collected.  A stream with a hole in it must not end well, so
 * that the first failure is the answer to every later call. */
static int drain(struct jsonl_writer *out, ZSTD_EndDirective mode, struct error *err)
{
	if (!out->failed && out->zstd)
		out->failed = compress_text(out, mode, &out->failure) != 0;
	else if (!out->failed)
		out->failed = write_out(out, out->text.data, out->text.len, &out->failure) != 0;
	buf_clear(&out->text);
	if (!out->failed)
		return 0;
	if (err)
		*err = out->failure;
	return -1;
}

static int start_zstd(struct jsonl_writer *out, struct error *err)
{
	static const unsigned char magic[MAGIC_SIZE] = {0x28, 0xb5, 0x2f, 0xfd};

	out->zstd = ZSTD_createCCtx();
	if (!out->zstd)
		die(EXIT_INTERNAL, "out of memory (zstd)");
	ZSTD_CCtx_setParameter(out->zstd, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(out->zstd, ZSTD_c_checksumFlag, 1);
	out->packed_size = ZSTD_CStreamOutSize();
	out->packed = xmalloc(out->packed_size);
	out->skip = MAGIC_SIZE;
	return write_out(out, magic, sizeof magic, err);
}

struct jsonl_writer *jsonl_create(const char *path, int plain, struct error *err)
{
	struct jsonl_writer *out = xcalloc(1, sizeof *out);

	out->file.fd = -1;
	out->fd = STDOUT_FILENO;
	if (path && strcmp(path, "-") != 0) {
		if (publish_open(&out->file, path, err) != 0) {
			free(out);
			return NULL;
		}
		out->fd = out->file.fd;
	} else {
		out->terminal = isatty(STDOUT_FILENO);
	}
	if (!plain && !out->terminal && start_zstd(out, err) != 0) {
		jsonl_abort(out);
		return NULL;
	}
	return out;
}

static int end_line(struct jsonl_writer *out, struct error *err)
{
	buf_addc(&out->text, '\n');
	if (out->terminal || out->text.len >= BLOCK)
		return drain(out, ZSTD_e_continue, err);
	return 0;
}

int jsonl_write(struct jsonl_writer *out, const struct record *r, struct error *err)
{
	record_print(r, &out->text);
	return end_line(out, err);
}

int jsonl_write_text(struct jsonl_writer *out, const char *text, size_t len, struct error *err)
{
	buf_add(&out->text, text, len);
	return end_line(out, err);
}

int jsonl_flush(struct jsonl_writer *out, struct error *err)
{
	return drain(out, ZSTD_e_flush, err);
}

static void writer_free(struct jsonl_writer *out)
{
	ZSTD_freeCCtx(out->zstd);
	free(out->packed);
	buf_release(&out->text);
	publish_abort(&out->file);
	free(out);
}

/* Some filesystems report a failed write only when the file is closed. */
static int check_stdout(struct error *err)
{
	int fd = dup(STDOUT_FILENO);

	if (fd < 0 || close(fd) != 0)
		return error_set_errno(err, EXIT_IO, "cannot write standard output");
	return 0;
}

int jsonl_finish(struct jsonl_writer *out, struct error *err)
{
	int rc = drain(out, ZSTD_e_end, err);

	if (rc == 0)
		rc = out->file.path ? publish_commit(&out->file, err) : check_stdout(err);
	writer_free(out);
	return rc;
}

void jsonl_abort(struct jsonl_writer *out)
{
	if (out)
		writer_free(out);
}
