/* answer.h - inside text/: printing with words kept from being spans. */
#ifndef TEXT_ANSWER_H
#define TEXT_ANSWER_H

#include "text/spans.h"

/* Appends word as a JSON string. */
void json_word(const char *word, size_t len, struct buf *out);

/* answer_print, where the first `fixed` words are never spans. */
void answer_print_fixed(int argc, const char *const *argv, int fixed, const char *request,
	const struct span *spans, size_t n_spans, struct buf *out);

#endif
