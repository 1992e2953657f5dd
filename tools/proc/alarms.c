/* SPDX-License-Identifier: Apache-2.0 */
/* Reads /proc/timer_list. */
#include "alarms.h"

#include <stdio.h>
#include <string.h>

#include "proc.h"
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

/* ---- looking ---- */

struct looking {
	const struct alarms *before;
	struct alarms now;
	uint64_t now_ns;
};

static uint64_t first_seen(const struct alarms *alarms, uint64_t due_ns, uint64_t else_ns)
{
	for (uint32_t i = 0; i < alarms->count; i++)
		if (alarms->item[i].due_ns == due_ns)
			return alarms->item[i].seen_ns;
	return else_ns;
}

static void add(uint64_t due_ns, uint64_t ahead_ns, void *context)
{
	struct looking *looking = context;
	struct alarms *now = &looking->now;

	(void)ahead_ns;
	if (now->count == ALARMS_MAX)
		return;
	now->item[now->count].due_ns = due_ns;
	now->item[now->count++].seen_ns = first_seen(looking->before, due_ns, looking->now_ns);
}

void alarms_look(struct alarms *alarms, uint64_t now_ns)
{
	struct looking looking = {.before = alarms, .now_ns = now_ns};

	each(add, &looking);
	*alarms = looking.now;
}

/* ---- asking ---- */

static void note_ahead(uint64_t due_ns, uint64_t ahead_ns, void *context)
{
	struct alarms *alarms = context;

	for (uint32_t i = 0; i < alarms->count; i++)
		if (alarms->item[i].due_ns == due_ns && ahead_ns < alarms->item[i].ahead_ns)
			alarms->item[i].ahead_ns = ahead_ns;
}

/* One that has been cancelled since counts until the next look: it keeps a proof away. */
static void look_again(struct alarms *alarms)
{
	if (!alarms->count || (alarms->look && alarms->look == kept_look()))
		return;
	for (uint32_t i = 0; i < alarms->count; i++)
		alarms->item[i].ahead_ns = UINT64_MAX;
	each(note_ahead, alarms);
	alarms->look = kept_look();
}

bool alarms_are_due(struct alarms *alarms, uint64_t seen_by_ns, uint64_t within_ns)
{
	look_again(alarms);
	for (uint32_t i = 0; i < alarms->count; i++)
		if (alarms->item[i].ahead_ns <= within_ns && alarms->item[i].seen_ns <= seen_by_ns)
			return true;
	return false;
}
