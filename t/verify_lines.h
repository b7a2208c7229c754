/*
 * verify_lines.h - tests that give the verifier a line and expect a line: the
 * canonical argv, or "code@word".
 */
#ifndef T_VERIFY_LINES_H
#define T_VERIFY_LINES_H

#include "tap.h"
#include "cli/verify.h"

static struct spec *spec;
static struct arena arena;

/* Words of a line; "''" stands for an empty word and "~" in a word for a blank. */
static inline int words(const char *line, const char ***argv)
{
	char *text = arena_strdup(&arena, line), *save = NULL;
	const char **list = arena_alloc(&arena, (strlen(line) + 2) * sizeof(*list));
	int n = 0;

	for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		for (char *s = w; *s; s++)
			*s = *s == '~' ? ' ' : *s;
		list[n++] = strcmp(w, "''") ? w : "";
	}
	list[n] = NULL;
	*argv = list;
	return n;
}

static inline const char *line_of(const char *const *argv)
{
	struct buf b = {0};
	char *out;

	for (int i = 0; argv[i]; i++) {
		buf_adds(&b, i ? " " : "");
		buf_adds(&b, *argv[i] ? argv[i] : "''");
	}
	out = arena_strdup(&arena, b.data);
	buf_release(&b);
	return out;
}

/* The canonical line, or "code@at". */
static inline const char *read_line(const char *line)
{
	const char **argv, **canonical;
	struct verdict v;
	struct meaning m;
	char *out = arena_alloc(&arena, 64);
	int argc = words(line, &argv);

	if (verify(spec, argc, argv, &arena, &m, &v) == VERDICT_OK) {
		meaning_argv(spec, &m, &arena, &canonical);
		return line_of(canonical);
	}
	snprintf(out, 64, "%s@%d", verdict_name(v.code), v.at);
	assert_true(*v.message);
	return out;
}

static inline void expect(const char *line, const char *want)
{
	const char *got = read_line(line);

	if (strcmp(got, want) != 0)
		print_message("# %s\n", line);
	assert_string_equal(got, want);
}

#endif
