/* SPDX-License-Identifier: Apache-2.0 */
/* Reads /proc/timer_list. */
#include "alarms.h"

#include <stdio.h>
#include <string.h>

#include "procfs.h"

/* Of a line "# expires at FROM-TO nsecs [in FROM to TO nsecs]": FROM, and how far it is ahead. */
static bool due(const char *line, uint64_t *at_ns, uint64_t *ahead_ns)
{
	unsigned long long at, ahead;

	if (sscanf(line, " # expires at %llu-%*u nsecs [in %llu", &at, &ahead) != 2)
		return false;
	*at_ns = at;
	*ahead_ns = ahead;
	return true;
}

/* Calls `see` for each alarm. */
static void each(void (*see)(uint64_t due_ns, uint64_t ahead_ns, void *context), void *context)
{
	FILE *file = procfs_stream("timer_list");
	uint64_t at_ns, ahead_ns;
	bool alarm = false;
	char line[256];

	while (file && fgets(line, sizeof(line), file)) {
		if (alarm && due(line, &at_ns, &ahead_ns))
			see(at_ns, ahead_ns, context);
		alarm = strstr(line, ", it_real_fn,") != NULL;
	}
	if (file)
		fclose(file);
}

static void add(uint64_t due_ns, uint64_t ahead_ns, void *context)
{
	struct alarms *alarms = context;

	(void)ahead_ns;
	if (alarms->count < ALARMS_MAX)
		alarms->due_ns[alarms->count++] = due_ns;
}

void alarms_read(struct alarms *alarms)
{
	alarms->count = 0;
	each(add, alarms);
}

struct search {
	const struct alarms *alarms;
	uint64_t within_ns;
	bool found;
};

static void compare(uint64_t due_ns, uint64_t ahead_ns, void *context)
{
	struct search *search = context;

	for (uint32_t i = 0; ahead_ns <= search->within_ns && i < search->alarms->count; i++)
		search->found |= search->alarms->due_ns[i] == due_ns;
}

bool alarms_are_due(const struct alarms *alarms, uint64_t within_ns)
{
	struct search search = {alarms, within_ns, false};

	if (alarms->count)
		each(compare, &search);
	return search.found;
}
