/* names.h - the names of an enumeration, as a NULL-terminated list in its order. */
#ifndef BASE_NAMES_H
#define BASE_NAMES_H

/* The index of a name; -1 where it is not in the list. */
int names_find(const char *const names[], const char *name);

#endif
