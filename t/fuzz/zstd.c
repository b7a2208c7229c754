/*
 * zstd streams of records: bytes that say how, NUL, the text.  How: for each frame its
 * length in lines, its level and whether it has a checksum; what is cut off or changed.
 * What is read of whole frames is what was packed; a cut, or a changed byte that a
 * checksum guards, is a failure, or changes nothing.
 * seeds: testdata/stream testdata/check/pairs.jsonl
 */
#include "t/fuzz/fuzz.h"

#include <zstd.h>

#include "stream/jsonl.h"

enum {
	FRAMES_MAX = 32
};

/* Records as they were read, an LF behind each, and how reading ended. */
struct reading {
	struct buf records;
	int end, bad; /* 0 or -2; malformed lines */
};

static void read_all(const void *data, size_t size, struct reading *out)
{
	static struct fuzz_file file;
	struct jsonl_reader *in;
	struct record r;
	struct error err;
	int got;

	fuzz_file_set(&file, data, size);
	in = jsonl_open(file.path, &err);
	fuzz_assert(in);
	record_init(&r);
	while ((got = jsonl_read(in, &r, &err)) == 1 || got == -1) {
		if (got == 1) {
			record_print(&r, &out->records);
			buf_addc(&out->records, '\n');
		}
		out->bad += got == -1;
	}
	out->end = got;
	fuzz_assert(got == 0 || err.message[0]);
	record_release(&r);
	jsonl_close(in);
}

static int byte_of(struct fuzz_input *how)
{
	if (!how->size)
		return 0;
	how->size--;
	return *how->data++;
}

/* A zstd stream, and for each of its bytes whether a checksum guards it. */
struct packed {
	struct buf bytes, guarded;
};

static void guard(struct packed *p, int guarded)
{
	while (p->guarded.len < p->bytes.len)
		buf_addc(&p->guarded, (char)guarded);
}

/* Packs up to that many lines as one frame. */
static void add_frame(
	ZSTD_CCtx *z, struct fuzz_input *how, struct fuzz_input *text, struct packed *p)
{
	struct buf *out = &p->bytes;
	const int lines = 1 + byte_of(how) % 64, kind = byte_of(how);
	const uint8_t *end = text->data;
	size_t len, room, n;

	for (int i = 0; i < lines && end < text->data + text->size; i++) {
		const uint8_t *lf = memchr(end, '\n', text->size - (size_t)(end - text->data));

		end = lf ? lf + 1 : text->data + text->size;
	}
	len = (size_t)(end - text->data);
	room = ZSTD_compressBound(len);
	ZSTD_CCtx_reset(z, ZSTD_reset_session_and_parameters);
	ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, kind % 8 - 2);
	ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, !(kind & 64));
	ZSTD_CCtx_setParameter(z, ZSTD_c_contentSizeFlag, !(kind & 32));
	if (kind & 16) {
		/* Of its size nothing keeps watch: a larger one skips what follows, too. */
		buf_add(out, "\x52\x2a\x4d\x18", 4);
		guard(p, 1);
		buf_add(out, "\x03\0\0\0", 4);
		guard(p, 0);
		buf_add(out, "abc", 3);
		guard(p, 1);
	}
	buf_reserve(out, room);
	n = ZSTD_compress2(z, out->data + out->len, room, text->data, len);
	fuzz_assert(!ZSTD_isError(n));
	out->len += n;
	guard(p, !(kind & 64));
	text->data = end;
	text->size -= len;
}

/* The packed stream, cut or with a byte changed. */
static void damage(struct fuzz_input *how, const struct reading *whole, struct packed *p)
{
	const int cut = byte_of(how) & 1, change = 1 + byte_of(how) % 255;
	const size_t at = ((size_t)byte_of(how) << 8 | (size_t)byte_of(how)) % p->bytes.len;
	struct reading got = {.end = 0};

	if (cut)
		p->bytes.len = at;
	else
		p->bytes.data[at] = (char)(p->bytes.data[at] ^ change);
	read_all(p->bytes.data, p->bytes.len, &got);
	/* A cut may fall between two frames: what is read is then the beginning. */
	if (got.end == 0 && !got.bad && (cut || p->guarded.data[at])) {
		fuzz_assert(got.records.len <= whole->records.len);
		fuzz_assert(cut || got.records.len == whole->records.len);
		fuzz_assert(!got.records.len ||
			    !memcmp(got.records.data, whole->records.data, got.records.len));
	}
	buf_release(&got.records);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size}, how, text;
	struct reading plain = {.end = 0}, whole = {.end = 0};
	struct packed packed = {0};
	struct buf framed = {0};
	ZSTD_CCtx *z = ZSTD_createCCtx();
	int frames = 0;
	size_t n_how;
	char *part = fuzz_part(&in, &n_how);

	how = (struct fuzz_input){(const uint8_t *)part, n_how};
	/* All in one frame first: then it cannot be taken for anything but text. */
	buf_adds(&framed, "{}\n");
	buf_add(&framed, in.data, in.size);
	buf_addc(&framed, '\n');
	text = (struct fuzz_input){(const uint8_t *)framed.data, framed.len};
	read_all(framed.data, framed.len, &plain);
	while (text.size && frames++ < FRAMES_MAX)
		add_frame(z, &how, &text, &packed);
	while (text.size) {
		struct fuzz_input rest = {(const uint8_t *)"\x3f", 1};

		add_frame(z, &rest, &text, &packed);
	}
	read_all(packed.bytes.data, packed.bytes.len, &whole);
	fuzz_assert(whole.end == 0 && whole.bad == plain.bad);
	fuzz_assert(whole.records.len == plain.records.len);
	fuzz_assert(!memcmp(whole.records.data, plain.records.data, plain.records.len));
	if (how.size && !whole.bad)
		damage(&how, &whole, &packed);
	free(part);
	ZSTD_freeCCtx(z);
	buf_release(&plain.records);
	buf_release(&whole.records);
	buf_release(&packed.bytes);
	buf_release(&packed.guarded);
	buf_release(&framed);
	return 0;
}
