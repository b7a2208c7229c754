/*
 * Constrained decoding: a grammar as in specs.h, NUL, the request, NUL, two bytes (how the
 * vocabulary was made, how spans are shown, whether values must be stated; the limit), and
 * two bytes for each choice.  There is always a choice, and whatever is chosen ends in a
 * valid, canonical, stated command, which can be followed and said again.
 * seeds: testdata/cli testdata/exec/mark.json testdata/synth
 */
#include "t/fuzz/specs.h"

#include "text/constraint.h"
#include "text/ground.h"
#include "text/words.h"

enum {
	SPELLINGS = 2, /* answers have tokens of their own; or bytes and a few merges */
	STEPS_MAX = 400,
	FREE_STEPS_MAX = 24, /* values that may be anything are looked at anew for each token */
	LIMITS = 48
};

struct speaker {
	struct arena arena;
	struct tokenizer *tokenizer;
	struct lexicon *lexicon;
	struct prompter prompter;
	struct constraint *constraints[2]; /* by ground */
};

static void speaker_close(struct speaker *s)
{
	constraint_free(s->constraints[0]);
	constraint_free(s->constraints[1]);
	lexicon_free(s->lexicon);
	tokenizer_free(s->tokenizer);
	arena_release(&s->arena);
}

static void speaker_open(
	struct speaker *s, const struct spec *spec, unsigned spelling, enum spans_mode mode)
{
	static const char *const texts[] = {" start the server on port and wait for it",
		" ./src/agent . json", "\",\"--", "\",$", "null", "\"]"};
	static const char *const words[] = {"start", "the", "server", "on", "port", "with"};
	struct added_token *added;
	size_t n = answer_tokens(spec, &s->arena, &added), kept = 0;
	struct error err;

	for (size_t i = 0; i < n; i++)
		if (spelling == 0 || added[i].special || added[i].content[0] == '$')
			added[kept++] = added[i];
	s->tokenizer = tokenizer_train(texts, 6, 60, added, kept, &err);
	if (!s->tokenizer)
		die_error(&err);
	s->lexicon = lexicon_new();
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		lexicon_add(s->lexicon, words[i], strlen(words[i]));
	if (prompter_init(&s->prompter, s->tokenizer, s->lexicon, mode, &err) != 0)
		die_error(&err);
}

static struct constraint *speaker_constraint(struct speaker *s, const struct spec *spec, int ground)
{
	struct constraint **c = &s->constraints[ground];
	struct error err;

	if (!*c)
		*c = constraint_new(spec, &s->prompter, ground, &err);
	if (!*c)
		die_error(&err);
	constraint_keep(*c, 1 << 20);
	return *c;
}

/* Those of our own grammars are kept. */
static struct speaker *speaker_known(
	const struct spec *spec, unsigned spelling, enum spans_mode mode)
{
	static struct {
		const struct spec *spec;
		struct speaker speaker;
	} known[FUZZ_SPECS][SPELLINGS][SPANS_NONE + 1];
	size_t at = 0;

	while (known[at][spelling][mode].spec && known[at][spelling][mode].spec != spec)
		at++;
	if (!known[at][spelling][mode].spec) {
		known[at][spelling][mode].spec = spec;
		speaker_open(&known[at][spelling][mode].speaker, spec, spelling, mode);
	}
	return &known[at][spelling][mode].speaker;
}

/* 1 where the answer is a command, or null.  Only values that may be anything can lead to
 * one that is not finished. */
static int judge(const struct speaker *s, const struct spec *spec, const char *request,
	const struct ids *ids, const struct span *spans, size_t n_spans, int ground, int *argc,
	const char ***argv, struct arena *arena)
{
	const struct meaning_item *item;
	struct meaning meaning;
	struct buf plain = {0};
	struct verdict v;
	struct error err;

	if (answer_decode(&s->prompter, ids->data, ids->len, request, spans, n_spans, arena, argc,
		    argv, NULL, &err) != 0) {
		fuzz_assert(!ground);
		return 0;
	}
	if (*argc < 0)
		return 1;
	fuzz_assert(verify(spec, *argc, *argv, arena, &meaning, &v) == VERDICT_OK);
	fuzz_assert(argv_is_canonical(spec, *argc, *argv, arena));
	words_plain(request, strlen(request), &plain);
	fuzz_assert(!ground || !ground_check(plain.data, plain.len, &meaning, &item));
	buf_release(&plain);
	return 1;
}

