/* entry.c - groups lines into entries by their indentation. */
#include "help/entry.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "help/section.h"

/* State of one reading. */
struct reader {
	struct help_entries *out;
	const char *title;
	enum help_section section;
	int open;      /* the last entry may go on */
	size_t column; /* where its description stands; 0: not known yet */
	int blank;     /* the line before was empty */
	int usage;     /* within the usage: 1 nothing read yet, 2 lines read */
	size_t usage_indent;
	struct buf left, text; /* of the open entry */
};

int help_is_option(const char *s)
{
	if (s[0] != '-')
		return 0;
	if (s[1] == '-')
		return isalnum((unsigned char)s[2]) || (s[2] == '[' && s[3] == 'n') ||
		       (s[2] == '(' && s[3] == 'n');
	return isalnum((unsigned char)s[1]) ||
	       (s[1] && strchr("?#@%:.", s[1]) && (!s[2] || strchr(" ,|/", s[2])));
}

static struct help_entry *last(struct reader *r)
{
	return &r->out->list[r->out->n - 1];
}

static void close_entry(struct reader *r)
{
	if (!r->open)
		return;
	last(r)->left = arena_strdup(&r->out->arena, r->left.data ? r->left.data : "");
	last(r)->description = arena_strdup(&r->out->arena, r->text.data ? r->text.data : "");
	r->open = 0;
	r->column = 0;
	buf_clear(&r->left);
	buf_clear(&r->text);
}

static void open_entry(struct reader *r, enum help_kind kind, const struct help_line *line)
{
	struct help_entries *out = r->out;

	close_entry(r);
	out->list = array_grow(out->list, &out->cap, out->n, sizeof *out->list);
	out->list[out->n++] = (struct help_entry){
		.kind = kind,
		.section = r->section,
		.title = r->title,
		.left = "",
		.description = "",
		.line = line->number,
		.indent = line->indent,
		.boxed = line->boxed,
	};
	r->open = 1;
}

/* Adds a line to running text: words that a hyphen broke are joined. */
static void text_add(struct buf *text, const char *s)
{
	if (text->len > 0 && *s)
		buf_addc(text, ' ');
	buf_adds(text, s);
}

/* The next run of two blanks at s that no bracket holds; NULL: none. */
static const char *gap_find(const char *s)
{
	int depth = 0;

	for (; *s; s++) {
		if (strchr("[<{(", *s))
			depth++;
		else if (strchr("]>})", *s) && depth > 0)
			depth--;
		else if (s[0] == ' ' && s[1] == ' ' && depth == 0)
			return s;
	}
	return NULL;
}

/* A cell of a box that is a metavariable of click's. */
static int is_metavar_cell(const char *s, size_t len)
{
	static const char *const words[] = {"TEXT", "INTEGER", "FLOAT", "BOOLEAN", "PATH", "FILE",
		"FILENAME", "DIRECTORY", "UUID", "DATETIME", "URL", NULL};
	size_t n = strcspn(s, " .");

	if ((s[0] == '[' || s[0] == '<') && len > 1)
		return strchr("]>.|", s[len - 1]) != NULL && memchr(s, ':', len) == NULL;
	for (size_t i = 0; words[i]; i++)
		if (strlen(words[i]) == n && !strncmp(s, words[i], n))
			return 1;
	for (size_t i = 0; i < len; i++)
		if (!isupper((unsigned char)s[i]) && !isdigit((unsigned char)s[i]) &&
			!strchr("_-.", s[i]))
			return 0;
	return len > 1;
}

/* Splits the first line of an entry at s, column: where s stands.  Returns the
 * description, or NULL. */
static const char *split_left(struct reader *r, const char *s, int boxed)
{
	for (;;) {
		/* In a box cells are wrapped: a bracket may end in the next line. */
		const char *gap = boxed ? strstr(s, "  ") : gap_find(s), *rest;
		size_t len = gap ? (size_t)(gap - s) : strlen(s), cell;

		buf_add(&r->left, s, len);
		if (!gap)
			return NULL;
		rest = gap + strspn(gap, " ");
		cell = strstr(rest, "  ") ? (size_t)(strstr(rest, "  ") - rest) : strlen(rest);
		if (help_is_option(rest) && (boxed || cell < 60)) {
			if (r->left.data[r->left.len - 1] != ',')
				buf_adds(&r->left, boxed && r->left.data[0] == '-' &&
								   rest[1] == '-' &&
								   !strncmp(r->left.data, "--", 2)
							   ? " /"
							   : ",");
		} else if (!(boxed && is_metavar_cell(rest, cell))) {
			return rest;
		}
		buf_addc(&r->left, ' ');
		s = rest;
	}
}

