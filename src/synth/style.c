/* style.c - see style.h. */
#include "synth/style.h"

const char *const style_rate_names[RATE_COUNT] = {"spoken", "spaces", "corrections", "negations",
	"unwanted", "word-order", "hard-negatives", "typos", "chatter", "units"};

/* By level; of the usual one nothing may ever change. */
static const struct style levels[STYLE_LEVELS] = {
	{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 0, 1, 1},
	{{0.05, 0.02, 0, 0.05, 0.02, 0, 0.1, 0.02, 0.1, 0.1}, 0, 2, 0},
	{{0, 0, AS_EVER, 0, AS_EVER, 0, 0, AS_EVER, AS_EVER, 0.25}, 0, -1, 0},
	{{0.25, 0.1, 0.1, 0.4, 0.1, 0.08, 0.25, 0.1, 0.3, 0.4}, 1, 4, 0},
	{{0.45, 0.25, 0.25, 0.6, 0.2, 0.2, 0.5, 0.2, 0.5, 0.5}, 2, 6, 0},
};

const struct style style_usual = {
	{0, 0, AS_EVER, 0, AS_EVER, 0, 0, AS_EVER, AS_EVER, 0.25}, 0, -1, 0};

void style_level(struct style *style, int level)
{
	*style = levels[level - 1];
}
