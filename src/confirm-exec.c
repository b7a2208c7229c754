/*
 * confirm-exec - asks a person about one proposed command and, if they agree,
 * executes it: no shell, no inherited environment, in a sandbox, logged.
 *
 * The rules that it keeps are listed in exec/run.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/number.h"
#include "base/options.h"
#include "cli/spec.h"
#include "exec/audit.h"
#include "exec/entry.h"
#include "exec/environment.h"
#include "exec/grammar.h"
#include "exec/proposal.h"
#include "exec/question.h"
#include "exec/run.h"
#include "exec/sandbox.h"
#include "exec/tty.h"
#include "exec/visible.h"

struct list {
	const char **items;
	size_t n, cap;
};

struct options {
	const char *spec, *audit, *directory, *verify_log;
	int timeout, no_sandbox, network, dry_run;
	struct list path, pass, read, write;
};

enum {
	OPTION_AUDIT = 256,
	OPTION_TIMEOUT,
	OPTION_CWD,
	OPTION_PASS,
	OPTION_PATH,
	OPTION_NO_SANDBOX,
	OPTION_NET,
	OPTION_READ,
	OPTION_WRITE,
	OPTION_DRY,
	OPTION_VERIFY,
	OPTION_SPEC
};

static const struct argp_option option_list[] = {
	{"spec", OPTION_SPEC, "FILE", 0,
		"The CLI's grammar (default: seeds/CLI/cli.json beside the programs)", 0},
	{"audit", OPTION_AUDIT, "FILE", 0,
		"The log (default: $XDG_STATE_HOME/cli-learn/audit.jsonl)", 0},
	{"timeout", OPTION_TIMEOUT, "SECONDS", 0, "Time limit of the command (600)", 0},
	{"cwd", OPTION_CWD, "DIR", 0, "The command's working directory (default: ours)", 0},
	{"pass-env", OPTION_PASS, "NAME", 0,
		"Also pass this variable on, beside PATH (fixed), HOME, LANG, TERM and USER", 0},
	{"path", OPTION_PATH, "DIR", 0,
		"Look for the program here, and only in directories so given (default: "
		"/usr/local/bin, /usr/bin, /bin); never in $PATH",
		0},
	{"no-sandbox", OPTION_NO_SANDBOX, NULL, 0, "Run the command without bubblewrap", 0},
	{"share-net", OPTION_NET, NULL, 0, "The sandbox shares the network", 0},
	{"share-read", OPTION_READ, "PATH", 0,
		"The sandbox shows this path too (for what lies below /tmp, /var/tmp or /run)", 0},
	{"share-write", OPTION_WRITE, "PATH", 0,
		"The sandbox lets this path be written; a socket: be connected to", 0},
	{"dry-run", OPTION_DRY, NULL, 0, "Only print what would be asked", 0},
	{"verify-log", OPTION_VERIFY, "FILE", 0, "Check the chain of a log, and nothing else", 0},
	{0}};

static void list_add(struct list *list, const char *item)
{
	list->items = array_grow(list->items, &list->cap, list->n, sizeof *list->items);
	list->items[list->n++] = item;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case OPTION_SPEC:
		o->spec = arg;
		break;
	case OPTION_AUDIT:
		o->audit = arg;
		break;
	case OPTION_TIMEOUT:
		o->timeout = (int)option_integer(state, "--timeout", arg, 1, 86400 * 7);
		break;
	case OPTION_CWD:
		o->directory = arg;
		break;
	case OPTION_PASS:
		list_add(&o->pass, arg);
		break;
	case OPTION_PATH:
		list_add(&o->path, arg);
		break;
	case OPTION_NO_SANDBOX:
		o->no_sandbox = 1;
		break;
	case OPTION_NET:
		o->network = 1;
		break;
	case OPTION_READ:
		list_add(&o->read, arg);
		break;
	case OPTION_WRITE:
		list_add(&o->write, arg);
		break;
	case OPTION_DRY:
		o->dry_run = 1;
		break;
	case OPTION_VERIFY:
		o->verify_log = arg;
		break;
	case ARGP_KEY_ARG:
		argp_error(
			state, "no operand is expected: the proposal is read from standard input");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {option_list, parse_option, NULL,
	"Reads one proposal (a record with the field proposal, or argv) from standard input, "
	"shows on /dev/tty exactly what would run, and asks.  The answer is no unless a person "
	"types y there (yes in full where the grammar warns of a danger)."
	"\vExit status: the command's own; 64 usage, 124 out of time, 125 own failure (nothing "
	"was run), 126 refused or declined, 127 program not found.\n\n"
	"The log is a hash chain: --verify-log finds entries that were changed, moved or "
	"removed.  A command is run only after its entry is on the disk.  Values of options that "
	"the grammar marks as secret are in it as \"sha256:\" and their hash; only the terminal "
	"shows them.\n\n"
	"The sandbox shares the network where the grammar says that the command needs it.  A "
	"command that works through Docker needs its socket as well:\n"
	"    --share-write /var/run/docker.sock\n"
	"Whoever reaches that socket can do anything on this machine, so this opens the sandbox "
	"for all that the command, or the project that it builds, may do.",
	NULL, NULL, NULL};

/* One proposal, from its record to its end. */
struct session {
	const struct options *options;
	struct arena arena;
	struct record record;
	struct proposal proposal;
	struct spec *spec;
	const char *spec_path;
	struct plan plan;
	int directory; /* descriptor */
	struct audit *log;
	char run[17]; /* ties the two entries of a run together */
};

