#include "exec/environment.h"

#include <stdlib.h>
#include <string.h>

static const char *const allowed[] = {"HOME", "LANG", "TERM", "USER"};
enum {
	N_ALLOWED = sizeof allowed / sizeof *allowed
};

static int name_check(const char *name, struct error *err)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
	static const char word[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";

	if (!*name || !strchr(letters, *name) || strspn(name, word) != strlen(name))
		return error_set(
			err, EXIT_USAGE, "--pass-env: '%s' is no name of a variable", name);
	if (strcmp(name, "PATH") == 0 || strncmp(name, "LD_", 3) == 0)
		return error_set(err, EXIT_USAGE, "--pass-env: %s may not be passed on", name);
	return 0;
}

static char *assignment(const char *name, const char *value, struct arena *arena)
{
	size_t name_len = strlen(name), value_len = strlen(value);
	char *text = arena_alloc(arena, name_len + value_len + 2);

	memcpy(text, name, name_len);
	text[name_len] = '=';
	memcpy(text + name_len + 1, value, value_len + 1);
	return text;
}

static int has(char *const *environment, size_t n, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < n; i++)
		if (strncmp(environment[i], name, len) == 0 && environment[i][len] == '=')
			return 1;
	return 0;
}

int environment_make(const char *path, const char *const *pass, size_t n, struct arena *arena,
	char ***environment, size_t *count, struct error *err)
{
	char **list = arena_zalloc(arena, (N_ALLOWED + n + 2) * sizeof *list);
	size_t len = 0;

	list[len++] = assignment("PATH", path, arena);
	for (size_t i = 0; i < N_ALLOWED + n; i++) {
		const char *name = i < N_ALLOWED ? allowed[i] : pass[i - N_ALLOWED];
		const char *value;

		if (i >= N_ALLOWED && name_check(name, err) != 0)
			return -1;
		value = getenv(name);
		if (value && !has(list, len, name))
			list[len++] = assignment(name, value, arena);
	}
	*environment = list;
	*count = len;
	return 0;
}
