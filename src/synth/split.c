#include "synth/split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "text/words.h"

const char *const side_names[] = {"train", "valid", "test", NULL};

/* Chance q of each of n components, of which one suffices, for a share. */
static double component_rate(double share, double n)
{
	return 1 - pow(1 - share, 1 / n);
}

void splitter_init(struct splitter *s, uint64_t seed, const double shares[SIDE_COUNT])
{
	double sum = shares[SIDE_TRAIN] + shares[SIDE_VALID] + shares[SIDE_TEST];
	double test = shares[SIDE_TEST] / sum;
	/* Of the records that no test component has claimed. */
	double valid = test < 1 ? shares[SIDE_VALID] / sum / (1 - test) : 0;

	s->seed = seed;
	s->test = component_rate(test, SPLIT_COMPONENTS);
	s->valid = component_rate(valid, SPLIT_COMPONENTS) * (1 - s->test);
	/* One phrasing and one shape, which is drawn as any other component. */
	s->whole_test = s->test < 1 ? 1 - (1 - test) / (1 - s->test) : 1;
	s->whole_valid = component_rate(valid, 1) * (1 - s->whole_test);
}

/* A number in [0, 1) that belongs to the seed and a name. */
static double draw(uint64_t seed, const void *name, size_t len)
{
	uint64_t hash = fnv64(fnv64(FNV64_INIT, &seed, sizeof seed), name, len);

	return (double)(hash_mix(hash) >> 11) * 0x1p-53;
}

static enum side side_of(double u, double valid, double test)
{
	return u < test ? SIDE_TEST : u < test + valid ? SIDE_VALID : SIDE_TRAIN;
}

enum side split_component(const struct splitter *s, const char *name, size_t len)
{
	/* "KEY/0" and its like with leading zeros */
	size_t digits = len;

	while (digits > 0 && name[digits - 1] == '0')
		digits--;
	if (digits < len && digits > 0 && name[digits - 1] == '/')
		return SIDE_TRAIN;
	return side_of(draw(s->seed, name, len), s->valid, s->test);
}

void shape_name(const struct meaning *m, struct buf *out, size_t *options)
{
	const struct command *path[64];
	size_t depth = 0, positionals = 0;
	const struct option *last = NULL;

	*options = 0;
	for (const struct command *c = m->command; c && depth < 64; c = c->parent)
		path[depth++] = c;
	while (depth > 0) {
		buf_adds(out, path[--depth]->name);
		if (depth)
			buf_addc(out, ' ');
	}
	for (size_t i = 0; i < m->n_items; i++) {
		if (!m->items[i].option) {
			positionals += m->items[i].n_values;
		} else if (m->items[i].option != last) {
			/* Items are in canonical order: equal options are neighbours. */
			last = m->items[i].option;
			buf_addc(out, ' ');
			buf_adds(out, last->name);
			(*options)++;
		}
	}
	buf_addf(out, " +%zu", positionals);
}

/* The request without the values of its argv, in lower case. */
static void request_skeleton(
	const char *request, size_t len, const struct meaning *m, struct buf *out)
{
	for (size_t i = 0; i < len;) {
		size_t cut = 0;

		for (size_t k = 0; m && k < m->n_items; k++) {
			for (size_t v = 0; v < m->items[k].n_values; v++) {
				size_t n = strlen(m->items[k].values[v]);

				if (n > cut && n <= len - i &&
					memcmp(request + i, m->items[k].values[v], n) == 0 &&
					(i == 0 || !byte_in_word((unsigned char)request[i - 1])) &&
					(i + n == len ||
						!byte_in_word((unsigned char)request[i + n])))
					cut = n;
			}
		}
		if (cut)
			buf_addc(out, '\0');
		else
			buf_addc(out, (char)byte_lower((unsigned char)request[i]));
		i += cut ? cut : 1;
	}
}

static enum side later(enum side a, enum side b)
{
	return a > b ? a : b;
}

static enum side split_phrasings(
	const struct splitter *s, const json_t *components, struct split_parts *parts)
{
	enum side found = SIDE_TRAIN;

	for (size_t i = 0; i < json_array_size(components); i++) {
		const json_t *name = json_array_get(components, i);
		size_t len = json_string_length(name);

		if (!json_is_string(name))
			continue;
		found = later(found, split_component(s, json_string_value(name), len));
		if (parts->n_phrasings < sizeof parts->phrasings / sizeof *parts->phrasings)
			parts->phrasings[parts->n_phrasings++] =
				hash_mix(fnv64(FNV64_INIT, json_string_value(name), len)) | 1;
	}
	return found;
}

enum side split_record(const struct splitter *s, const json_t *components, const char *request,
	size_t len, const struct meaning *m, struct split_parts *parts)
{
	enum side found;
	struct buf name = {0};
	size_t options;

	*parts = (struct split_parts){0};
	if (json_array_size(components) > 0) {
		found = split_phrasings(s, components, parts);
	} else {
		request_skeleton(request, len, m, &name);
		parts->phrasings[parts->n_phrasings++] =
			hash_mix(fnv64(FNV64_INIT, name.data, name.len)) | 1;
		found = side_of(draw(s->seed, name.data, name.len), s->whole_valid, s->whole_test);
	}
	if (m) {
		buf_clear(&name);
		shape_name(m, &name, &options);
		parts->shape = hash_mix(fnv64(FNV64_INIT, name.data, name.len)) | 1;
		if (options >= 2)
			found = later(found,
				side_of(draw(s->seed, name.data, name.len), s->valid, s->test));
	}
	buf_release(&name);
	return found;
}

int split_shares_parse(const char *text, double shares[SIDE_COUNT])
{
	double sum = 0;

	for (int i = 0; i < SIDE_COUNT; i++) {
		char *end;

		if ((*text < '0' || *text > '9') && *text != '.')
			return -1;
		shares[i] = strtod(text, &end);
		if (end == text || *end != (i + 1 < SIDE_COUNT ? ',' : '\0') ||
			!(shares[i] >= 0 && shares[i] <= 1e9))
			return -1;
		sum += shares[i];
		text = end + 1;
	}
	return sum > 0 ? 0 : -1;
}
