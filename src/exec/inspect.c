#include "exec/inspect.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "exec/executable.h"
#include "exec/judge.h"
#include "exec/visible.h"

static void add_shown(struct buf *out, const char *text)
{
	visible_plain(out, text, strlen(text));
}

static const char *state_of(const struct rulebook_program *p, const struct executable *exe)
{
	if (p->sha256 && strcmp(p->sha256, exe->identity.hash) != 0)
		return "NOT the file that is pinned";
	if (p->interpreter_sha256 && !exe->interpreter)
		return "NO script, but an interpreter is pinned";
	if (p->interpreter_sha256 &&
		strcmp(p->interpreter_sha256, exe->interpreter_identity.hash) != 0)
		return "NOT the interpreter that is pinned";
	return NULL;
}

static size_t inspect_program(const struct rulebook_program *p, struct buf *out)
{
	struct arena arena = {0};
	struct executable exe;
	struct error err;
	const char *fault = NULL;

	buf_adds(out, "program ");
	add_shown(out, p->name);
	buf_adds(out, ": ");
	add_shown(out, p->path);
	buf_adds(out, ": ");
	if (executable_open(p->path, &arena, &exe, &err) != 0) {
		fault = err.message;
		add_shown(out, fault);
	} else {
		fault = state_of(p, &exe);
		buf_adds(out, fault	  ? fault
			      : p->sha256 ? "as pinned"
					  : "not pinned: whoever may write it decides what runs");
		executable_close(&exe);
	}
	buf_addc(out, '\n');
	arena_release(&arena);
	return fault != NULL;
}

size_t rulebook_inspect(const struct rulebook *book, const struct spec *spec, struct buf *out)
{
	size_t faults = 0, count[3] = {0};
	struct buf unknown = {0};

	buf_adds(out, "policy ");
	add_shown(out, book->path);
	buf_addf(out, ": sha256 %s\n", book->hash);
	for (size_t i = 0; i < book->n_programs; i++)
		faults += inspect_program(&book->programs[i], out);
	for (size_t i = 0; i < book->n_rules; i++)
		count[book->rules[i].decide]++;
	buf_addf(out, "rules: %zu auto, %zu ask, %zu deny; otherwise %s\n", count[DECIDE_AUTO],
		count[DECIDE_ASK], count[DECIDE_DENY], decision_names[book->fallback]);
	if (spec)
		faults += judge_unknown_names(book, spec, &unknown);
	for (char *line = unknown.data, *end; line && *line; line = end + 1) {
		end = strchr(line, '\n');
		visible_plain(out, line, (size_t)(end - line));
		buf_addc(out, '\n');
	}
	buf_release(&unknown);
	return faults;
}

int rulebook_draft(const char *path, struct buf *out, struct error *err)
{
	struct arena arena = {0};
	struct executable exe;
	json_t *program, *document;
	char *text;

	if (path[0] != '/')
		return error_set(err, EXIT_USAGE, "%s: an absolute path is needed", path);
	if (executable_open(path, &arena, &exe, err) != 0) {
		arena_release(&arena);
		return -1;
	}
	program = json_pack("{s:s, s:s, s:s}", "name", strrchr(path, '/') + 1, "path", path,
		"sha256", exe.identity.hash);
	if (program && exe.interpreter)
		json_object_set_new(
			program, "interpreter_sha256", json_string(exe.interpreter_identity.hash));
	document = json_pack("{s:i, s:s, s:[o], s:{s:b, s:b}, s:[]}", "policy", 1, "default", "ask",
		"programs", program, "settings", "network", 0, "writable", 0, "rules");
	text = document ? json_dumps(document, JSON_INDENT(1)) : NULL;
	json_decref(document);
	executable_close(&exe);
	arena_release(&arena);
	if (!text)
		return error_set(err, EXIT_DATA, "%s: the path is no UTF-8", path);
	buf_addf(out, "%s\n", text);
	free(text);
	return 0;
}
