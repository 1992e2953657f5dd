/* SPDX-License-Identifier: Apache-2.0 */
/* See start_methods.h. */
#include "start_methods.h"

#include "../base/fix_text.h"
#include "../base/util.h"
#include "pyframe.h"

static const struct {
	const char *function, *file, *text;
} starters[] = {
#define STARTER(function, file, text) {function, file, text},
#include "start_methods.def"
#undef STARTER
};

const char *start_method_spawn(const char *frames)
{
	for (size_t i = 0; i < sizeof(starters) / sizeof(*starters); i++)
		if (pyframe_among(frames, starters[i].function, starters[i].file))
			return starters[i].text;
	return FIX_SPAWN;
}
