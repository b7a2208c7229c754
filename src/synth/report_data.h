/*
 * report_data.h - how good a dataset is: what it covers of its CLI, how long and how
 * varied its requests are, how alike, how balanced, what was rejected, and samples.
 *
 * Measures.  A word is what words.h says.  Wording: the words of a request without
 * those that its argv states, so that two records with one wording differ in values
 * only.  Similarity of two requests: Jaccard's, of their sets of words and pairs of
 * neighbouring words; nearest: to the most similar other one of a sample.
 */
#ifndef SYNTH_REPORT_DATA_H
#define SYNTH_REPORT_DATA_H

#include "base/rng.h"
#include "stream/jsonl.h"
#include "synth/hash_set.h"
#include "synth/report.h"

enum {
	LENGTHS_MAX = 61, /* words of a request; the last: that many or more */
	SIMILAR_SAMPLE = 1000,
	SIMILAR_STEPS = 10, /* the histogram's bins */
	GROUP_SAMPLES_MAX = 50
};

/* Records of one kind ("synth") or rejected for one reason ("leftovers"). */
struct data_group {
	const char *name;
	long long count;
	unsigned n_samples;
	struct data_sample {
		char *request, *answer; /* the command as a shell line, or why not */
	} * samples;			/* of data_report.samples wanted */
};

struct data_groups {
	struct data_group *at;
	size_t n, cap;
};

struct data_report {
	const struct plan *plan;
	struct report coverage;
	unsigned samples; /* wanted of each group */
	long long records, declined, unreadable;
	struct data_groups kinds, splits, rejects;
	long long rejected;
	long long lengths[LENGTHS_MAX], words;
	struct hash_set vocabulary, vocabulary_twice, pairs, wordings;
	long long pairs_seen, wordings_seen;
	/* a uniform sample of requests, each as its sorted features */
	struct data_features {
		uint64_t *at;
		unsigned n;
	} sample[SIMILAR_SAMPLE];
	unsigned n_sample;
	long long nearest[SIMILAR_STEPS]; /* by similarity to the nearest, in tenths */
	double nearest_mean, pairwise_mean, near_share;
	struct rng rng;
	struct arena arena; /* of one record */
	struct arena names;
};

/* plan must outlive the report. */
void data_report_init(struct data_report *r, const struct plan *plan, unsigned samples);
void data_report_release(struct data_report *r);
/* Takes in an accepted record; 0, or -1 where it has no request. */
int data_report_add(struct data_report *r, const struct record *record, struct error *err);
/* Takes in a rejected one: its field reason says why. */
int data_report_add_reject(struct data_report *r, const struct record *record, struct error *err);
/* To be called once all are in: compares the sample. */
void data_report_finish(struct data_report *r);

/* Request length below which share of the requests are, in words. */
int data_report_length(const struct data_report *r, double share);
/* Evenness of the records among commands: entropy by its maximum, in [0, 1]. */
double data_report_balance(const struct data_report *r);

/* The report for a terminal, width columns wide. */
void data_report_text(const struct data_report *r, unsigned width, struct buf *out);
/* The same as one HTML page that needs nothing else. */
void data_report_html(const struct data_report *r, struct buf *out);

#endif
