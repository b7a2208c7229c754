/* source.c - saved help, or help that is asked for. */
#include "help/source.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exec/sandbox.h"
#include "help/run.h"

static int bwrap_find(struct help_source *s, struct arena *arena, struct error *err)
{
	struct buf path = {0};

	for (size_t i = 0; sandbox_directories[i] && !s->bwrap; i++) {
		buf_clear(&path);
		buf_addf(&path, "%s/bwrap", sandbox_directories[i]);
		if (access(path.data, X_OK) == 0)
			s->bwrap = arena_strdup(arena, path.data);
	}
	buf_release(&path);
	if (!s->bwrap)
		return error_set(err, EXIT_UNAVAILABLE,
			"bubblewrap is not there, and nothing is run without a sandbox: install "
			"it, "
			"or give saved help with --from");
	return 0;
}

/* A path as it is given, a name along PATH. */
static int program_find(
	struct help_source *s, const char *name, struct arena *arena, struct error *err)
{
	const char *list = getenv("PATH"), *end;
	char real[PATH_MAX];
	struct buf path = {0};
	struct stat st;

	for (; !s->program && list && *list; list = *end ? end + 1 : end) {
		end = list + strcspn(list, ":");
		buf_clear(&path);
		if (!strchr(name, '/'))
			buf_addf(&path, "%.*s/", (int)(end - list), list);
		buf_adds(&path, name);
		if (access(path.data, X_OK) == 0 && stat(path.data, &st) == 0 &&
			S_ISREG(st.st_mode)) {
			/* Its folder's links are resolved, its own name is kept. */
			char *slash = strrchr(path.data, '/');

			*slash = '\0';
			if (realpath(*path.data ? path.data : "/", real)) {
				buf_clear(&path);
				buf_addf(&path, "%s/%s", real,
					strrchr(name, '/') ? strrchr(name, '/') + 1 : name);
				s->program = arena_strdup(arena, path.data);
			}
		}
		if (strchr(name, '/'))
			break;
	}
	buf_release(&path);
	if (!s->program)
		return error_set(err, EXIT_NOINPUT, "no program '%.200s' that can be run", name);
	return 0;
}

int help_source_open(
	struct help_source *s, const char *name, struct arena *arena, struct error *err)
{
	struct stat st;

	if (s->directory) {
		if (stat(s->directory, &st) < 0)
			return error_set_errno(err, EXIT_NOINPUT, "%s", s->directory);
		if (!S_ISDIR(st.st_mode))
			return error_set(err, EXIT_NOINPUT, "%s: no folder", s->directory);
		return 0;
	}
	if (program_find(s, name, arena, err) < 0)
		return -1;
	return bwrap_find(s, arena, err);
}

/* NAME-SUB-SUB.txt */
static int saved_get(const struct help_source *s, const char *const *path, size_t n,
	struct buf *text, struct error *err)
{
	char part[65536];
	struct buf file = {0};
	size_t got;
	FILE *f;

	buf_addf(&file, "%s/", s->directory);
	for (size_t i = 0; i < n; i++)
		buf_addf(&file, "%s%s", i ? "-" : "", path[i]);
	buf_adds(&file, ".txt");
	f = strlen(file.data) < PATH_MAX ? fopen(file.data, "re") : NULL;
	if (!f && errno != ENOENT && n == 1) {
		error_set_errno(err, EXIT_NOINPUT, "%s", file.data);
		buf_release(&file);
		return -1;
	}
	buf_release(&file);
	if (!f)
		return 0;
	while (text->len < HELP_OUTPUT_MAX && (got = fread(part, 1, sizeof part, f)) > 0)
		buf_add(text, part, got);
	fclose(f);
	return text->len > 0;
}

/* What was printed looks like help: an option, or a usage, in several lines. */
static int is_help(const struct buf *text)
{
	if (!text->len || !memchr(text->data, '\n', text->len))
		return 0;
	return memmem(text->data, text->len, "sage", 4) ||
	       memmem(text->data, text->len, "SAGE", 4) || memmem(text->data, text->len, " -", 2);
}

static int asked_get(const struct help_source *s, const char *const *path, size_t n,
	struct buf *text, struct error *err)
{
	/* --help behind the command; `NAME help SUB`; -h for those that know nothing else. */
	for (int way = 0; way < 3; way++) {
		const char *words[32];
		size_t k = 0;
		int status = 0, got;

		if (way == 1 && n == 1)
			continue;
		if (way == 2 && n > 1 && !s->short_help)
			continue;
		if (way == 1)
			words[k++] = "help";
		for (size_t i = 1; i < n && k < 30; i++)
			words[k++] = path[i];
		if (way != 1)
			words[k++] = way ? "-h" : "--help";
		words[k] = NULL;
		buf_clear(text);
		got = help_run(s->bwrap, s->program, words, s->timeout, text, &status, err);
		if (got < 0)
			return -1;
		if (n == 1 && text->len > 7 && !strncmp(text->data, "bwrap: ", 7))
			return error_set(err,
				strstr(text->data, "execvp") ? EXIT_NOINPUT : EXIT_UNAVAILABLE,
				"%s cannot be run in the sandbox: %.*s", s->program,
				(int)strcspn(text->data, "\n"), text->data);
		if (!is_help(text))
			continue;
		/* curl shows a few options unless it is asked for all. */
		if (n == 1 && memmem(text->data, text->len, "--help all", 10)) {
			const char *const all[] = {"--help", "all", NULL};
			struct buf more = {0};

			got = help_run(s->bwrap, s->program, all, s->timeout, &more, &status, err);
			if (got >= 0 && more.len > text->len && is_help(&more)) {
				buf_clear(text);
				buf_add(text, more.data, more.len);
			}
			buf_release(&more);
		}
		return 1;
	}
	return 0;
}

int help_source_get(const struct help_source *s, const char *const *path, size_t n,
	struct buf *text, struct error *err)
{
	buf_clear(text);
	return s->directory ? saved_get(s, path, n, text, err) : asked_get(s, path, n, text, err);
}
