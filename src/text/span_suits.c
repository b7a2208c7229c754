/* span_suits.c - which spans look like values of which type. */
#include "text/span_suits.h"

#define BIT(type) (1u << (type))
#define ANY (BIT(SPAN_TYPE_COUNT) - 1)
#define TEXT (BIT(SPAN_QUOTED) | BIT(SPAN_NAME) | BIT(SPAN_WORD))

/* What is no text is judged by its value alone, and so are types that may be anything. */
static const unsigned suiting[VALUE_TYPE_COUNT] = {
	[VALUE_STRING] = ANY,
	[VALUE_INTEGER] = ANY,
	[VALUE_NUMBER] = ANY,
	[VALUE_BOOLEAN] = ANY,
	[VALUE_PATH] = TEXT | BIT(SPAN_PATH) | BIT(SPAN_HOST) | BIT(SPAN_VERSION) | BIT(SPAN_URL),
	[VALUE_URL] = BIT(SPAN_QUOTED) | BIT(SPAN_URL) | BIT(SPAN_PATH) | BIT(SPAN_HOST) |
		      BIT(SPAN_IMAGE),
	[VALUE_HOST] = TEXT | BIT(SPAN_HOST) | BIT(SPAN_URL) | BIT(SPAN_IMAGE) | BIT(SPAN_VERSION),
	[VALUE_PORT] = ANY,
	[VALUE_DURATION] = ANY,
	[VALUE_SIZE] = ANY,
	[VALUE_IMAGE] = TEXT | BIT(SPAN_IMAGE) | BIT(SPAN_PATH) | BIT(SPAN_HOST),
	[VALUE_IDENTIFIER] = ANY & ~(BIT(SPAN_URL) | BIT(SPAN_IMAGE)),
	[VALUE_OTHER] = ANY,
};

unsigned spans_suiting(enum value_type value)
{
	return suiting[value];
}