/* A refusal before the question: said, and kept in the log where there is one. */
static void __attribute__((noreturn)) refuse(struct session *s, const struct error *why)
{
	struct buf shown = {0};
	json_t *entry;
	struct error err;

	const char *message = secrets_hide(&s->proposal.secrets, why->message, &s->arena);

	visible_plain(&shown, message, strlen(message));
	entry = entry_refused(s->run, &s->proposal, shown.data);
	if (!s->log)
		json_decref(entry);
	else if (audit_append(s->log, entry, &err) != 0)
		warn("%s", err.message);
	die(why->code, "%s", shown.data);
}

/* --spec, or the grammar of the CLI that the record names, in a fixed place. */
static const char *spec_find(struct session *s)
{
	const char *cli = json_string_value(json_object_get(s->record.json, "cli"));
	struct error err;
	char *found;

	if (s->options->spec)
		return s->options->spec;
	found = grammar_find(cli, &err);
	if (!found)
		die(EXIT_REFUSED, "%s", err.message);
	s->spec_path = arena_strdup(&s->arena, found);
	free(found);
	return s->spec_path;
}

/* A grammar that a stranger can change would let them say what may run. */
static void load_spec(struct session *s)
{
	struct error err;
	char real[PATH_MAX];

	s->spec_path = spec_find(s);
	if (!realpath(s->spec_path, real))
		die_errno(EXIT_FAILURE_OWN, "%s", s->spec_path);
	s->spec_path = arena_strdup(&s->arena, real);
	if (path_trusted(real, &err) != 0)
		die(EXIT_REFUSED, "grammar: %s", err.message);
	s->spec = spec_load(real, &err);
	if (!s->spec)
		die(EXIT_FAILURE_OWN, "%s", err.message);
}

static const char *absolute(struct session *s, const char *option, const char *path)
{
	char real[PATH_MAX];

	if (!realpath(path, real))
		die_errno(EXIT_USAGE, "%s %s", option, path);
	return arena_strdup(&s->arena, real);
}

static const char *const *absolute_list(
	struct session *s, const char *option, const struct list *list)
{
	const char **out = arena_zalloc(&s->arena, (list->n + 1) * sizeof *out);

	for (size_t i = 0; i < list->n; i++)
		out[i] = absolute(s, option, list->items[i]);
	return out;
}

static const char *const default_path[] = {"/usr/local/bin", "/usr/bin", "/bin"};
enum {
	N_DEFAULT_PATH = sizeof default_path / sizeof *default_path
};

