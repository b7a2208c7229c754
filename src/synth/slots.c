/* slots.c - see slots.h. */
#include "synth/slots.h"

#include <string.h>
#include "synth/english.h"
#include "synth/values.h"

static const struct {
	const char *name;
	enum value_kind kind;
} slots[] = {{"port", KIND_PORT}, {"file", KIND_FILE}, {"dir", KIND_DIRECTORY}, {"url", KIND_URL},
	{"image", KIND_IMAGE}, {"name", KIND_NAME}, {"version", KIND_VERSION}, {"host", KIND_HOST},
	{"n", KIND_INTEGER}, {"id", KIND_IDENTIFIER}, {"db", KIND_DATABASE}, {"cmd", KIND_COMMAND},
	{"words", KIND_WORDS}, {"email", KIND_EMAIL}, {"branch", KIND_NAME}};

void slot_add(const char *name, size_t len, struct rng *r, struct buf *scratch, struct text *out)
{
	if (len == 4 && !strncmp(name, "stem", 4)) {
		text_add(out, words_stem.at[rng_below(r, words_stem.n)]);
		return;
	}
	for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) {
		if (strlen(slots[i].name) != len || strncmp(slots[i].name, name, len))
			continue;
		do { /* a command that ends in a full stop reads like a slip */
			buf_clear(scratch);
			value_draw_kind(slots[i].kind, r, scratch);
		} while (scratch->data[scratch->len - 1] == '.');
		text_value(out, scratch->data);
		return;
	}
}

void slots_fill(const char *template, struct rng *r, struct buf *scratch, struct text *out)
{
	const char *open, *close;

	while ((open = strchr(template, '{')) != NULL && (close = strchr(open, '}')) != NULL) {
		text_add_len(out, template, (size_t)(open - template));
		slot_add(open + 1, (size_t)(close - open - 1), r, scratch, out);
		template = close + 1;
	}
	text_add(out, template);
}