/* Chooses until the answer ends; 0 where it is left unfinished. */
static int draw(const struct speaker *s, struct walk *w, size_t most, struct fuzz_input *in,
	struct ids *ids)
{
	struct guide *g = walk_guide(w);
	int32_t state = 0, token = -1;

	while (token != s->prompter.end_id && ids->len < most) {
		const struct choices *c = g->choices(g, state);
		size_t at = 0;

		fuzz_assert(c->n > 0);
		for (int i = 0; c->n > 1 && i < 2 && in->size; i++) {
			at = at << 8 | *in->data++;
			in->size--;
		}
		/* Behind the input's end: what is nearest to the end, often. */
		token = c->ids[at ? at % (size_t)c->n : (size_t)c->n - 1];
		if (!in->size && choices_have(c, s->prompter.end_id))
			token = s->prompter.end_id;
		ids_add(ids, token);
		state = g->next(g, state, token);
		fuzz_assert(state >= 0);
	}
	return token == s->prompter.end_id;
}

static void use(struct speaker *s, const struct spec *spec, const char *request, int ground,
	int max_tokens, struct fuzz_input *in)
{
	struct constraint *c = speaker_constraint(s, spec, ground);
	const int limit = constraint_limit(c, max_tokens);
	struct span spans[SPANS_MAX];
	struct ids prompt = {0}, ids = {0};
	struct choice_list list = {0};
	struct arena arena = {0};
	size_t n_spans =
		prompt_encode(&s->prompter, request, strlen(request), NULL, NULL, spans, &prompt);
	struct walk *w = walk_new(c, request, spans, n_spans, limit);
	size_t at, n;
	const char **argv;
	struct error err;
	int argc;

	if (draw(s, w, ground ? STEPS_MAX : FREE_STEPS_MAX, in, &ids)) {
		fuzz_assert(!limit || !ground || ids.len <= (size_t)limit);
		const int said =
			judge(s, spec, request, &ids, spans, n_spans, ground, &argc, &argv, &arena);

		n = ids.len;
		fuzz_assert(walk_follow(w, ids.data, n, &list, &at) == 0 && list.len == n);
		fuzz_assert(!said || walk_answer(w, argc, argv, &ids, NULL, &err) == 0 ||
			    (limit && max_tokens));
	}
	/* Tokens that nobody drew. */
	ids.len = 0;
	for (; in->size; in->data++, in->size--)
		ids_add(&ids, (int32_t)(*in->data * 3U % tokenizer_size(s->tokenizer)));
	walk_follow(w, ids.data, ids.len, &list, &at);
	choice_list_release(&list);
	walk_free(w);
	ids_release(&ids);
	ids_release(&prompt);
	arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	struct speaker own_speaker = {0}, *s = &own_speaker;
	struct spec *own;
	const struct spec *spec = fuzz_spec(&in, &own);
	struct buf request = {0};
	uint8_t how[2] = {1, 0};
	enum spans_mode mode;
	size_t len;
	char *part;

	if (!spec)
		return 0;
	part = fuzz_part(&in, &len);
	utf8_repair(part, len, &request);
	buf_addc(&request, ' ');
	free(part);
	for (int i = 0; i < 2 && in.size; i++, in.size--)
		how[i] = *in.data++;
	mode = (enum spans_mode)((how[0] >> 3) % (SPANS_NONE + 1));
	if (own)
		speaker_open(s, spec, (how[0] >> 2) % SPELLINGS, mode);
	else
		s = speaker_known(spec, (how[0] >> 2) % SPELLINGS, mode);
	use(s, spec, request.data, (how[0] & 3) != 0, how[1] % LIMITS < 5 ? 0 : how[1] % LIMITS,
		&in);
	if (own)
		speaker_close(s);
	buf_release(&request);
	spec_free(own);
	return 0;
}
