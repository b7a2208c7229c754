/* helper-options - prints the typed values of its options; t/0012-options.bats drives it. */
#include <stdio.h>

#include "base/error.h"
#include "base/options.h"

static const struct argp_option list[] = {
	{"integer", 'i', "N", 0, "From -5 to 5", 0},
	{"real", 'r', "X", 0, "From 0 to 1", 0},
	{"seed", 's', "N", 0, "Seed", 0},
	{"choice", 'c', "WORD", 0, "strict or graded", 0},
	{"die", 'd', "TEXT", 0, "End with a message", 0},
	{0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	static const char *const names[] = {"strict", "graded", NULL};

	switch (key) {
	case 'i':
		printf("%lld\n", option_integer(state, "--integer", arg, -5, 5));
		return 0;
	case 'r':
		printf("%g\n", option_real(state, "--real", arg, 0, 1));
		return 0;
	case 's':
		printf("%llu\n", (unsigned long long)option_seed(state, arg));
		return 0;
	case 'c':
		printf("%d\n", option_choice(state, "--choice", arg, names));
		return 0;
	case 'd':
		die(EXIT_DATA, "%s", arg);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int main(int argc, char **argv)
{
	static const struct argp argp = {list, parse_option, 0, "Prints values.", 0, 0, 0};

	options_parse(&argp, argc, argv, NULL);
	return EXIT_OK;
}
