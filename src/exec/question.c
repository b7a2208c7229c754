#include "exec/question.h"

#include <string.h>
#include <strings.h>

#include "exec/provenance.h"
#include "exec/sandbox.h"
#include "exec/visible.h"

static void add_field(struct buf *out, const char *name, const char *value)
{
	buf_addf(out, "%-12s ", name);
	visible_quoted(out, value, strlen(value));
	buf_addc(out, '\n');
}

static void add_notes(const struct proposal *p, int i, struct buf *out)
{
	static const char *const from[] = {
		[WORD_STATED] = "in the request", [WORD_UNSTATED] = "NOT in the request"};
	enum provenance provenance = provenance_of(p, i);
	const char *danger = p->at_word ? p->at_word[i] : NULL;

	if (provenance != WORD_GRAMMAR)
		buf_addf(out, "    (%s)", from[provenance]);
	if (danger) {
		buf_adds(out, "    <== DANGER: ");
		visible_plain(out, danger, strlen(danger));
	}
}

static void add_words(
	struct buf *out, const struct plan *plan, const struct proposal *p, struct buf *warnings)
{
	for (int i = 0; i < plan->argc; i++) {
		unsigned kinds;

		buf_addf(out, "%4d %c ", i, p->at_word && p->at_word[i] ? '!' : ' ');
		kinds = visible_shell(out, plan->argv[i]);
		add_notes(p, i, out);
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
		buf_adds(out, "sandbox      none: it may do whatever you may do, to files, network "
			      "and other processes\n");
		return;
	}
	buf_addf(out, "sandbox      files read-only, own /tmp and /run, %s\n",
		plan->network ? "shares the NETWORK" : "no network");
	if (plan->writable)
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

static void add_limits(struct buf *out, const struct plan *plan)
{
	const struct limits *l = &plan->limits;

	buf_addf(out, "limits       %d s, %d MiB of output", plan->timeout, plan->output_mib);
	if (l->processes)
		buf_addf(out, ", %d processes", l->processes);
	if (l->memory_mib)
		buf_addf(out, ", %d MiB of memory each", l->memory_mib);
	buf_addc(out, '\n');
}

static void add_dangers(struct buf *out, const struct proposal *p)
{
	for (size_t i = 0; i < p->n_dangers; i++) {
		buf_adds(out, "! danger     ");
		visible_plain(out, p->dangers[i], strlen(p->dangers[i]));
		buf_addc(out, '\n');
	}
}

void question_describe(const struct plan *plan, const struct proposal *proposal,
	const char *spec_path, const char *policy, struct buf *out)
{
	struct buf warnings = {0};

	buf_adds(out, "This command is proposed, one word a line:\n");
	add_words(out, plan, proposal, &warnings);
	if (proposal->request)
		add_field(out, "request", proposal->request);
	add_program(out, plan);
	add_field(out, "directory", plan->directory);
	add_environment(out, plan);
	if (plan->input && *plan->input)
		add_field(out, "reads", plan->input);
	add_sandbox(out, plan);
	if (proposal->network && plan->sandbox && !plan->network)
		buf_adds(
			out, "! note       it needs the network, which the policy does not open\n");
	add_field(out, "grammar", spec_path);
	if (policy)
		add_field(out, "policy", policy);
	add_limits(out, plan);
	buf_addf(out, "digest       %.16s\n", plan->digest);
	if (warnings.len)
		buf_add(out, warnings.data, warnings.len);
	add_dangers(out, proposal);
	buf_release(&warnings);
}

void question_warn_long(struct buf *text, unsigned lines, unsigned columns)
{
	unsigned long long used = 2; /* the question, and this */
	size_t column = 0;

	lines = lines ? lines : 24;
	columns = columns ? columns : 80;
	for (size_t i = 0; i < text->len; i++) {
		if (text->data[i] != '\n') {
			column++;
			continue;
		}
		used += column ? (column + columns - 1) / columns : 1;
		column = 0;
	}
	if (used > lines)
		buf_addf(text,
			"! long       %llu lines, and this terminal shows %u: scroll up to "
			"word 0\n",
			used, lines);
}

const char *question_text(const struct proposal *proposal)
{
	return proposal->n_dangers ? "Run this command? Type yes in full to run it [yes/N] "
				   : "Run this command? [y/N] ";
}

int question_answered_yes(const struct proposal *proposal, const char *answer, size_t len)
{
	char word[4] = "";

	while (len > 0 && (*answer == ' ' || *answer == '\t')) {
		answer++;
		len--;
	}
	while (len > 0 && (answer[len - 1] == ' ' || answer[len - 1] == '\t'))
		len--;
	if (len >= sizeof word || memchr(answer, '\0', len))
		return 0;
	memcpy(word, answer, len);
	if (strcasecmp(word, "yes") == 0)
		return 1;
	return !proposal->n_dangers && strcasecmp(word, "y") == 0;
}
