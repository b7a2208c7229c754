/*
 * confirm-exec - asks a person about one proposed command and, if they agree,
 * executes it: no shell, no inherited environment, in a sandbox, logged.
 *
 * The rules that it keeps are listed in exec/run.c.
 */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/number.h"
#include "base/options.h"
#include "cli/spec.h"
#include "exec/audit.h"
#include "exec/cage.h"
#include "exec/entry.h"
#include "exec/grammar.h"
#include "exec/inspect.h"
#include "exec/judge.h"
#include "exec/prepare.h"
#include "exec/proposal.h"
#include "exec/question.h"
#include "exec/run.h"
#include "exec/tree.h"
#include "exec/tty.h"
#include "exec/visible.h"

struct options {
	struct launch launch;
	const char *spec, *policy, *audit, *verify_log, *pin;
	int allow_auto, answer_timeout, dry_run, check_policy;
};

enum {
	OPTION_AUDIT = 256,
	OPTION_TIMEOUT,
	OPTION_CWD,
	OPTION_STDIN,
	OPTION_PASS,
	OPTION_NO_SANDBOX,
	OPTION_NET,
	OPTION_READ,
	OPTION_WRITE,
	OPTION_DRY,
	OPTION_VERIFY,
	OPTION_SPEC,
	OPTION_POLICY,
	OPTION_CHECK,
	OPTION_PIN,
	OPTION_AUTO,
	OPTION_ANSWER
};

