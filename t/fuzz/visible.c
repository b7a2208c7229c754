/*
 * Text from strangers on a terminal: printable ASCII only, and the text can be told
 * from what is shown.
 * seeds: testdata/stream/hostile.jsonl
 */
#include "t/fuzz/fuzz.h"

#include "exec/visible.h"
#include "text/utf8.h"

static void plain_ascii(const struct buf *b)
{
	for (size_t i = 0; i < b->len; i++)
		fuzz_assert(b->data[i] >= ' ' && b->data[i] <= '~');
}

/* Reads the notation back. */
static void read_back(const char *s, size_t len, struct buf *out)
{
	char code[4];

	for (size_t i = 0; i < len; i++) {
		if (s[i] != '\\') {
			buf_addc(out, s[i]);
			continue;
		}
		i++;
		if (s[i] == 'x' || s[i] == 'u') {
			char *end;
			unsigned long value = strtoul(s + i + 2, &end, 16);

			fuzz_assert(s[i + 1] == '{' && *end == '}');
			if (s[i] == 'x')
				buf_addc(out, (char)value);
			else
				buf_add(out, code, utf8_encode((uint32_t)value, code));
			i = (size_t)(end - s);
		} else {
			fuzz_assert(s[i] == '"' || s[i] == '\\');
			buf_addc(out, s[i]);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf shown = {0}, back = {0};
	char *exact = xmalloc(size);
	char *word = xstrndup((const char *)data, size);

	if (size)
		memcpy(exact, data, size);
	visible_quoted(&shown, exact, size);
	plain_ascii(&shown);
	fuzz_assert(shown.len >= 2 && shown.data[0] == '"' && shown.data[shown.len - 1] == '"');
	read_back(shown.data + 1, shown.len - 2, &back);
	fuzz_assert(back.len == size && (!size || memcmp(back.data, data, size) == 0));
	buf_clear(&shown);
	visible_plain(&shown, exact, size);
	plain_ascii(&shown);
	buf_clear(&shown);
	visible_shell(&shown, word);
	plain_ascii(&shown);
	buf_release(&shown);
	buf_release(&back);
	free(exact);
	free(word);
	return 0;
}