/* argv[0] to an open file; PATH of the command is where we looked, then the default. */
static int plan_program(struct session *s, struct error *err)
{
	const struct options *o = s->options;
	const char *const *directories = default_path;
	size_t n = N_DEFAULT_PATH, count;
	struct buf path = {0};
	char **environment;

	if (o->path.n) {
		directories = absolute_list(s, "--path", &o->path);
		n = o->path.n;
	}
	for (size_t i = 0; i < n; i++)
		buf_addf(&path, "%s%s", i ? ":" : "", directories[i]);
	for (size_t i = 0; o->path.n && i < N_DEFAULT_PATH; i++)
		buf_addf(&path, ":%s", default_path[i]);
	if (environment_make(
		    path.data, o->pass.items, o->pass.n, &s->arena, &environment, &count, err) != 0)
		die_error(err); /* misuse, no refusal */
	buf_release(&path);
	s->plan.environment = (const char *const *)environment;
	s->plan.n_environment = count;
	return executable_find(s->plan.argv[0], directories, n, &s->arena, &s->plan.exe, err);
}

static void plan_directory(struct session *s)
{
	struct stat st;

	s->plan.directory =
		absolute(s, "--cwd", s->options->directory ? s->options->directory : ".");
	s->directory = open(s->plan.directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->directory < 0 || fstat(s->directory, &st) != 0)
		die_errno(EXIT_USAGE, "--cwd %s", s->plan.directory);
	s->plan.directory_device = st.st_dev;
	s->plan.directory_inode = st.st_ino;
}

static int plan_make(struct session *s, struct error *err)
{
	const struct options *o = s->options;
	struct plan *p = &s->plan;

	p->argc = s->proposal.argc;
	p->argv = s->proposal.argv;
	if (plan_program(s, err) != 0)
		return -1;
	plan_directory(s);
	p->timeout = o->timeout;
	p->sandbox = !o->no_sandbox;
	p->network = o->network || s->proposal.network;
	p->n_read = o->read.n;
	p->read = absolute_list(s, "--share-read", &o->read);
	p->n_write = o->write.n;
	p->write = absolute_list(s, "--share-write", &o->write);
	p->audit_directory = "";
	if (s->log) {
		char *directory = arena_strdup(&s->arena, audit_path(s->log));

		*strrchr(directory, '/') = '\0';
		p->audit_directory = directory;
	}
	if (p->sandbox && (sandbox_possible(p, err) != 0 || run_probe(p, err) != 0))
		return -1;
	return plan_digest(p, s->directory, p->digest, err);
}

static void open_log(struct session *s)
{
	struct error err;
	unsigned char id[8];
	char *path = s->options->audit ? xstrdup(s->options->audit) : audit_default_path(&err);

	if (!path)
		die_error(&err);
	s->log = audit_open(path, &err);
	if (!s->log)
		die_error(&err);
	free(path);
	if (getentropy(id, sizeof id) != 0)
		die_errno(EXIT_FAILURE_OWN, "no random numbers");
	for (size_t i = 0; i < sizeof id; i++)
		snprintf(s->run + 2 * i, 3, "%02x", id[i]);
}

static void log_decision(struct session *s, const char *decision)
{
	struct error err;

	if (audit_append(s->log,
		    entry_decision(s->run, &s->proposal, &s->plan, s->spec->hash, decision),
		    &err) != 0)
		die(EXIT_FAILURE_OWN, "%s: nothing was run", err.message);
}

static void interrupted(int sig)
{
	(void)sig; /* the wait for an answer ends with EINTR: a no */
}

/* 1: yes.  Everything else is a no. */
static int ask(struct session *s)
{
	struct buf text = {0}, answer = {0};
	struct sigaction catch = {.sa_handler = interrupted};
	struct error err;
	int tty = tty_open(&err), result;
	sigset_t stops, before;

	if (tty < 0) {
		log_decision(s, "no terminal");
		die_error(&err);
	}
	sigemptyset(&stops);
	sigaddset(&stops, SIGINT);
	sigaddset(&stops, SIGTERM);
	sigprocmask(SIG_BLOCK, &stops, &before);
	sigaction(SIGINT, &catch, NULL);
	sigaction(SIGTERM, &catch, NULL);
	question_describe(&s->plan, &s->proposal, s->spec_path, &text);
	result = tty_write(tty, text.data, text.len, &err);
	if (result == 0)
		result = tty_ask(tty, question_text(&s->proposal), &answer, &err);
	if (result == 1)
		tty_write(tty, "\n", 1, NULL);
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(tty);
	buf_release(&text);
	if (result < 0)
		warn("%s", err.message);
	result = result == 0 && question_answered_yes(&s->proposal, answer.data ? answer.data : "");
	buf_release(&answer);
	return result;
}