static const struct argp_option option_list[] = {
	{"spec", OPTION_SPEC, "FILE", 0,
		"The CLI's grammar (default: seeds/CLI/cli.json beside the programs)", 0},
	{"policy", OPTION_POLICY, "FILE", 0,
		"What may run (default: /etc/confirm-exec/policy.json, else "
		"~/.config/confirm-exec/policy.json)",
		0},
	{"allow-auto", OPTION_AUTO, NULL, 0,
		"Run without a question what the policy says to (never a danger)", 0},
	{"check-policy", OPTION_CHECK, NULL, 0,
		"Check the policy (with --spec, its names too), and nothing else", 0},
	{"pin", OPTION_PIN, "PROGRAM", 0,
		"Print a policy that names this program (absolute path) and its hash, and "
		"nothing else",
		0},
	{"audit", OPTION_AUDIT, "FILE", 0,
		"The log (default: $XDG_STATE_HOME/cli-learn/audit.jsonl)", 0},
	{"timeout", OPTION_TIMEOUT, "SECONDS", 0,
		"Time limit of the command, where it is shorter than the policy's", 0},
	{"answer-timeout", OPTION_ANSWER, "SECONDS", 0, "No answer in this time is a no (300)", 0},
	{"cwd", OPTION_CWD, "DIR", 0, "The command's working directory (default: ours)", 0},
	{"stdin", OPTION_STDIN, "FILE", 0, "The command's standard input (default: /dev/null)", 0},
	{"pass-env", OPTION_PASS, "NAME", 0,
		"Also pass this variable on, beside PATH (fixed) and those of the policy (HOME, "
		"LANG, TERM and USER)",
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

static void list_add(struct text_list *list, const char *item)
{
	list->items = array_grow(list->items, &list->cap, list->n, sizeof *list->items);
	list->items[list->n++] = item;
}

/* What the command gets. */
static int parse_launch(int key, char *arg, struct argp_state *state)
{
	struct launch *l = &((struct options *)state->input)->launch;

	switch (key) {
	case OPTION_TIMEOUT:
		l->timeout = (int)option_integer(state, "--timeout", arg, 1, 86400 * 7);
		break;
	case OPTION_CWD:
		l->directory = arg;
		break;
	case OPTION_STDIN:
		l->input = arg;
		break;
	case OPTION_PASS:
		list_add(&l->pass, arg);
		break;
	case OPTION_NO_SANDBOX:
		l->no_sandbox = 1;
		break;
	case OPTION_NET:
		l->network = 1;
		break;
	case OPTION_READ:
		list_add(&l->read, arg);
		break;
	case OPTION_WRITE:
		list_add(&l->write, arg);
		break;
	default:
		return 0;
	}
	return 1;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	if (parse_launch(key, arg, state))
		return 0;
	switch (key) {
	case OPTION_SPEC:
		o->spec = arg;
		break;
	case OPTION_POLICY:
		o->policy = arg;
		break;
	case OPTION_AUTO:
		o->allow_auto = 1;
		break;
	case OPTION_CHECK:
		o->check_policy = 1;
		break;
	case OPTION_PIN:
		o->pin = arg;
		break;
	case OPTION_AUDIT:
		o->audit = arg;
		break;
	case OPTION_ANSWER:
		o->answer_timeout = (int)option_integer(state, "--answer-timeout", arg, 1, 86400);
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
	"\vExit status: the command's own; 64 usage, 124 ended for its time, output or number of "
	"processes, 125 own failure (nothing was run), 126 refused or declined, 127 program not "
	"found.\n\n"
	"Only programs that the policy names are run.  --pin PROGRAM prints a policy to begin "
	"with; its form is described in the README.  It is refused where others could write it.\n\n"
	"The log is a hash chain: --verify-log finds entries that were changed, moved or "
	"removed.  A command is run only after its entry is on the disk.  Values of options that "
	"the grammar marks as secret are in it as \"sha256:\" and their hash; only the terminal "
	"shows them.\n\n"
	"The sandbox shares the network and lets the working directory be written only where the "
	"policy says so.  A command that works through Docker needs its socket as well:\n"
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
	struct rulebook *book;
	struct judgement judgement;
	const char *rule; /* what the policy said, in words */
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

static void load_policy(struct session *s)
{
	struct error err;
	char *path = rulebook_find(s->options->policy);

	if (!path)
		die(EXIT_REFUSED,
			"there is no policy that says what may run: make one with "
			"`confirm-exec --pin PROGRAM >~/.config/confirm-exec/policy.json`, or "
			"name one with --policy");
	s->book = rulebook_load(path, &err);
	free(path);
	if (!s->book)
		die(s->options->check_policy ? err.code : EXIT_REFUSED, "%s", err.message);
}

/* What the policy says about it; refused: -1. */
static int judge_proposal(struct session *s, struct error *err)
{
	struct judgement *j = &s->judgement;
	struct buf text = {0};

	judge(s->book, &s->proposal.meaning, s->plan.directory, &s->arena, j);
	buf_addf(&text, "%s (%s)", decision_names[j->decision], j->why);
	s->rule = secrets_hide(&s->proposal.secrets, text.data, &s->arena);
	buf_release(&text);
	if (j->decision == DECIDE_DENY)
		return error_set(err, EXIT_REFUSED, "the policy denies it: %s", j->why);
	return 0;
}

static int plan_make(struct session *s, struct error *err)
{
	const struct launch *l = &s->options->launch;

	s->directory = prepare_directory(l, &s->arena, &s->plan, err);
	if (s->directory < 0)
		die_error(err); /* misuse, no refusal */
	if (judge_proposal(s, err) != 0)
		return -1;
	if (prepare_plan(l, s->book, s->judgement.settings, &s->proposal, s->directory,
		    s->log ? audit_path(s->log) : NULL, &s->arena, &s->plan, err) == 0)
		return 0;
	if (err->code == EXIT_USAGE)
		die_error(err);
	return -1;
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
		    entry_decision(
			    s->run, &s->proposal, &s->plan, s->spec->hash, decision, s->rule),
		    &err) != 0)
		die(EXIT_FAILURE_OWN, "%s: nothing was run", err.message);
}

static void interrupted(int sig)
{
	(void)sig; /* the wait for an answer ends with EINTR: a no */
}

/* From here on a signal ends a wait, and never us before the log says how it went. */
static void hold_signals(void)
{
	static const int list[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	struct sigaction catch = {.sa_handler = interrupted};
	sigset_t held;

	sigemptyset(&held);
	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		sigaction(list[i], &catch, NULL);
		sigaddset(&held, list[i]);
	}
	sigprocmask(SIG_BLOCK, &held, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* Shows and asks: what tty_ask() returns. */
static int ask_on(struct session *s, int tty, struct buf *answer, struct error *err)
{
	struct buf text = {0};
	unsigned lines, columns;
	int result;

	question_describe(&s->plan, &s->proposal, s->spec_path, s->rule, &text);
	tty_size(tty, &lines, &columns);
	question_warn_long(&text, lines, columns);
	result = tty_write(tty, text.data, text.len, err);
	buf_release(&text);
	if (result == 0)
		result = tty_ask(
			tty, question_text(&s->proposal), s->options->answer_timeout, answer, err);
	if (result > 0)
		tty_write(tty, "\n", 1, NULL);
	return result;
}

/* What is logged as decision; everything but "approved" is a no. */
static const char *ask(struct session *s)
{
	struct buf answer = {0};
	struct error err;
	int tty = tty_open(&err), result, yes;

	if (tty < 0) {
		log_decision(s, "no terminal");
		die_error(&err);
	}
	result = ask_on(s, tty, &answer, &err);
	close(tty);
	if (result < 0)
		warn("%s", err.message);
	yes = result == 0 && answer.len > 0 &&
	      question_answered_yes(&s->proposal, answer.data, answer.len);
	buf_release(&answer);
	return yes ? "approved" : result == TTY_LATE ? "late" : "declined";
}

static struct cage cage;

static void leave_cage(void)
{
	cage_leave(&cage);
}

/* Ends the program unless the command is to run. */
static void decide(struct session *s)
{
	const char *decision = "auto";
	struct error err;

	/* Somewhat more, so that it is seen that there are too many. */
	cage_enter(&cage, s->plan.limits.processes + 4 * RUN_OWN_PROCESSES);
	atexit(leave_cage);

	if (!s->options->allow_auto || s->judgement.decision != DECIDE_AUTO ||
		s->proposal.n_dangers)
		decision = ask(s);
	if (strcmp(decision, "late") == 0 || strcmp(decision, "declined") == 0) {
		log_decision(s, decision);
		die(EXIT_REFUSED, "%s: nothing was run",
			*decision == 'l' ? "no answer in time" : "declined");
	}
	if (rulebook_unchanged(s->book, &err) != 0)
		refuse(s, &err);
	log_decision(s, decision);
}

static void tell_end(const struct session *s, const struct outcome *o)
{
	if (o->bound == BOUND_TIME)
		warn("the command was ended after %d s", s->plan.timeout);
	else if (o->bound == BOUND_OUTPUT)
		warn("the command was ended: more than %d MiB of output", s->plan.output_mib);
	else if (o->bound == BOUND_PROCESSES)
		warn("the command was ended: more than %d processes", s->plan.limits.processes);
	else if (!o->started)
		warn("%s", o->failure.message);
	else if (o->signal)
		warn("the command was ended by signal %d (%s)", o->signal, strsignal(o->signal));
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
	status = o.bound != BOUND_NONE ? EXIT_TIMEOUT : o.started ? o.status : (int)o.failure.code;
	if (audit_append(s->log, entry_end(s->run, &o, status), &err) != 0)
		warn("%s: the command ran, but its end is not in the log", err.message);
	tell_end(s, &o);
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

static int print_and_end(struct buf *text, int status)
{
	if (fwrite(text->data, 1, text->len, stdout) != text->len || fflush(stdout) != 0)
		die_errno(EXIT_FAILURE_OWN, "standard output");
	buf_release(text);
	return status;
}

static int check_policy(struct session *s)
{
	struct buf text = {0};
	struct error err;
	size_t faults;

	load_policy(s);
	if (s->options->spec) {
		s->spec = spec_load(s->options->spec, &err);
		if (!s->spec)
			die_error(&err);
	}
	faults = rulebook_inspect(s->book, s->spec, &text);
	return print_and_end(&text, faults ? EXIT_DATA : EXIT_OK);
}

static int pin(const char *path)
{
	struct buf text = {0};
	struct error err;

	if (rulebook_draft(path, &text, &err) != 0)
		die_error(&err);
	return print_and_end(&text, EXIT_OK);
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
	question_describe(&s->plan, &s->proposal, s->spec_path, s->rule, &text);
	return print_and_end(&text, EXIT_OK);
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
	static struct options options = {.answer_timeout = 300};
	static struct session session = {.options = &options};

	go_on_inside(argc, argv);
	run_close_inherited();
	signal(SIGXFSZ, SIG_IGN); /* a full log is an error, not a death */
	options_parse(&argp, argc, argv, &options);
	if (options.verify_log)
		return verify_log(options.verify_log);
	if (options.pin)
		return pin(options.pin);
	if (options.check_policy)
		return check_policy(&session);
	load_proposal(&session);
	load_policy(&session);
	if (options.dry_run)
		return dry_run(&session);
	open_log(&session);
	tree_begin();
	hold_signals();
	prepare(&session);
	decide(&session);
	return run(&session);
}
