/* crawl.c - asks for help, breadth first, within bounds. */
#include "help/crawl.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "help/read.h"

enum {
	DEPTH_MAX = 14
};

struct queue {
	struct help_command **list;
	uint64_t *hashes; /* of each command's help */
	size_t n, cap;
	struct buf text;
	size_t bytes; /* of all help read */
};

/* The words that name it, the program's first: their number. */
static size_t path_of(const struct help_command *c, const char **path)
{
	size_t n = 1;

	for (const struct help_command *up = c; up->parent; up = up->parent)
		n++;
	for (size_t i = n; i > 0; i--, c = c->parent)
		path[i - 1] = c->name;
	return n;
}

static uint64_t text_hash(const struct buf *text)
{
	uint64_t h = 14695981039346656037U;

	for (size_t i = 0; i < text->len; i++)
		h = (h ^ (unsigned char)text->data[i]) * 1099511628211U;
	return h;
}

/* The help of the parent, or of its parent, once more: it has none of its own. */
static int same_as_above(const struct queue *q, const struct help_command *c, uint64_t hash)
{
	for (size_t i = 0; i < q->n; i++)
		for (const struct help_command *up = c->parent; up; up = up->parent)
			if (q->list[i] == up && q->hashes[i] == hash)
				return 1;
	return 0;
}

static void push(struct queue *q, struct help_command *c)
{
	if (q->n == q->cap) {
		q->cap = q->cap ? q->cap * 2 : 64;
		q->list = xreallocarray(q->list, q->cap, sizeof(struct help_command *));
		q->hashes = xreallocarray(q->hashes, q->cap, sizeof *q->hashes);
	}
	q->hashes[q->n] = 0;
	q->list[q->n++] = c;
}

/* Reads one command's help; its children go to the end of the queue. */
static int visit(struct help_crawl *crawl, const struct help_source *source, struct queue *q,
	size_t at, const struct help_bounds *bounds, struct error *err)
{
	const char *path[DEPTH_MAX + 2];
	struct help_command *c = q->list[at];
	size_t n = path_of(c, path);
	int got = help_source_get(source, path, n, &q->text, err);

	crawl->n_asked++;
	if (got <= 0)
		return got;
	q->hashes[at] = text_hash(&q->text);
	if (same_as_above(q, c, q->hashes[at])) {
		crawl->n_left_out++;
		return 0;
	}
	q->bytes += q->text.len;
	help_read(c, q->text.data, q->text.len, &crawl->arena);
	for (size_t i = 0; i < c->n_children; i++) {
		if ((int)n > bounds->depth || n > DEPTH_MAX || q->n >= (size_t)bounds->commands ||
			q->bytes > 64 << 20 || !strcmp(c->children[i]->name, "help"))
			crawl->n_left_out += strcmp(c->children[i]->name, "help") != 0;
		else
			push(q, c->children[i]);
	}
	return 1;
}

int help_crawl(struct help_crawl *crawl, struct help_source *source, const char *name,
	const struct help_bounds *bounds, struct error *err)
{
	struct queue q = {0};
	int got = 1;

	*crawl = (struct help_crawl){0};
	crawl->root = help_command_add(&crawl->arena, NULL, name);
	push(&q, crawl->root);
	for (size_t i = 0; i < q.n && got >= 0; i++) {
		const struct help_option *h, *help;

		got = visit(crawl, source, &q, i, bounds, err);
		if (i > 0)
			continue;
		h = help_option_find(crawl->root, "-h");
		help = help_option_find(crawl->root, "--help");
		source->short_help = h && help && !h->takes_value &&
				     (h == help || (h->from_usage && help->from_usage));
	}
	help_read_listed(crawl->root, &crawl->arena);
	if (got >= 0 && !crawl->root->read)
		got = error_set(err, EXIT_DATA,
			"%s: it printed no help: save what explains it as %s.txt in a folder and "
			"give that with --from",
			name, name);
	free(q.list);
	free(q.hashes);
	buf_release(&q.text);
	return got < 0 ? -1 : 0;
}

void help_crawl_release(struct help_crawl *crawl)
{
	help_command_release(crawl->root);
	arena_release(&crawl->arena);
}
