/* tree.h - all processes that descend from this one, those that left their group and
 * session too (they become children of the nearest subreaper, which descends from us). */
#ifndef EXEC_TREE_H
#define EXEC_TREE_H

#include <stddef.h>

/* How many processes and threads the machine has. */
unsigned tree_count_system(void);

/* Children that we have now, from before we were this program (sh -c "x & exec us"), are
 * no descendants for what follows.  Call it once, before the first own child. */
void tree_begin(void);

/* How many living processes descend from this one. */
size_t tree_count(void);

/* Sends sig to all of them. */
void tree_signal(int sig);

/* Ends all of them, also where they multiply meanwhile.  Reaps none. */
void tree_kill(void);

#endif
