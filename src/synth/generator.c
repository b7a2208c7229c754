/* generator.c - see generator.h. */
#include "synth/generator.h"

#include <string.h>
#include "base/hash.h"
#include "synth/awkward.h"
#include "synth/hard.h"

enum {
	SEED_EVERY = 4,	     /* seeds stand as they are at every 4th place at first */
	TEMPLATE_PERCENT = 5 /* of the records drawn freely */
};

void generator_init(struct generator *g, const struct plan *plan, const struct seeds *seeds,
	uint64_t seed, double out_of_scope)
{
	memset(g, 0, sizeof *g);
	g->plan = plan;
	g->seeds = seeds;
	g->seed = seed;
	g->out_of_scope = out_of_scope;
	g->style = style_usual;
	cover_build(&g->cover, plan, &g->tables);
	composer_init(&g->composer, &g->tables);
	oos_init(&g->oos, plan);
}

void generator_style(struct generator *g, const struct style *style)
{
	g->style = *style;
	g->composer.style = &g->style;
}

void generator_release(struct generator *g)
{
	composer_release(&g->composer);
	oos_release(&g->oos);
	text_release(&g->draft);
	text_release(&g->text);
	buf_release(&g->scratch);
	arena_release(&g->arena);
	arena_release(&g->tables);
}

static void add_json_string(struct buf *out, const char *s, size_t len)
{
	size_t from = 0;

	buf_addc(out, '"');
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c >= 0x20 && c != '"' && c != '\\')
			continue;
		buf_add(out, s + from, i - from);
		from = i + 1;
		if (c >= 0x20) {
			buf_addc(out, '\\');
			buf_addc(out, (char)c);
		} else {
			buf_addf(out, "\\u%04x", c);
		}
	}
	buf_add(out, s + from, len - from);
	buf_addc(out, '"');
}

static void add_literal(struct buf *out, const char *s)
{
	buf_add(out, s, strlen(s));
}

static void add_argv(struct buf *out, int argc, const char *const *argv)
{
	if (argc < 0) {
		add_literal(out, "null");
		return;
	}
	buf_addc(out, '[');
	for (int i = 0; i < argc; i++) {
		if (i)
			buf_addc(out, ',');
		add_json_string(out, argv[i], strlen(argv[i]));
	}
	buf_addc(out, ']');
}

/* A name for the pair: a hash of its JSON text, cli, request and argv. */
static void add_id(struct buf *out, const char *text, size_t len)
{
	uint64_t h = hash_mix(fnv64(FNV64_INIT, text, len));
	char digits[16];

	for (int i = 15; i >= 0; i--, h >>= 4)
		digits[i] = "0123456789abcdef"[h & 15];
	buf_add(out, digits, sizeof digits);
}

static void print_record(struct generator *g, const struct text *t, int argc,
	const char *const *argv, const char *kind, struct buf *out)
{
	struct buf *pair = &g->scratch;

	buf_clear(pair);
	add_literal(pair, "\"cli\":");
	add_json_string(pair, g->plan->spec->name, strlen(g->plan->spec->name));
	add_literal(pair, ",\"request\":");
	add_json_string(pair, t->buf.data, t->buf.len);
	add_literal(pair, ",\"argv\":");
	add_argv(pair, argc, argv);
	add_literal(out, "{\"id\":\"");
	add_id(out, pair->data, pair->len);
	add_literal(out, "\",");
	buf_add(out, pair->data, pair->len);
	add_literal(out, ",\"origin\":{\"by\":\"seed2syn\",\"kind\":\"");
	add_literal(out, kind);
	add_literal(out, "\",\"template\":[");
	for (unsigned i = 0; i < t->n_ids; i++) {
		if (i)
			buf_addc(out, ',');
		add_json_string(out, t->ids[i], strlen(t->ids[i]));
	}
	add_literal(out, "]}}");
}

static void write_down(struct generator *g, struct rng *r)
{
	struct surface surface;
	struct rng *extra = &g->composer.extra;

	surface_draw(&surface, r);
	if (g->style.rate[RATE_TYPOS] >= 0)
		surface.typos = rng_chance(extra, g->style.rate[RATE_TYPOS])
					? 1 + (rng_below(extra, 4) == 0)
					: 0;
	if (rng_chance(extra, g->style.rate[RATE_ORDER] / 2)) /* languages without articles */
		surface.telegraphic = 1;
	surface_apply(&surface, &g->draft, r, &g->text);
}

