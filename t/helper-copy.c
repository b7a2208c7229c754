/*
 * helper-copy - the smallest filter: records in, records out.  The stream tests
 * drive it; --set adds or replaces a field, --refuse calls a record bad, --flush
 * ends a batch after each record.
 */
#include <string.h>

#include "base/options.h"
#include "stream/filter.h"

struct options {
	struct filter_options filter;
	char *name, *value;
	const char *refuse;
	int flush;
};

static const struct argp_option options_list[] = {
	{"set", 's', "NAME=JSON", 0, "Set a field of every record", 0},
	{"refuse", 'r', "FIELD", 0, "Records with this field are bad", 0},
	{"flush", 'f', 0, 0, "Flush after every record", 0},
	{0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->filter;
		return 0;
	case 's':
		o->name = arg;
		o->value = strchr(arg, '=');
		if (!o->value)
			argp_error(state, "--set: '%s' has no =", arg);
		*o->value++ = '\0';
		return 0;
	case 'r':
		o->refuse = arg;
		return 0;
	case 'f':
		o->flush = 1;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {{&filter_argp, 0, "Streams", 0}, {0}};
static const struct argp argp = {options_list, parse_option, 0, "Copies records.", children, 0, 0};

int main(int argc, char **argv)
{
	struct options o = {0};
	struct record r = {0};
	struct filter f;

	options_parse(&argp, argc, argv, &o);
	filter_open(&f, &o.filter);
	while (filter_next(&f, &r)) {
		if (o.refuse && json_object_get(r.json, o.refuse)) {
			filter_bad(&f, &r, "field '%s' is not wanted", o.refuse);
			continue;
		}
		if (o.name)
			record_set(&r, o.name, json_loads(o.value, JSON_DECODE_ANY, NULL));
		filter_put(&f, &r);
		if (o.flush)
			filter_flush(&f);
	}
	record_release(&r);
	return filter_close(&f);
}
