/*
 * dialect.h - what each family of command-line parsers allows.
 *
 * Sources: click 8 (parser.py, core.py), Python's argparse and optparse, glibc's
 * getopt_long(3), POSIX utility syntax guidelines, pflag/cobra, clap 4, GLib's
 * GOption, docopt 0.6, Go's flag package.
 */
#ifndef CLI_DIALECT_H
#define CLI_DIALECT_H

#include "cli/spec.h"

/* When an eager option (--help) acts. */
enum eager_time {
	EAGER_AT_ONCE,	    /* where it stands: earlier faults win, later ones are not seen */
	EAGER_AFTER_VALUES, /* once the words and values of its command are read */
	EAGER_AFTER_WORDS   /* once the words are split up; values are not looked at */
};

struct dialect_traits {
	unsigned char long_options;	 /* --name exists at all */
	unsigned char one_dash_long;	 /* -name, and --name for the same */
	unsigned char abbreviations;	 /* a unique beginning of a long name will do */
	unsigned char alias_ambiguous;	 /* ... even two names of one option are ambiguous */
	unsigned char long_equals;	 /* --name=value */
	unsigned char short_attached;	 /* -nvalue */
	unsigned char short_equals;	 /* -n=value means value, not "=value" */
	unsigned char clusters;		 /* -abc for -a -b -c */
	unsigned char interspersed;	 /* options may follow operands */
	unsigned char dash_values;	 /* a value of its own word may begin with a dash */
	unsigned char optional_separate; /* an optional value may be the next word */
	unsigned char optional_equals;	 /* ... and, in a cluster, only behind a "=" */
	unsigned char flag_values;	 /* --flag=false */
	unsigned char repeats_refused;	 /* a single option twice is a fault, not last wins */
	unsigned char checks_overridden; /* values that a later one replaces are checked too */
	unsigned char ignores_unknown;	 /* pass-through lets unknown options through anywhere */
	unsigned char late_options;	 /* options belong to the command found last (cobra) */
	enum eager_time eager;
};

extern const struct dialect_traits dialect_traits[DIALECT_COUNT];

#endif
