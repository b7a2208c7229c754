/*
 * annotate.h - tells helgrind what it cannot see: which atomic store and load order what two
 * threads do.  Only in the build for valgrind.
 */
#ifndef CPU_ANNOTATE_H
#define CPU_ANNOTATE_H

#ifdef FOR_VALGRIND
#include <valgrind/helgrind.h>
#define ATOMICS_ARE_MEANT(object) VALGRIND_HG_DISABLE_CHECKING(&(object), sizeof(object))
#define HAPPENS_BEFORE(object) ANNOTATE_HAPPENS_BEFORE(&(object))
#define HAPPENS_AFTER(object) ANNOTATE_HAPPENS_AFTER(&(object))
#else
#define ATOMICS_ARE_MEANT(object) ((void)0)
#define HAPPENS_BEFORE(object) ((void)0)
#define HAPPENS_AFTER(object) ((void)0)
#endif

#endif