static int run(struct session *s)
{
	struct outcome o;
	struct error err;
	int status;

	if (run_plan(&s->plan, s->directory, &o, &err) != 0) {
		memset(&o, 0, sizeof o);
		o.failure = err;
	}
	status = o.timed_out ? EXIT_TIMEOUT : o.started ? o.status : (int)o.failure.code;
	if (audit_append(s->log, entry_end(s->run, &o, status), &err) != 0)
		warn("%s: the command ran, but its end is not in the log", err.message);
	if (o.timed_out)
		warn("the command was ended after %d s", s->plan.timeout);
	else if (!o.started)
		warn("%s", o.failure.message);
	return status;
}

static int verify_log(const char *path)
{
	struct error err;
	long long entries;
	char last[65];

	if (audit_verify(path, &entries, last, &err) != 0)
		die_error(&err);
	if (printf("%s: %lld entries, the last one %s\n", path, entries, last) < 0 ||
		fflush(stdout) != 0)
		die_errno(EXIT_IO, "standard output");
	return EXIT_OK;
}

/* Everything up to the question; ends the program where it may not be asked. */
static void prepare(struct session *s)
{
	struct error err;

	if (proposal_verify(s->spec, &s->arena, &s->proposal, &err) != 0 || plan_make(s, &err) != 0)
		refuse(s, &err);
}

/* Only a terminal shows them. */
static void hide_secrets(struct session *s)
{
	s->plan.argv = s->proposal.secrets.argv;
	if (s->proposal.request)
		s->proposal.request =
			secrets_hide(&s->proposal.secrets, s->proposal.request, &s->arena);
}

static int dry_run(struct session *s)
{
	struct buf text = {0};

	prepare(s);
	if (!isatty(STDOUT_FILENO))
		hide_secrets(s);
	question_describe(&s->plan, &s->proposal, s->spec_path, &text);
	if (fwrite(text.data, 1, text.len, stdout) != text.len || fflush(stdout) != 0)
		die_errno(EXIT_FAILURE_OWN, "standard output");
	buf_release(&text);
	return EXIT_OK;
}

/* The second half of an execution comes back here, inside the sandbox. */
static void go_on_inside(int argc, char **argv)
{
	long long fd;

	if (argc != 3 || strcmp(argv[1], RUN_INSIDE_OPTION) != 0)
		return;
	program_name_set("confirm-exec");
	if (number_integer(argv[2], 3, INT_MAX, &fd, NULL) == 0)
		run_inside((int)fd);
	die(EXIT_USAGE, "%s is for internal use", RUN_INSIDE_OPTION);
}

static void load_proposal(struct session *s)
{
	struct error err;
	struct buf reason = {0};

	record_init(&s->record);
	if (proposal_read(&s->record, &err) != 0 ||
		proposal_take(&s->record, &s->arena, &s->proposal, &err) != 0)
		die_error(&err);
	if (s->proposal.argc < 0) {
		visible_plain(&reason, s->proposal.reason, strlen(s->proposal.reason));
		die(EXIT_REFUSED, "no command is proposed: %s", reason.data);
	}
	load_spec(s);
}

int main(int argc, char **argv)
{
	/* Static: what they hold is not lost where the program ends below. */
	static struct options options = {.timeout = 600};
	static struct session session = {.options = &options};
	int approved;

	go_on_inside(argc, argv);
	run_close_inherited();
	signal(SIGXFSZ, SIG_IGN); /* a full log is an error, not a death */
	options_parse(&argp, argc, argv, &options);
	if (options.verify_log)
		return verify_log(options.verify_log);
	load_proposal(&session);
	if (options.dry_run)
		return dry_run(&session);
	open_log(&session);
	prepare(&session);
	approved = ask(&session);
	log_decision(&session, approved ? "approved" : "declined");
	if (!approved)
		die(EXIT_REFUSED, "declined: nothing was run");
	return run(&session);
}
