#include "exec/sandbox.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const sandbox_directories[] = {"/usr/bin", "/usr/local/bin", "/bin", NULL};

static const char *const private_directories[] = {"/tmp", "/var/tmp", "/run"};
enum {
	N_PRIVATE = sizeof private_directories / sizeof *private_directories
};

static int is_below(const char *path, const char *directory)
{
	size_t len = strlen(directory);

	return strncmp(path, directory, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

static int is_private(const char *path)
{
	for (size_t i = 0; i < N_PRIVATE; i++)
		if (is_below(path, private_directories[i]))
			return 1;
	return 0;
}

int sandbox_possible(const struct plan *plan, struct error *err)
{
	static const char *const system[] = {"/", "/usr", "/etc", "/bin", "/sbin", "/lib", "/lib64",
		"/boot", "/dev", "/proc", "/sys", "/var"};

	for (size_t i = 0; plan->writable && i < sizeof system / sizeof *system; i++)
		if (strcmp(plan->directory, system[i]) == 0)
			return error_set(err, EXIT_REFUSED,
				"the sandbox would have to make %s writable; give another --cwd",
				plan->directory);
	return 0;
}

const char *sandbox_script_path(const struct plan *plan)
{
	return is_private(plan->exe.path) ? plan->exe.real_path : plan->exe.path;
}

struct list {
	const char **words;
	size_t n;
};

static void add(struct list *l, const char *a, const char *b, const char *c)
{
	l->words[l->n++] = a;
	if (b)
		l->words[l->n++] = b;
	if (c)
		l->words[l->n++] = c;
}

static void add_namespaces(struct list *l, const struct plan *plan)
{
	add(l, "bwrap", "--die-with-parent", "--unshare-pid");
	add(l, "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try");
	if (!plan->network)
		add(l, "--unshare-net", NULL, NULL);
	add(l, "--cap-drop", "ALL", NULL);
}

/* The path leads inside to what it leads to outside. */
static int shows(const struct plan *plan, const char *path)
{
	if (!*path)
		return 0;
	if (!is_private(path) || is_below(path, plan->directory))
		return 1;
	for (size_t i = 0; i < plan->n_write; i++)
		if (is_below(path, plan->write[i]))
			return 1;
	return 0;
}

/* Where people keep keys, below their home directory. */
static const char *const secrets[] = {".ssh", ".gnupg", ".aws", ".azure", ".kube",
	".password-store", ".config/gcloud", ".config/gh", ".local/share/keyrings", ".mozilla"};

size_t sandbox_hidden(const struct plan *plan, struct arena *arena, const char **paths)
{
	const char *home = NULL;
	struct buf path = {0};
	struct stat st;
	size_t n = 0;

	for (size_t i = 0; i < plan->n_environment; i++)
		if (strncmp(plan->environment[i], "HOME=/", 6) == 0)
			home = plan->environment[i] + 5;
	for (size_t i = 0; home && i < sizeof secrets / sizeof *secrets; i++) {
		buf_clear(&path);
		buf_addf(&path, "%s/%s", home, secrets[i]);
		if (lstat(path.data, &st) == 0 && S_ISDIR(st.st_mode) && shows(plan, path.data) &&
			!is_below(plan->directory, path.data))
			paths[n++] = arena_strdup(arena, path.data);
	}
	buf_release(&path);
	return n;
}

/* It is there anyway, read-only, except below the private directories. */
static void add_directory(struct list *l, const struct plan *plan)
{
	if (plan->writable)
		add(l, "--bind", plan->directory, plan->directory);
	else if (is_private(plan->directory))
		add(l, "--ro-bind", plan->directory, plan->directory);
}

/* bubblewrap leaves the settings of the kernel open where we are root. */
static void add_kernel_files(struct list *l, int devices)
{
	if (devices) {
		add(l, "--dev-bind", "/dev", "/dev");
		add(l, "--tmpfs", "/dev/shm", NULL);
	} else {
		add(l, "--dev", "/dev", NULL);
	}
	add(l, "--proc", "/proc", NULL);
	add(l, "--ro-bind", "/proc/sys", "/proc/sys");
	add(l, "--ro-bind-try", "/proc/sysrq-trigger", "/proc/sysrq-trigger");
	add(l, "--ro-bind-try", "/proc/pressure", "/proc/pressure");
}

/* The order matters: a later mount covers an earlier one. */
static void add_mounts(struct list *l, const struct plan *plan, int devices, struct arena *arena)
{
	const char *hidden[SANDBOX_HIDDEN_MAX];
	char real[PATH_MAX];
	size_t n_hidden;

	add(l, "--ro-bind", "/", "/");
	add_kernel_files(l, devices);
	for (size_t i = 0; i < N_PRIVATE; i++)
		if (access(private_directories[i], F_OK) == 0)
			add(l, "--tmpfs", private_directories[i], NULL);
	if (plan->network && realpath("/etc/resolv.conf", real) && is_below(real, "/run"))
		add(l, "--ro-bind", arena_strdup(arena, real), arena_strdup(arena, real));
	add_directory(l, plan);
	n_hidden = sandbox_hidden(plan, arena, hidden);
	for (size_t i = 0; i < n_hidden; i++)
		add(l, "--tmpfs", hidden[i], NULL);
	for (size_t i = 0; i < plan->n_read; i++) {
		add(l, "--ro-bind", plan->read[i], plan->read[i]);
		if (is_below(plan->directory, plan->read[i]))
			add_directory(l, plan);
	}
	for (size_t i = 0; i < plan->n_write; i++)
		add(l, "--bind", plan->write[i], plan->write[i]);
	if (shows(plan, plan->audit_directory))
		add(l, "--ro-bind", plan->audit_directory, plan->audit_directory);
}

static const char *number(int n, struct arena *arena)
{
	char *text = arena_alloc(arena, 16);

	snprintf(text, 16, "%d", n);
	return text;
}

const char **sandbox_arguments(const struct plan *plan, int devices, int filter, int script,
	const char *const *command, struct arena *arena)
{
	struct list l = {NULL, 0};
	size_t n_command = 0;

	while (command[n_command])
		n_command++;
	l.words = arena_zalloc(arena,
		(96 + 2 * SANDBOX_HIDDEN_MAX + 6 * (plan->n_read + plan->n_write) + n_command) *
			sizeof *l.words);
	add_namespaces(&l, plan);
	add(&l, "--seccomp", number(filter, arena), NULL);
	add_mounts(&l, plan, devices, arena);
	if (script >= 0) {
		add(&l, "--perms", "0555", NULL);
		add(&l, "--ro-bind-data", number(script, arena), plan->exe.real_path);
	}
	add(&l, "--chdir", plan->directory, "--");
	for (size_t i = 0; i < n_command; i++)
		add(&l, command[i], NULL, NULL);
	return l.words;
}
