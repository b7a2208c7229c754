#include "base/options.h"

#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/number.h"

#ifndef VERSION
#define VERSION "0.1.0"
#endif

void options_parse(const struct argp *argp, int argc, char **argv, void *input)
{
	static char version[128];

	program_name_set(argc > 0 ? argv[0] : NULL);
	snprintf(version, sizeof version, "%.100s %s", program_name(), VERSION);
	argp_program_version = version;
	argp_err_exit_status = EXIT_USAGE;
	signal(SIGPIPE, SIG_IGN);
	setlocale(LC_NUMERIC, "C");
	argp_parse(argp, argc, argv, 0, NULL, input);
}

long long option_integer(
	struct argp_state *state, const char *option, const char *arg, long long min, long long max)
{
	struct error err;
	long long value = 0;

	if (number_integer(arg, min, max, &value, &err) != 0)
		argp_error(state, "%s: %s", option, err.message);
	return value;
}

double option_real(
	struct argp_state *state, const char *option, const char *arg, double min, double max)
{
	struct error err;
	double value = 0;

	if (number_real(arg, min, max, &value, &err) != 0)
		argp_error(state, "%s: %s", option, err.message);
	return value;
}

uint64_t option_seed(struct argp_state *state, const char *arg)
{
	return (uint64_t)option_integer(state, "--seed", arg, 0, INT64_MAX);
}

int option_choice(
	struct argp_state *state, const char *option, const char *arg, const char *const names[])
{
	int found = names_find(names, arg);
	struct buf list = {0};

	if (found >= 0)
		return found;
	for (int i = 0; names[i]; i++)
		buf_addf(&list, "%s%s", i ? ", " : "", names[i]);
	argp_error(state, "%s: '%s' is none of %s", option, arg, list.data ? list.data : "");
	buf_release(&list);
	return 0;
}
