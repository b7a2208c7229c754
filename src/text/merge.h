/* merge.h - BPE of one word. */
#ifndef TEXT_MERGE_H
#define TEXT_MERGE_H

#include "text/tokenizer_internal.h"

/* Appends the ids of a word of any bytes: the merge of lowest rank first, leftmost
 * of several.  dropout: probability that a merge is passed over each time that it
 * comes up (Provilkov et al. 2020); rng is used only where it is above 0. */
void merge_word(struct tokenizer *t, const char *word, size_t len, double dropout, struct rng *rng,
	struct ids *out);
void merge_work_release(struct merge_work *w);

#endif
