/* english.h - the generic English and the raw material of values, as tables.
 *
 * Nothing here knows a particular command-line tool.  words_values.c holds stems
 * of values, words_frames.c how people wrap a request, words_verbs.c verbs and
 * clause patterns, words_oos.c requests that no tool of ours should serve. */
#ifndef SYNTH_ENGLISH_H
#define SYNTH_ENGLISH_H

#include <stddef.h>

/* A list of strings. */
struct words {
	const char *const *at;
	unsigned n;
};

/* words_values.c */
extern const struct words words_stem, words_adjective, words_directory, words_root, words_file,
	words_domain, words_label, words_registry, words_tool_command, words_short, words_topic,
	words_region, words_code_file;

/* In which shape a frame takes the command: "start x", "starting x". */
enum frame_form {
	FORM_BASE,
	FORM_GERUND
};

/* A frame: what stands before and after the request's body. */
struct frame {
	const char *before, *after;
	enum frame_form form;
	int question; /* ends in "?" */
	int weight;
};
extern const struct frame frames[];
extern const unsigned n_frames;

/* Context that states nothing about the command. */
extern const struct words words_prefix, words_suffix, words_greeting, words_thanks, words_story;

/* How people in a hurry write a word. */
struct short_form {
	const char *word, *shorter;
};
extern const struct short_form short_forms[];
extern const unsigned n_short_forms;

/* words_verbs.c: verbs of one class can stand for each other. */
struct verb_class {
	const char *const *verbs; /* NULL-terminated, base form */
};
extern const struct verb_class verb_classes[];
extern const unsigned n_verb_classes;
extern const struct words words_verb;	      /* first words of an imperative */
extern const struct words words_phrasal;      /* verbs of several words */
extern const struct words words_preposition;  /* first words of an adverbial clause */
extern const struct words words_subject;      /* first words of a finite sentence */
extern const struct words words_value_clause; /* "with the %n set to {}" */
extern const struct words words_list_clause;
extern const struct words words_flag_verb; /* around an imperative: "make it %v" */

/* words_oos.c */
extern const struct words oos_task, oos_small_talk, oos_concept, oos_danger, oos_missing,
	oos_missing_command, oos_feature_verb, oos_feature_tail, oos_wish;

#endif
