/* schedule.c - learning rate schedules. */
#include "rl/optimizer.h"

#include <math.h>

const char *const schedule_kind_names[] = {"constant", "cosine", NULL};

double schedule_at(
	enum schedule_kind kind, long long step, long long warmup, long long total, double floor)
{
	double share;

	if (step < warmup)
		return (double)(step + 1) / (double)warmup;
	if (kind == SCHEDULE_CONSTANT)
		return 1;
	if (total <= warmup || step >= total)
		return floor;
	share = (double)(step - warmup) / (double)(total - warmup);
	return floor + (1 - floor) * 0.5 * (1 + cos(3.14159265358979323846 * share));
}
