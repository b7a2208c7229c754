/* crawl.h - the help of a command, and of all below it. */
#ifndef HELP_CRAWL_H
#define HELP_CRAWL_H

#include "help/model.h"
#include "help/source.h"

struct help_bounds {
	int depth;    /* of subcommands below the root */
	int commands; /* whose help is asked for, in all */
};

struct help_crawl {
	struct arena arena;
	struct help_command *root;
	size_t n_asked, n_left_out; /* left out: bounds, or the same help again */
};

/* Reads the tree.  -1 where the root has no help (65). */
int help_crawl(struct help_crawl *crawl, struct help_source *source, const char *name,
	const struct help_bounds *bounds, struct error *err);
void help_crawl_release(struct help_crawl *crawl);

#endif
