#include "exec/grammar.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

enum {
	NAME_MAX_LENGTH = 64
};

char *grammar_find(const char *cli, struct error *err)
{
	static const char *const places[] = {"seeds", "share/cli-learn/seeds"};
	static const char word[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	char self[PATH_MAX];
	struct buf path = {0};
	ssize_t n;

	if (!cli || !*cli || strlen(cli) > NAME_MAX_LENGTH || strspn(cli, word) != strlen(cli)) {
		error_set(err, EXIT_NOINPUT,
			"no CLI is named whose grammar could be found: --spec FILE");
		return NULL;
	}
	n = readlink("/proc/self/exe", self, sizeof self - 1);
	if (n < 0) {
		error_set_errno(err, EXIT_IO, "/proc/self/exe");
		return NULL;
	}
	self[n] = '\0';
	*strrchr(self, '/') = '\0';
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		buf_clear(&path);
		buf_addf(&path, "%s/../%s/%s/cli.json", self, places[i], cli);
		if (access(path.data, F_OK) == 0)
			return buf_detach(&path);
	}
	buf_release(&path);
	error_set(err, EXIT_NOINPUT, "there is no grammar of '%s' beside the programs: --spec FILE",
		cli);
	return NULL;
}
