#include "rl/guidance.h"

#include <string.h>
#include "base/names.h"

enum {
	KEY_FREE = 0x2000,
	KEY_NO_GROUND
};

static const struct argp_option option_list[] = {
	{"free", KEY_FREE, 0, 0,
		"let answers be anything, not only what the grammar and the request allow", 0},
	{"no-ground", KEY_NO_GROUND, 0, 0, "let values be others than the request states", 0}, {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct guidance_options *o = state->input;

	(void)arg;
	switch (key) {
	case KEY_FREE:
		o->free = 1;
		break;
	case KEY_NO_GROUND:
		o->no_ground = 1;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

const struct argp guidance_argp = {option_list, parse, NULL, NULL, NULL, NULL, NULL};

int guidance_choose(struct policy *p, const struct guidance_options *o,
	struct constraint **constraint, struct error *err)
{
	*constraint = o->free ? NULL : policy_constraint(p, !o->no_ground, err);
	return *constraint || o->free ? 0 : -1;
}

json_t *json_from_guidance(const struct policy *p, int ground, int limit)
{
	return json_pack("{s:s, s:s, s:b, s:i}", "spec", p->spec_hash, "tokenizer",
		tokenizer_hash(p->tokenizer), "ground", ground, "limit", limit);
}

int guidance_read(struct policy *p, const json_t *json, struct constraint **constraint, int *limit,
	struct error *err)
{
	const char *spec, *tokenizer;
	int ground;

	*constraint = NULL;
	*limit = 0;
	if (!json)
		return 0;
	if (json_unpack((json_t *)json, "{s:s, s:s, s:b, s:i}", "spec", &spec, "tokenizer",
		    &tokenizer, "ground", &ground, "limit", limit) != 0 ||
		*limit < 0)
		return error_set(err, EXIT_DATA,
			"field 'policy.constraint': not {spec, tokenizer, ground, limit}");
	if (strcmp(spec, p->spec_hash) != 0)
		return error_set(err, EXIT_DATA,
			"sampled under another grammar: its SHA-256 is %.12s..., the policy's "
			"%.12s...",
			spec, p->spec_hash);
	if (strcmp(tokenizer, tokenizer_hash(p->tokenizer)) != 0)
		return error_set(err, EXIT_DATA,
			"sampled with another tokenizer: its SHA-256 is %.12s..., the policy's "
			"%.12s...",
			tokenizer, tokenizer_hash(p->tokenizer));
	*constraint = policy_constraint(p, ground, err);
	return *constraint ? 0 : -1;
}

/* A span of the record; its text must be that part of the request. */
static int read_span(const json_t *json, const char *request, struct span *span, struct error *err)
{
	json_int_t from, to;
	const char *text, *type;
	size_t len;
	int number;

	if (json_unpack((json_t *)json, "{s:I, s:I, s:s, s:s%}", "from", &from, "to", &to, "type",
		    &type, "text", &text, &len) != 0)
		return error_set(err, EXIT_DATA, "field 'spans': not {from, to, type, text}");
	if (from < 0 || to <= from || (size_t)to > strlen(request) || (size_t)(to - from) != len ||
		memcmp(request + from, text, len) != 0)
		return error_set(err, EXIT_DATA, "field 'spans': not a part of the request");
	number = names_find(span_type_names, type);
	if (number < 0)
		return error_set(err, EXIT_DATA, "field 'spans': no such type: '%.40s'", type);
	*span = (struct span){(size_t)from, (size_t)to, (enum span_type)number};
	return 0;
}

struct walk *guidance_walk(struct constraint *c, int limit, const json_t *record, struct error *err)
{
	const char *request = json_string_value(json_object_get(record, "request"));
	const json_t *list = json_object_get(record, "spans");
	struct span spans[SPANS_MAX];
	size_t n = json_array_size(list);

	if (!request || !json_is_array(list) || n > SPANS_MAX) {
		error_set(err, EXIT_DATA,
			"no 'request' or no 'spans': what the completion could be is not known");
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		if (read_span(json_array_get(list, i), request, &spans[i], err) != 0)
			return NULL;
	return walk_new(c, request, spans, n, limit);
}
