#include "exec/entry.h"

#include <string.h>
#include <unistd.h>

#include "exec/visible.h"
#include "stream/jsonl.h"

/* Paths need not be UTF-8: then they are logged as they are shown. */
static json_t *json_text(const char *text)
{
	json_t *json = json_string(text);
	struct buf shown = {0};

	if (json)
		return json;
	visible_plain(&shown, text, strlen(text));
	json = json_string(shown.data ? shown.data : "");
	buf_release(&shown);
	return json;
}

static json_t *environment_names(const struct plan *plan)
{
	json_t *names = json_array();

	for (size_t i = 0; i < plan->n_environment; i++) {
		const char *entry = plan->environment[i];

		json_array_append_new(names, json_stringn(entry, strcspn(entry, "=")));
	}
	return names;
}

static json_t *text_list(size_t n, const char *const *list)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(array, json_text(list[i]));
	return array;
}

json_t *entry_decision(const char *run, const struct proposal *proposal, const struct plan *p,
	const char *spec_hash, const char *decision, const char *why)
{
	json_t *entry = json_object();

	json_object_set_new(entry, "event", json_string("decision"));
	json_object_set_new(entry, "run", json_string(run));
	json_object_set_new(entry, "decision", json_string(decision));
	json_object_set_new(entry, "argv", json_from_argv(proposal->argc, proposal->secrets.argv));
	json_object_set_new(entry, "program", json_text(p->exe.path));
	json_object_set_new(entry, "hash", json_string(p->exe.identity.hash));
	if (*p->policy)
		json_object_set_new(entry, "policy", json_text(p->policy));
	if (why)
		json_object_set_new(entry, "rule", json_text(why));
	if (*p->input)
		json_object_set_new(entry, "input", json_text(p->input));
	json_object_set_new(entry, "directory", json_text(p->directory));
	json_object_set_new(entry, "environment", environment_names(p));
	json_object_set_new(entry, "sandbox", json_boolean(p->sandbox));
	json_object_set_new(entry, "network", json_boolean(p->network || !p->sandbox));
	json_object_set_new(entry, "writable", json_boolean(p->writable || !p->sandbox));
	json_object_set_new(entry, "write", text_list(p->n_write, p->write));
	json_object_set_new(entry, "timeout", json_integer(p->timeout));
	json_object_set_new(entry, "spec", json_string(spec_hash));
	json_object_set_new(entry, "digest", json_string(p->digest));
	json_object_set_new(entry, "uid", json_integer((json_int_t)getuid()));
	return entry;
}

json_t *entry_end(const char *run, const struct outcome *o, int status)
{
	json_t *entry = json_object();

	json_object_set_new(entry, "event", json_string("end"));
	json_object_set_new(entry, "run", json_string(run));
	json_object_set_new(entry, "started", json_boolean(o->started));
	json_object_set_new(entry, "status", json_integer(status));
	json_object_set_new(entry, "signal", o->signal ? json_integer(o->signal) : json_null());
	json_object_set_new(entry, "timed_out", json_boolean(o->bound == BOUND_TIME));
	if (o->bound != BOUND_NONE)
		json_object_set_new(entry, "bound", json_string(bound_names[o->bound]));
	json_object_set_new(entry, "output", json_integer((json_int_t)o->output));
	json_object_set_new(entry, "seconds", json_real(o->seconds));
	if (!o->started && o->bound == BOUND_NONE)
		json_object_set_new(entry, "error", json_text(o->failure.message));
	return entry;
}

json_t *entry_refused(const char *run, const struct proposal *proposal, const char *reason)
{
	int argc = proposal->too_long ? -1 : proposal->argc;
	json_t *entry = json_object();

	json_object_set_new(entry, "event", json_string("decision"));
	json_object_set_new(entry, "run", json_string(run));
	json_object_set_new(entry, "decision", json_string("refused"));
	json_object_set_new(entry, "reason", json_text(reason));
	json_object_set_new(entry, "argv", json_from_argv(argc, proposal->secrets.argv));
	return entry;
}
