/* SPDX-License-Identifier: Apache-2.0 */
/* Puts runs of three and more as ranges. */
#include "numbers.h"

#include "../base/util.h"

char *numbers_text(const uint32_t *number, uint32_t count)
{
	char *text = text_copy(count > 1 ? "ranks" : "rank");

	for (uint32_t i = 0, last; i < count; i = last + 1) {
		const char *before;

		last = i;
		while (last + 1 < count && number[last + 1] == number[last] + 1)
			last++;
		last = last - i > 1 ? last : i;
		before = !i ? " " : last + 1 == count ? " and " : ", ";
		text = text_join(text, before,
				 last > i ? text_format("%u to %u", number[i], number[last]) :
					    text_format("%u", number[i]));
	}
	return text;
}
