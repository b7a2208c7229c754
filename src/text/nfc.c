#include "text/nfc.h"

#include <stdlib.h>
#include <string.h>
#include "text/map64.h"
#include "text/normalize_table.h"
#include "text/utf8.h"

enum {
	CODES = 0x110000,
	HANGUL = 0xac00,
	HANGUL_L = 0x1100,
	HANGUL_V = 0x1161,
	HANGUL_T = 0x11a7,
	N_L = 19,
	N_V = 21,
	N_T = 28,
	N_HANGUL = N_L * N_V * N_T
};

/* What a character may take part in. */
enum {
	CHANGES_C = 1, /* has a combining class, does not stay in C, or may join the one before */
	CHANGES_D = 2  /* has a combining class or a decomposition */
};

struct mark {
	uint32_t code;
	int rank;	/* combining class */
	uint32_t order; /* to sort stably */
};

struct nfc {
	unsigned char *flags;  /* by code */
	unsigned char *ranks;  /* by code */
	struct map64 pairs;    /* code -> index in normalize_pairs */
	struct map64 composed; /* first << 32 | second -> code */
	struct mark *marks;    /* of the part at work */
	size_t n_marks, marks_cap;
};

static void hangul_init(struct nfc *n)
{
	memset(n->flags + HANGUL_V, CHANGES_C, N_V);
	memset(n->flags + HANGUL_T + 1, CHANGES_C, N_T - 1);
	memset(n->flags + HANGUL, CHANGES_D, N_HANGUL);
}

struct nfc *nfc_new(void)
{
	struct nfc *n = xcalloc(1, sizeof *n);

	n->flags = xcalloc(CODES, 1);
	n->ranks = xcalloc(CODES, 1);
	hangul_init(n);
	for (size_t i = 0; i < normalize_n_ranges; i++) {
		const struct normalize_range *r = &normalize_ranges[i];

		memset(n->ranks + r->from, r->rank, r->to - r->from + 1);
		memset(n->flags + r->from, CHANGES_C | CHANGES_D, r->to - r->from + 1);
	}
	for (size_t i = 0; i < normalize_n_pairs; i++) {
		const struct normalize_pair *p = &normalize_pairs[i];

		n->flags[p->code] |= CHANGES_D;
		*map64_put(&n->pairs, p->code) = i;
		if (p->composes) {
			n->flags[p->second] |= CHANGES_C;
			*map64_put(&n->composed, (uint64_t)p->first << 32 | p->second) = p->code;
		} else {
			n->flags[p->code] |= CHANGES_C;
		}
	}
	return n;
}

void nfc_free(struct nfc *n)
{
	if (!n)
		return;
	free(n->flags);
	free(n->ranks);
	free(n->marks);
	map64_release(&n->pairs);
	map64_release(&n->composed);
	free(n);
}

static void add(struct nfc *n, uint32_t code)
{
	n->marks = array_grow(n->marks, &n->marks_cap, n->n_marks, sizeof *n->marks);
	n->marks[n->n_marks] = (struct mark){code, n->ranks[code], (uint32_t)n->n_marks};
	n->n_marks++;
}

/* Decompositions nest four deep at most: the database has no cycle. */
static void decompose(struct nfc *n, uint32_t code)
{
	const uint64_t *at;

	if (code >= HANGUL && code < HANGUL + N_HANGUL) {
		uint32_t index = code - HANGUL;

		add(n, HANGUL_L + index / (N_V * N_T));
		add(n, HANGUL_V + index % (N_V * N_T) / N_T);
		if (index % N_T)
			add(n, HANGUL_T + index % N_T);
		return;
	}
	at = n->flags[code] & CHANGES_D ? map64_get(&n->pairs, code) : NULL;
	if (!at) {
		add(n, code);
		return;
	}
	decompose(n, normalize_pairs[*at].first);
	if (normalize_pairs[*at].second)
		decompose(n, normalize_pairs[*at].second);
}

static int compare_marks(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Sorts each run of marks by class. */
static void reorder(struct nfc *n)
{
	for (size_t i = 0, end; i < n->n_marks; i = end + 1) {
		int sorted = 1;

		for (end = i; end < n->n_marks && n->marks[end].rank; end++)
			sorted &= end == i || n->marks[end - 1].rank <= n->marks[end].rank;
		if (!sorted)
			qsort(n->marks + i, end - i, sizeof *n->marks, compare_marks);
	}
}

/* What two characters become together; 0: nothing. */
static uint32_t join(const struct nfc *n, uint32_t first, uint32_t second)
{
	const uint64_t *code;

	if (first >= HANGUL_L && first < HANGUL_L + N_L && second >= HANGUL_V &&
		second < HANGUL_V + N_V)
		return HANGUL + ((first - HANGUL_L) * N_V + (second - HANGUL_V)) * N_T;
	if (first >= HANGUL && first < HANGUL + N_HANGUL && (first - HANGUL) % N_T == 0 &&
		second > HANGUL_T && second < HANGUL_T + N_T)
		return first + (second - HANGUL_T);
	code = map64_get(&n->composed, (uint64_t)first << 32 | second);
	return code ? (uint32_t)*code : 0;
}

static void compose(struct nfc *n)
{
	size_t kept = 0, starter = SIZE_MAX;
	int last = 0; /* class of the last mark kept behind the starter */

	for (size_t i = 0; i < n->n_marks; i++) {
		struct mark m = n->marks[i];
		int blocked = starter == SIZE_MAX ||
			      (kept > starter + 1 && (last >= m.rank || last == 0));
		uint32_t joined = blocked ? 0 : join(n, n->marks[starter].code, m.code);

		if (joined) {
			n->marks[starter].code = joined;
			continue;
		}
		if (!m.rank)
			starter = kept;
		last = m.rank;
		n->marks[kept++] = m;
	}
	n->n_marks = kept;
}

static void part_end(struct nfc *n, int composing, struct buf *out)
{
	char text[4];

	reorder(n);
	if (composing)
		compose(n);
	for (size_t i = 0; i < n->n_marks; i++)
		buf_add(out, text, utf8_encode(n->marks[i].code, text));
	n->n_marks = 0;
}

/* Only a character that stays, and those behind it that may change, are worked on;
 * everything else is copied. */
void nfc_run(struct nfc *n, const char *text, size_t len, int composing, struct buf *out)
{
	int flag = composing ? CHANGES_C : CHANGES_D;
	size_t copied = 0, last = 0, size; /* last: start of the character before */

	for (size_t at = 0; at < len; at += size) {
		int32_t code = utf8_decode(text + at, len - at, &size);
		size_t end;

		if (code < 0xc0 || !(n->flags[code] & flag)) {
			last = at;
			continue;
		}
		buf_add(out, text + copied, last - copied);
		for (end = last; end < len; end += size) {
			code = utf8_decode(text + end, len - end, &size);
			if (end > at && !(n->flags[code] & flag))
				break;
			decompose(n, (uint32_t)code);
		}
		part_end(n, composing, out);
		last = copied = at = end;
		size = 0;
	}
	buf_add(out, text + copied, len - copied);
}
