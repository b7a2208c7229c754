#include "exec/environment.h"

#include <stdlib.h>
#include <string.h>

/* What makes loaders, shells, interpreters and tools run or load something; with * at the
 * end: all that begin so. */
static const char *const steering[] = {"PATH", "IFS", "ENV", "BASH_ENV", "BASHOPTS", "SHELLOPTS",
	"SHELL", "PS4", "PROMPT_COMMAND", "CDPATH", "GLOBIGNORE", "LD_*", "GLIBC_TUNABLES",
	"GCONV_PATH", "LOCPATH", "NLSPATH", "HOSTALIASES", "LOCALDOMAIN", "RES_OPTIONS", "MALLOC_*",
	"PYTHON*", "PERL5*", "PERLLIB", "RUBYOPT", "RUBYLIB", "GEM_PATH", "GEM_HOME",
	"NODE_OPTIONS", "NODE_PATH", "NPM_CONFIG_*", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS",
	"CLASSPATH", "LUA_PATH", "LUA_CPATH", "LUA_INIT", "PHPRC", "PHP_INI_SCAN_DIR", "GIT_*",
	"SSH_ASKPASS", "SUDO_ASKPASS", "EDITOR", "VISUAL", "PAGER", "MANPAGER", "LESSOPEN",
	"LESSCLOSE", "BROWSER", "TERMINFO", "TERMCAP", "ZDOTDIR", "GTK_*", "QT_*"};

static int name_check(const char *name, struct error *err)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
	static const char word[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";

	if (!*name || !strchr(letters, *name) || strspn(name, word) != strlen(name))
		return error_set(err, EXIT_USAGE, "'%s' is no name of a variable to pass on", name);
	for (size_t i = 0; i < sizeof steering / sizeof *steering; i++) {
		size_t len = strlen(steering[i]);
		int open = steering[i][len - 1] == '*';

		if (open ? strncmp(name, steering[i], len - 1) == 0
			 : strcmp(name, steering[i]) == 0)
			return error_set(err, EXIT_USAGE,
				"%s may not be passed on: it can make a command execute what it "
				"says",
				name);
	}
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
	char **list = arena_zalloc(arena, (n + 2) * sizeof *list);
	size_t len = 0;

	list[len++] = assignment("PATH", path, arena);
	for (size_t i = 0; i < n; i++) {
		const char *value;

		if (name_check(pass[i], err) != 0)
			return -1;
		value = getenv(pass[i]);
		if (value && !has(list, len, pass[i]))
			list[len++] = assignment(pass[i], value, arena);
	}
	*environment = list;
	*count = len;
	return 0;
}
