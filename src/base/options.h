/*
 * options.h - what all programs do the same way with glibc's argp.
 *
 * A program declares its struct argp with argp children for the shared options
 * (see stream/filter.h) and calls options_parse() first thing in main.
 */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

/* argp.h brings in getopt.h, whose struct option would collide with that of
 * cli/spec.h: include this header before any other that needs argp. */
#define option getopt_option
#include <argp.h>
#undef option
#include <stdint.h>

/* Sets the program's name, version and exit code for misuse (64), then parses.
 * input is handed to the parser as state->input.  Ends the program on misuse,
 * --help, --usage and --version.  Also makes a closed pipe an error (EPIPE)
 * instead of a silent death, and C the numeric locale. */
void options_parse(const struct argp *argp, int argc, char **argv, void *input);

/* Typed option values: a value out of [min, max] or of the wrong form ends the
 * program with exit 64 and a message that names the option. */
long long option_integer(struct argp_state *state, const char *option, const char *arg,
	long long min, long long max);
double option_real(
	struct argp_state *state, const char *option, const char *arg, double min, double max);
uint64_t option_seed(struct argp_state *state, const char *arg);

/* Index of arg in the NULL-terminated list of names; ends the program with a
 * message that lists them otherwise. */
int option_choice(
	struct argp_state *state, const char *option, const char *arg, const char *const names[]);

#endif