static void record_seed(
	struct generator *g, const struct seed *seed, struct buf *json, struct generated *what)
{
	text_clear(&g->text);
	text_add(&g->text, seed->request);
	text_id(&g->text, seed->id);
	what->seed = 1;
	what->refusal = seed->argc < 0;
	print_record(g, &g->text, seed->argc, seed->argv, "seed", json);
}

static void record_refusal(
	struct generator *g, struct rng *r, struct buf *json, struct generated *what)
{
	int hard = rng_chance(&g->composer.extra, g->style.rate[RATE_HARD]);

	if (hard && hard_draw(&g->oos, &g->composer, r, &g->arena, &g->scratch, &g->draft)) {
		/* it is written */
	} else if (g->seeds->n_refusals && rng_below(r, 200) == 0) {
		const struct seed *seed =
			&g->seeds->at[g->seeds->refusals[rng_below(r, g->seeds->n_refusals)]];

		text_clear(&g->draft);
		text_add(&g->draft, seed->request);
		text_id(&g->draft, seed->id);
	} else {
		oos_draw(&g->oos, &g->composer, r, &g->draft);
	}
	write_down(g, r);
	what->refusal = 1;
	print_record(g, &g->text, -1, NULL, "out-of-scope", json);
}

/* Whether a request of so many options is wanted at all. */
static int is_sized(const struct generator *g, const struct item_set *set)
{
	return g->style.most < 0 || set->n <= (unsigned)g->style.most;
}

static unsigned size_draw(struct generator *g)
{
	return (unsigned)g->style.least +
	       rng_below(&g->composer.extra, (uint32_t)(g->style.most - g->style.least + 1));
}

/* Which options are stated: a row of the covering array, a seed's, or drawn. */
static const struct seed *choose_set(struct generator *g, uint64_t turn, struct rng *r,
	const struct synth_command **c, struct item_set *set)
{
	const struct seed *seed = NULL;

	if (turn % 2 == 0 && turn / 2 < g->cover.n_rows) {
		const struct cover_row *row = &g->cover.rows[turn / 2];

		*c = &g->plan->commands[row->command];
		*set = row->set;
		if (is_sized(g, set))
			return NULL;
	}
	if (g->seeds->n_draw && rng_below(r, 100) < TEMPLATE_PERCENT) {
		seed = &g->seeds->at[g->seeds->draw[rng_below(r, g->seeds->n_draw)]];
		*c = seed->command;
		*set = seed->set;
		if (is_sized(g, set))
			return seed;
	}
	*c = command_draw(g->plan, r);
	if (g->style.most < 0)
		set_draw(*c, r, set);
	else
		set_draw_sized(*c, size_draw(g), r, set);
	return NULL;
}

static int is_seed_place(const struct generator *g, uint64_t k)
{
	return k % SEED_EVERY == 1 && k / SEED_EVERY < g->seeds->n;
}

static uint64_t seeds_before(const struct generator *g, uint64_t k)
{
	uint64_t n = (k + SEED_EVERY - 2) / SEED_EVERY;

	return n < g->seeds->n ? n : g->seeds->n;
}

void generator_record(struct generator *g, uint64_t k, struct buf *json, struct generated *what)
{
	const struct synth_command *c;
	const struct seed *seed;
	struct item_set set;
	struct rng r, extra;
	/* Seeds stand at places of their own, refusals are spread evenly over the
	 * rest, and what is left is numbered through. */
	uint64_t place = k - seeds_before(g, k);
	uint64_t refusals = (uint64_t)((double)place * g->out_of_scope);
	int refusal = (uint64_t)((double)(place + 1) * g->out_of_scope) > refusals;

	memset(what, 0, offsetof(struct generated, own));
	what->seed = what->refusal = 0;
	rng_init(&r, g->seed, RNG_SYNTH, k, 0);
	rng_init(&extra, g->seed, RNG_SYNTH, k, 1);
	compose_begin(&g->composer, &r, &extra);
	arena_clear(&g->arena);
	if (is_seed_place(g, k)) {
		record_seed(g, &g->seeds->at[k / SEED_EVERY], json, what);
		return;
	}
	if (refusal) {
		record_refusal(g, &r, json, what);
		return;
	}
	seed = choose_set(g, place - refusals, &r, &c, &set);
	label_draw(g->plan, c, &set, &r, &g->arena, &g->scratch, &what->own);
	label_awkward(g->plan, g->style.rate[RATE_SPACES], &g->composer.extra, &g->arena,
		&g->scratch, &what->own);
	what->label = &what->own;
	if (seed)
		seed_fill(seed, &what->own, &r, &g->draft);
	else
		compose(&g->composer, &what->own, &r, &g->draft);
	write_down(g, &r);
	print_record(g, &g->text, what->own.argc, what->own.argv, "synth", json);
}
