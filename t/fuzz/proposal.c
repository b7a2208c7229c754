/*
 * A record on the input of confirm-exec: what a person is shown is printable ASCII
 * only.
 */
#include "t/fuzz/fuzz.h"

#include "exec/entry.h"
#include "exec/question.h"

static const struct spec *grammar(void)
{
	static struct spec *spec;
	struct error err;

	if (!spec)
		spec = spec_load("testdata/exec/probe.json", &err);
	if (!spec)
		die_error(&err);
	return spec;
}

static void show(struct proposal *p)
{
	static const char *const none[] = {NULL};
	struct plan plan = {.argc = p->argc,
		.argv = p->argv,
		.exe = {.path = "/usr/bin/true", .real_path = "/usr/bin/true"},
		.directory = "/",
		.environment = none,
		.read = none,
		.write = none,
		.audit_directory = ""};
	struct buf text = {0};

	question_describe(&plan, p, "cli.json", NULL, &text);
	for (size_t i = 0; i < text.len; i++)
		fuzz_assert((text.data[i] >= ' ' && text.data[i] <= '~') || text.data[i] == '\n');
	buf_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct record r;
	struct arena arena = {0};
	struct proposal p;
	struct error err;

	record_init(&r);
	if (record_parse(&r, (const char *)data, size, &err) == 0 &&
		proposal_take(&r, &arena, &p, &err) == 0 && p.argc >= 0) {
		if (proposal_verify(grammar(), &arena, &p, &err) == 0)
			show(&p);
		json_decref(entry_refused("0", &p, secrets_hide(&p.secrets, err.message, &arena)));
	}
	record_release(&r);
	arena_release(&arena);
	return 0;
}
