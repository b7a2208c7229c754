#include "text/guide.h"

int choices_have(const struct choices *c, int32_t token)
{
	int32_t low = 0, high = c ? c->n : 0;

	if (!c)
		return 1;
	while (low < high) {
		int32_t middle = low + (high - low) / 2;

		if (c->ids[middle] < token)
			low = middle + 1;
		else
			high = middle;
	}
	return low < c->n && c->ids[low] == token;
}
