/* words_verbs.c - verbs that can stand for each other, the words by which a
 * clause's form is told, and patterns that make a clause of an option's name. */
#include "synth/english.h"

#define LIST(name, ...)                                                                            \
	static const char *const name##_at[] = {__VA_ARGS__};                                      \
	const struct words name = {name##_at, sizeof name##_at / sizeof *name##_at}
#define CLASS(...)                                                                                 \
	(const char *const[])                                                                      \
	{                                                                                          \
		__VA_ARGS__, NULL                                                                  \
	}

const struct verb_class verb_classes[] = {
	{CLASS("start", "launch", "run", "boot", "bring up", "spin up", "fire up", "kick off",
		"start up")},
	{CLASS("build", "make", "produce", "create", "assemble")},
	{CLASS("create", "make", "set up", "generate", "scaffold", "bootstrap", "initialise",
		"put together")},
	{CLASS("generate", "write", "create", "produce", "make", "emit")},
	{CLASS("list", "show", "display", "print", "show me", "give me", "get me", "enumerate",
		"let me see", "tell me")},
	{CLASS("show", "display", "print", "show me", "fetch", "get", "pull up", "let me see",
		"give me", "bring me")},
	{CLASS("fetch", "get", "show", "print", "retrieve", "grab", "pull up")},
	{CLASS("delete", "remove", "destroy", "drop", "get rid of", "tear down", "wipe out",
		"erase")},
	{CLASS("deploy", "ship", "publish", "release", "roll out")},
	{CLASS("check", "look at", "inspect", "have a look at", "take a look at", "look over")},
	{CLASS("validate", "check", "verify", "sanity check", "double-check", "lint")},
	{CLASS("send", "transmit", "submit", "dispatch")},
	{CLASS("add", "include", "append", "put in")},
	{CLASS("copy", "duplicate")},
	{CLASS("move", "transfer", "relocate")},
	{CLASS("convert", "turn", "transform")},
	{CLASS("stop", "halt", "shut down")},
	{CLASS("update", "refresh", "bring up to date")},
	{CLASS("download", "fetch", "pull down", "grab")},
	{CLASS("search", "look through", "scan")},
	{CLASS("count", "tally")},
};
const unsigned n_verb_classes = sizeof verb_classes / sizeof *verb_classes;

LIST(words_phrasal, "bring up", "spin up", "fire up", "kick off", "start up", "set up",
	"put together", "show me", "give me", "get me", "make me", "let me see", "tell me",
	"pull up", "bring me", "get rid of", "tear down", "take down", "wipe out", "roll out",
	"sanity check", "double-check", "put in", "shut down", "bring up to date", "pull down",
	"look through", "look at", "look for", "look over", "have a look at", "take a look at",
	"turn on", "turn off", "switch on", "switch off", "throw away", "clean up", "back up",
	"log in", "sign in", "make sure", "back out", "set aside");

LIST(words_verb, "accept", "activate", "add", "allow", "also", "always", "analyze", "append",
	"apply", "archive", "assemble", "assign", "attach", "authenticate", "avoid", "bake", "be",
	"begin", "bind", "block", "boot", "bootstrap", "bring", "build", "call", "change", "check",
	"choose", "clean", "clear", "clone", "close", "collect", "compare", "compile", "compress",
	"configure", "connect", "containerise", "containerize", "continue", "continuously",
	"convert", "copy", "count", "create", "cut", "debug", "delete", "deploy", "destroy",
	"detect", "disable", "discard", "display", "do", "don't", "double-check", "download",
	"drop", "dump", "edit", "emit", "enable", "encode", "encrypt", "enforce", "enumerate",
	"erase", "exclude", "execute", "exit", "expand", "explain", "export", "expose", "extract",
	"fail", "fetch", "filter", "find", "finish", "fire", "fix", "follow", "force", "format",
	"forward", "gather", "generate", "get", "give", "go", "grab", "grep", "group", "hand",
	"have", "hide", "hold", "ignore", "sudo", "ddos", "override", "chmod", "exfiltrate",
	"bypass", "impersonate", "intercept", "steal", "mine", "brute", "hack", "import", "include",
	"index", "init", "initialise", "initialize", "insert", "inspect", "install", "invoke",
	"join", "keep", "kick", "kill", "label", "launch", "leave", "let", "limit", "link", "lint",
	"list", "listen", "load", "lock", "log", "look", "make", "mark", "match", "measure",
	"merge", "migrate", "mount", "move", "name", "never", "omit", "open", "optimize", "output",
	"overwrite", "pack", "package", "parse", "pass", "pause", "permit", "pick", "pin", "ping",
	"place", "plot", "pretend", "point", "post", "prepare", "preserve", "preview", "print",
	"process", "produce", "prompt", "prune", "publish", "pull", "purge", "push", "put", "query",
	"quit", "read", "rebuild", "receive", "recreate", "redirect", "refresh", "register",
	"release", "reload", "remember", "remove", "rename", "render", "repeat", "replace",
	"report", "request", "reset", "resolve", "restart", "restore", "resume", "retrieve",
	"retry", "return", "reuse", "revert", "roll", "rotate", "run", "sanity", "save", "scaffold",
	"scan", "search", "see", "select", "send", "serve", "set", "share", "ship", "show", "shut",
	"sign", "skip", "sort", "specify", "spin", "split", "squash", "start", "stay", "stick",
	"stop", "store", "stream", "strip", "submit", "summarise", "summarize", "suppress",
	"switch", "sync", "tag", "tail", "take", "tear", "tell", "terminate", "test", "throw",
	"tolerate", "trace", "track", "train", "transfer", "transform", "translate", "treat",
	"trigger", "trim", "truncate", "try", "tunnel", "turn", "undo", "uninstall", "unlock",
	"unpack", "update", "upgrade", "upload", "use", "validate", "verify", "view", "wait",
	"warn", "watch", "wipe", "wrap", "write", "zip", "stage", "unstage", "commit", "record",
	"blame", "annotate", "jump", "integrate", "combine", "rebase", "replay", "stash", "shelve",
	"pop", "unstash", "forget", "back", "cherry-pick", "amend", "mask", "unmask", "freeze",
	"thaw", "reboot", "decompress", "uncompress", "unzip", "sum", "cordon", "uncordon", "drain",
	"describe", "patch", "detach", "evict", "taint", "map", "mirror", "synchronise",
	"synchronize", "escape", "colour", "color", "slurp", "evaluate", "throttle", "cap", "raise",
	"lower", "ask", "abort", "cancel", "flush", "rerun", "compute", "delete-all", "spare",
	"carry", "demand", "shrink", "pretty-print", "unwrap", "concatenate", "isolate", "resize",
	"reverse-engineer", "untar", "bundle", "squeeze", "pace", "crawl", "hit", "contact",
	"negotiate", "trust", "mimic", "identify", "reach", "unpause", "dereference", "deepen",
	"prefer", "cache", "round", "draw", "quote", "pipe", "interpret", "feed", "halt", "bounce",
	"retag", "monitor", "suspend", "unfreeze", "enter", "hash", "calculate", "pip", "reenable",
	"re-enable", "reread", "re-execute", "reexec", "hibernate", "rsync", "replicate");

LIST(words_preposition, "with", "without", "on", "at", "in", "into", "from", "to", "for", "of",
	"as", "by", "via", "through", "under", "over", "using", "until", "till", "since", "after",
	"before", "against", "onto", "within", "inside", "behind", "beside", "alongside", "along",
	"together", "plus", "including", "excluding", "about", "across", "around", "between",
	"during", "like", "near", "per", "so", "such", "that", "than", "towards", "upon", "versus",
	"where", "which", "while", "whose", "when", "who", "up", "straight", "reachable",
	"available", "accessible", "visible", "non-interactively", "continuously", "live",
	"unattended", "headless", "quietly", "verbosely", "silently", "recursively", "if", "but",
	"below", "beginning", "ending", "built", "bound", "tied", "no");

LIST(words_subject, "i", "we", "it", "it's", "i'm", "i'd", "we're", "there", "they", "everything",
	"nothing", "this", "these", "you");

/* %n: what the option is called; {}: the value. */
LIST(words_value_clause, "with the %n set to {}", "%n {}", "with {} as the %n", "use {} as the %n",
	"set the %n to {}", "the %n should be {}", "using {} as the %n", "with %n {}",
	"use {} for the %n", "the %n is {}", "make the %n {}", "with the %n {}", "%n: {}",
	"the %n must be {}", "using the %n {}", "take {} as the %n", "I want {} as the %n",
	"let the %n be {}", "where the %n is {}", "use the %n {}", "the %n has to be {}",
	"my %n is {}", "I need the %n to be {}", "choose {} as the %n", "give it {} as the %n",
	"taking {} as the %n", "%n should be {}", "%n = {}", "go with {} for the %n",
	"{} is the %n", "pick {} as the %n", "we use {} as the %n", "and {} for the %n",
	"give the %n as {}", "the %n would be {}", "set %n to {}");

/* For options that may be given several times. */
LIST(words_list_clause, "with {} as %n", "use {} as %n", "add {} as %n", "%n {}");

/* %v: an imperative ("wait for the server"). */
LIST(words_flag_verb, "make it %v", "have it %v", "it should %v", "I want it to %v", "let it %v",
	"please %v", "and %v", "it has to %v", "we want it to %v", "also %v", "it must %v",
	"be sure to %v", "remember to %v");