static void entry_begin(struct reader *r, enum help_kind kind, const struct help_line *line)
{
	const char *s = line->text, *rest;
	int required = 0;

	if (line->boxed && s[0] == '*' && s[1] == ' ') {
		required = 1;
		s += 1 + strspn(s + 1, " ");
	}
	open_entry(r, kind, line);
	last(r)->required = required;
	if (line->boxed)
		last(r)->indent = line->indent + help_columns(line->text, (size_t)(s - line->text));
	rest = split_left(r, s, line->boxed);
	last(r)->gap = rest != NULL;
	if (rest) {
		r->column = line->indent + help_columns(line->text, (size_t)(rest - line->text));
		text_add(&r->text, rest);
	}
}

/* A box wraps each of its columns: what stands left of the description's is more of
 * the left side. */
static void box_continue(struct reader *r, const struct help_line *line)
{
	size_t bytes = 0, columns = line->indent, len;

	for (; line->text[bytes] && columns + 1 < r->column; bytes++)
		columns += ((unsigned char)line->text[bytes + 1] & 0xc0) != 0x80;
	for (len = bytes; len > 0 && line->text[len - 1] == ' ';)
		len--;
	buf_add(&r->left, line->text, len);
	bytes += strspn(line->text + bytes, " ");
	if (line->text[bytes])
		text_add(&r->text, line->text + bytes);
}

/* Left column of an item: a word or more, not a sentence. */
static int is_item(const struct reader *r, const struct help_line *line)
{
	const char *s = line->text, *gap = gap_find(s);
	size_t len = gap ? (size_t)(gap - s) : strlen(s);

	if (r->section == HELP_SECTION_IGNORED || r->section == HELP_SECTION_NONE)
		return 0;
	if (!isalnum((unsigned char)s[0]) && !strchr("{<[*_", s[0]))
		return 0;
	if (line->indent == 0 && !line->boxed)
		return 0;
	if (len > 300 || (s[len - 1] == '.' && (len < 3 || s[len - 2] != '.')))
		return 0;
	if (r->section == HELP_SECTION_COMMANDS || r->section == HELP_SECTION_ARGUMENTS) {
		const char *second = memchr(s, ' ', len);

		if (gap || !second || s[0] == '{' || s[0] == '<' || second[1] == '[' ||
			second[1] == '<' ||
			(isupper((unsigned char)second[1]) && isupper((unsigned char)second[2]) &&
				islower((unsigned char)s[0])))
			return 1;
		return 0;
	}
	return gap != NULL;
}

static int begins_entry(const struct reader *r, const struct help_line *line)
{
	const struct help_entry *e = r->open ? &r->out->list[r->out->n - 1] : NULL;
	int inside = e && e->kind != HELP_PROSE;

	if (!inside || line->indent <= e->indent)
		return 1;
	/* The next line of a cell that is wrapped. */
	if (e->boxed && line->indent > e->indent + 2 && !help_is_option(line->text))
		return 0;
	if (r->column)
		return line->indent + 1 < r->column;
	/* argparse: the choice of a subcommand, then each below it. */
	if (e->kind == HELP_ITEM)
		return line->indent <= e->indent + 4 && gap_find(line->text) != NULL;
	return help_is_option(line->text) && r->text.len == 0 && line->indent <= e->indent + 4;
}

static int usage_start(struct reader *r, const struct help_line *line)
{
	const char *rest = line->text + 5;

	if (strncasecmp(line->text, "usage", 5) != 0 || line->indent > 4)
		return 0;
	if (*rest == ':')
		rest++;
	else if (*rest || line->title)
		return 0;
	rest += strspn(rest, " ");
	close_entry(r);
	r->usage = 1;
	r->usage_indent = line->indent;
	r->section = HELP_SECTION_NONE;
	r->title = "";
	if (*rest) {
		open_entry(r, HELP_USAGE, line);
		buf_adds(&r->left, rest);
		r->usage = 2;
	}
	return 1;
}

