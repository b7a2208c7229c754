#include "exec/question.h"

#include <string.h>
#include <strings.h>

#include "exec/sandbox.h"
#include "exec/visible.h"

static void add_field(struct buf *out, const char *name, const char *value)
{
	buf_addf(out, "%-12s ", name);
	visible_quoted(out, value, strlen(value));
	buf_addc(out, '\n');
}

static void add_words(struct buf *out, const struct plan *plan, struct buf *warnings)
{
	for (int i = 0; i < plan->argc; i++) {
		unsigned kinds;

		buf_addf(out, "%4d  ", i);
		kinds = visible_quoted(out, plan->argv[i], strlen(plan->argv[i]));
		buf_addc(out, '\n');
		if (!kinds)
			continue;
		buf_addf(warnings, "! warning    word %d has ", i);
		visible_kinds(warnings, kinds);
		buf_addc(warnings, '\n');
	}
}

static void add_program(struct buf *out, const struct plan *plan)
{
	const struct executable *exe = &plan->exe;

	add_field(out, "program", exe->path);
	if (strcmp(exe->path, exe->real_path) != 0)
		add_field(out, "  which is", exe->real_path);
	if (exe->interpreter)
		add_field(out, "  run by", exe->interpreter);
}

static void add_environment(struct buf *out, const struct plan *plan)
{
	buf_addf(out, "%-12s", "environment");
	for (size_t i = 0; i < plan->n_environment; i++) {
		const char *entry = plan->environment[i];

		buf_addc(out, ' ');
		visible_plain(out, entry, (size_t)(strchr(entry, '=') - entry));
	}
	buf_addc(out, '\n');
}

static void add_sandbox(struct buf *out, const struct plan *plan)
{
	const char *hidden[SANDBOX_HIDDEN_MAX];
	struct arena arena = {0};
	size_t n_hidden;

	if (!plan->sandbox) {
		buf_adds(out, "sandbox      none: it may do whatever you may do\n");
		return;
	}
	buf_addf(out, "sandbox      files read-only, own /tmp and /run, %s\n",
		plan->network ? "shares the NETWORK" : "no network");
	add_field(out, "  may write", plan->directory);
	for (size_t i = 0; i < plan->n_write; i++)
		add_field(out, "  may write", plan->write[i]);
	for (size_t i = 0; i < plan->n_read; i++)
		add_field(out, "  may read", plan->read[i]);
	n_hidden = sandbox_hidden(plan, &arena, hidden);
	for (size_t i = 0; i < n_hidden; i++)
		add_field(out, "  sees empty", hidden[i]);
	arena_release(&arena);
}

void question_describe(const struct plan *plan, const struct proposal *proposal,
	const char *spec_path, struct buf *out)
{
	struct buf warnings = {0};

	buf_adds(out, "This command is proposed, one word a line:\n");
	add_words(out, plan, &warnings);
	if (proposal->request)
		add_field(out, "request", proposal->request);
	add_program(out, plan);
	add_field(out, "directory", plan->directory);
	add_environment(out, plan);
	add_sandbox(out, plan);
	add_field(out, "grammar", spec_path);
	buf_addf(out, "time limit   %d s\n", plan->timeout);
	buf_addf(out, "digest       %.16s\n", plan->digest);
	if (warnings.len)
		buf_add(out, warnings.data, warnings.len);
	for (size_t i = 0; i < proposal->n_dangers; i++) {
		buf_adds(out, "! danger     ");
		visible_plain(out, proposal->dangers[i], strlen(proposal->dangers[i]));
		buf_addc(out, '\n');
	}
	buf_release(&warnings);
}

const char *question_text(const struct proposal *proposal)
{
	return proposal->n_dangers ? "Run this command? Type yes in full to run it [yes/N] "
				   : "Run this command? [y/N] ";
}

int question_answered_yes(const struct proposal *proposal, const char *answer)
{
	char word[8];
	size_t len;

	answer += strspn(answer, " \t");
	len = strlen(answer);
	while (len > 0 && (answer[len - 1] == ' ' || answer[len - 1] == '\t'))
		len--;
	if (len >= sizeof word)
		return 0;
	memcpy(word, answer, len);
	word[len] = '\0';
	if (strcasecmp(word, "yes") == 0)
		return 1;
	return !proposal->n_dangers && strcasecmp(word, "y") == 0;
}
