/* span_suits.h - which spans look like values of which type: a number looks like no URL,
 * though a program may take it for one. */
#ifndef TEXT_SPAN_SUITS_H
#define TEXT_SPAN_SUITS_H

#include "cli/spec.h"
#include "text/spans.h"

/* The types of spans that may well be meant as a value of that type, a bit each. */
unsigned spans_suiting(enum value_type value);

#endif