/* The first word of the open usage line is that of s too. */
static int same_program(const struct reader *r, const char *s)
{
	size_t n = strcspn(s, " ");

	return r->left.len >= n && !strncmp(r->left.data, s, n) &&
	       (r->left.data[n] == ' ' || !r->left.data[n]);
}

static int usage_continue(struct reader *r, const struct help_line *line)
{
	const char *s = line->text;

	if (!r->usage)
		return 0;
	/* curl: options right below the usage, not as far to the right as what goes on. */
	if ((r->blank && r->usage == 2) ||
		(help_is_option(s) && line->indent < r->usage_indent + 7) ||
		(line->indent <= r->usage_indent && !line->boxed)) {
		r->usage = 0;
		close_entry(r);
		return 0;
	}
	if (!strncasecmp(s, "or:", 3) || !strncasecmp(s, "or ", 3))
		s += 3 + strspn(s + 3, " ");
	else if (r->open && !same_program(r, s)) {
		text_add(&r->left, s);
		return 1;
	}
	open_entry(r, HELP_USAGE, line);
	buf_adds(&r->left, s);
	r->usage = 2;
	return 1;
}

/* More of the open entry: its description, or what is still left. */
static void entry_continue(struct reader *r, const struct help_line *line)
{
	if (last(r)->kind != HELP_PROSE && line->boxed && r->column &&
		line->indent + 1 < r->column) {
		box_continue(r, line);
		return;
	}
	if (!r->column)
		r->column = line->indent;
	if (r->text.len < 4000)
		text_add(&r->text, line->text);
}

static void line_read(struct reader *r, const struct help_line *line, const struct help_line *next)
{
	int starred = line->boxed && line->text[0] == '*' && line->text[1] == ' ';
	const char *s = starred ? line->text + 1 + strspn(line->text + 1, " ") : line->text;
	int begins = begins_entry(r, line);

	if (usage_start(r, line) || usage_continue(r, line))
		return;
	if (help_is_title(line, next) && (line->title || begins)) {
		size_t len = strlen(line->text);

		close_entry(r);
		while (len > 0 && line->text[len - 1] == ':')
			len--;
		r->title = arena_strndup(&r->out->arena, line->text, len);
		r->section = help_section_kind(r->title);
		return;
	}
	if (begins && help_is_option(s)) {
		if (r->open && last(r)->kind == HELP_OPTION && r->text.len == 0 &&
			r->left.data[r->left.len - 1] == ',') {
			const char *rest;

			buf_addc(&r->left, ' ');
			rest = split_left(r, s, line->boxed);
			if (rest)
				text_add(&r->text, rest);
			return;
		}
		entry_begin(r, HELP_OPTION, line);
		return;
	}
	if (begins && is_item(r, line)) {
		entry_begin(r, HELP_ITEM, line);
		return;
	}
	if (r->open && last(r)->kind != HELP_PROSE && line->indent > last(r)->indent) {
		entry_continue(r, line);
		return;
	}
	if (!r->open || last(r)->kind != HELP_PROSE || r->blank)
		open_entry(r, HELP_PROSE, line);
	entry_continue(r, line);
}

void help_entries_read(struct help_entries *entries, const struct help_text *text)
{
	struct reader r = {.out = entries, .title = ""};

	*entries = (struct help_entries){0};
	for (size_t i = 0, next = 0; i < text->n_lines; i++) {
		const struct help_line *line = &text->lines[i];

		if (!*line->text) {
			r.blank = 1;
			continue;
		}
		if (next <= i)
			next = i + 1;
		while (next < text->n_lines && !*text->lines[next].text)
			next++;
		line_read(&r, line, next < text->n_lines ? &text->lines[next] : NULL);
		r.blank = 0;
	}
	close_entry(&r);
	buf_release(&r.left);
	buf_release(&r.text);
}

void help_entries_release(struct help_entries *entries)
{
	free(entries->list);
	arena_release(&entries->arena);
	*entries = (struct help_entries){0};
}
