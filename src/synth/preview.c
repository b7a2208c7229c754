/* preview.c - see preview.h. */
#include "synth/preview.h"

#include <string.h>

void preview_text(const char *text, struct buf *out)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < 0x20 || c == 0x7f)
			buf_addf(out, "\\x%02x", c);
		else
			buf_addc(out, *text);
	}
}

static int is_plain(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "-_./:@%+=,^";

	return *word && strspn(word, plain) == strlen(word);
}

void preview_argv(int argc, const char *const *argv, struct buf *out)
{
	if (argc < 0)
		buf_adds(out, argc == -1 ? "(declined)" : "(no argv)");
	for (int i = 0; i < argc; i++) {
		if (i)
			buf_addc(out, ' ');
		if (is_plain(argv[i])) {
			buf_adds(out, argv[i]);
			continue;
		}
		buf_addc(out, '\'');
		for (const char *s = argv[i]; *s; s++) {
			char one[2] = {*s, '\0'};

			if (*s == '\'')
				buf_adds(out, "'\\''");
			else
				preview_text(one, out);
		}
		buf_addc(out, '\'');
	}
}
