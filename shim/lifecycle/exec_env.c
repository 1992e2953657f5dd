/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the variables of the start, since programs overwrite the memory in which they came. */
#include "exec_env.h"

#include <string.h>

#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "../record/setting.h"
#include "exec_reach.h"

#define VARIABLES 3
#define VALUE_BYTES 2048
#define COUNT_MAX 1024u /* the copy lies on the stack of whoever calls exec */

static const char *const names[VARIABLES] = {"LD_PRELOAD", "MPSAN_DIR", "MPSAN_OPTIONS"};
static char kept[VARIABLES][VALUE_BYTES] LARGE; /* NAME=value; "": it was not set, or is too long */
static bool keeps; /* asked first: whoever forks has this at hand */

void exec_env_start(void)
{
	char text[8];

	if (!setting("restore-preload", text, sizeof(text)))
		return;
	keeps = true;
	for (int i = 0; i < VARIABLES; i++) {
		const char *value = sys_getenv(names[i]);
		char *end = kept[i] + VALUE_BYTES;

		if (value && strlen(names[i]) + strlen(value) + 2 <= VALUE_BYTES)
			text_put(text_put(text_put(kept[i], end, names[i]), end, "="), end, value);
	}
}

/* Those that are missing; false: the environment cannot be read. */
static bool find_missing(const char *missing[VARIABLES], const char *const *envp, uint32_t *count)
{
	struct exec_variables found = {0};
	const char *const *there[VARIABLES] = {&found.preload, &found.directory, &found.options};

	if (!exec_reach_look_at(&found, envp))
		return false;
	*count = found.count;
	for (int i = 0; i < VARIABLES; i++)
		missing[i] = kept[i][0] && !*there[i] ? kept[i] : NULL;
	return true;
}

/* A program that has set LD_PRELOAD itself has chosen. */
uint32_t exec_env_room(const char *const *envp)
{
	const char *missing[VARIABLES];
	uint32_t count;

	if (!keeps || !kept[0][0] || !find_missing(missing, envp, &count) || !missing[0] ||
	    count > COUNT_MAX)
		return 0;
	return count + VARIABLES + 1;
}

void exec_env_fill(const char **to, uint32_t room, const char *const *envp)
{
	const char *missing[VARIABLES];
	uint32_t count = 0, most = room - VARIABLES - 1;

	if (!find_missing(missing, envp, &count))
		memset(missing, 0, sizeof(missing));
	count = count < most ? count : most; /* another thread may have added some */
	if (count && sys_peek(to, envp, count * sizeof(*to)) <= 0)
		count = 0;
	for (int i = 0; i < VARIABLES; i++)
		if (missing[i])
			to[count++] = missing[i];
	to[count] = NULL;
}
