#include "exec/prepare.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exec/environment.h"
#include "exec/run.h"
#include "exec/sandbox.h"

static const char *absolute(
	const char *what, const char *path, struct arena *arena, struct error *err)
{
	char real[PATH_MAX];

	if (!realpath(path, real)) {
		error_set_errno(err, EXIT_USAGE, "%s %s", what, path);
		return NULL;
	}
	return arena_strdup(arena, real);
}

/* Both lists, absolute; what the policy names and is not there is left out. */
static int join_paths(const char *what, const char *const *policy, size_t n,
	const struct text_list *more, struct arena *arena, const char *const **out, size_t *n_out,
	struct error *err)
{
	const char **list = arena_zalloc(arena, (n + more->n + 1) * sizeof *list);
	size_t len = 0;

	for (size_t i = 0; i < n + more->n; i++) {
		const char *path = i < n ? policy[i] : more->items[i - n];

		list[len] = absolute(what, path, arena, err);
		if (list[len])
			len++;
		else if (i >= n || err->system != ENOENT)
			return -1;
	}
	*out = list;
	*n_out = len;
	return 0;
}

static int pin_check(
	const char *path, const char *what, const char *pinned, const char *hash, struct error *err)
{
	if (!pinned || strcmp(pinned, hash) == 0)
		return 0;
	return error_set(err, EXIT_REFUSED,
		"%s: %s has the hash %s, and the policy wants %s: it is another file now", path,
		what, hash, pinned);
}

static int prepare_program(
	const struct rulebook *book, struct arena *arena, struct plan *plan, struct error *err)
{
	const struct rulebook_program *program = rulebook_program(book, plan->argv[0], err);
	struct executable *exe = &plan->exe;

	if (!program || executable_open(program->path, arena, exe, err) != 0)
		return -1;
	if (pin_check(exe->path, "it", program->sha256, exe->identity.hash, err) != 0)
		return -1;
	if (program->interpreter_sha256 && !exe->interpreter)
		return error_set(err, EXIT_REFUSED,
			"%s: the policy pins its interpreter, and it is no script", exe->path);
	return pin_check(exe->path, "its interpreter", program->interpreter_sha256,
		exe->interpreter_identity.hash, err);
}

/* PATH: where the program lies, and the system's places. */
static int prepare_environment(const struct launch *launch,
	const struct rulebook_settings *settings, struct arena *arena, struct plan *plan,
	struct error *err)
{
	size_t n = settings->n_environment + launch->pass.n;
	const char **names = arena_zalloc(arena, (n + 1) * sizeof *names);
	struct buf path = {0};
	char **environment;
	int result;

	for (size_t i = 0; i < n; i++)
		names[i] = i < settings->n_environment
				   ? settings->environment[i]
				   : launch->pass.items[i - settings->n_environment];
	buf_add(&path, plan->exe.path, (size_t)(strrchr(plan->exe.path, '/') - plan->exe.path));
	if (path.len == 0 || strchr(path.data, ':') || strcmp(path.data, "/bin") == 0 ||
		strcmp(path.data, "/usr/bin") == 0 || strcmp(path.data, "/usr/local/bin") == 0)
		buf_clear(&path);
	buf_addf(&path, "%s/usr/local/bin:/usr/bin:/bin", path.len ? ":" : "");
	result = environment_make(
		path.data, names, n, arena, &environment, &plan->n_environment, err);
	buf_release(&path);
	if (result == 0)
		plan->environment = (const char *const *)environment;
	return result;
}

static int prepare_input(
	const char *path, struct arena *arena, struct plan *plan, struct error *err)
{
	struct stat st;

	plan->input = "";
	plan->input_fd = -1;
	if (!path)
		return 0;
	plan->input = absolute("--stdin", path, arena, err);
	if (!plan->input)
		return -1;
	plan->input_fd = open(plan->input, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (plan->input_fd < 0 || fstat(plan->input_fd, &st) != 0)
		return error_set_errno(err, EXIT_USAGE, "--stdin %s", path);
	if (!S_ISREG(st.st_mode))
		return error_set(err, EXIT_USAGE, "--stdin %s: only a plain file", path);
	return 0;
}

int prepare_directory(
	const struct launch *launch, struct arena *arena, struct plan *plan, struct error *err)
{
	struct stat st;
	int fd;

	plan->directory =
		absolute("--cwd", launch->directory ? launch->directory : ".", arena, err);
	if (!plan->directory)
		return -1;
	fd = open(plan->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) != 0)
		return error_set_errno(err, EXIT_USAGE, "--cwd %s", plan->directory);
	plan->directory_device = st.st_dev;
	plan->directory_inode = st.st_ino;
	return fd;
}

static void prepare_settings(const struct launch *launch, const struct rulebook_settings *s,
	const struct rulebook *book, struct arena *arena, struct plan *plan)
{
	struct buf policy = {0};

	buf_addf(&policy, "%s sha256:%s", book->path, book->hash);
	plan->policy = arena_strdup(arena, policy.data);
	buf_release(&policy);
	plan->timeout = s->timeout;
	if (launch->timeout && launch->timeout < s->timeout)
		plan->timeout = launch->timeout;
	plan->output_mib = s->output_mib;
	plan->umask = (int)s->umask;
	plan->limits = s->limits;
	plan->sandbox = !launch->no_sandbox;
	plan->network = launch->network || s->network;
	plan->writable = s->writable;
}

int prepare_plan(const struct launch *launch, const struct rulebook *book,
	const struct rulebook_settings *settings, const struct proposal *proposal, int directory,
	const char *audit, struct arena *arena, struct plan *plan, struct error *err)
{
	plan->argc = proposal->argc;
	plan->argv = proposal->argv;
	plan->audit_directory =
		audit ? arena_strndup(arena, audit, (size_t)(strrchr(audit, '/') - audit)) : "";
	prepare_settings(launch, settings, book, arena, plan);
	if (prepare_program(book, arena, plan, err) != 0 ||
		prepare_environment(launch, settings, arena, plan, err) != 0 ||
		prepare_input(launch->input, arena, plan, err) != 0 ||
		join_paths("--share-read", settings->read, settings->n_read, &launch->read, arena,
			&plan->read, &plan->n_read, err) != 0 ||
		join_paths("--share-write", settings->write, settings->n_write, &launch->write,
			arena, &plan->write, &plan->n_write, err) != 0)
		return -1;
	if (plan->sandbox && (sandbox_possible(plan, err) != 0 || run_probe(plan, err) != 0))
		return -1;
	return plan_digest(plan, directory, plan->digest, err);
}
