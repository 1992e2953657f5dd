/* SPDX-License-Identifier: Apache-2.0 */
/* Reads /proc/timer_list and /proc/PID/timers. */
#include "timers.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../base/util.h"
#include "proc.h"
#include "procfs.h"

#define ALARM ", it_real_fn,"
#define POSIX_TIMER ", posix_timer_fn,"
#define READINGS 4

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

/* Calls `see` for each timer with that function of the kernel's. False if they are not readable. */
static bool each(const char *function,
		 void (*see)(uint64_t due_ns, uint64_t ahead_ns, void *context), void *context)
{
	AUTO_CLOSE FILE *file = procfs_stream("timer_list");
	uint64_t at_ns, ahead_ns;
	bool wanted = false, known = false;
	char line[256];

	while (file && fgets(line, sizeof(line), file)) {
		if (wanted && due(line, &at_ns, &ahead_ns))
			see(at_ns, ahead_ns, context);
		wanted = strstr(line, function) != NULL;
		known = true;
	}
	return known;
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

	each(ALARM, add, &looking);
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
	each(ALARM, note_ahead, alarms);
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

/* ---- POSIX timers ---- */

static void see_one(uint64_t due_ns, uint64_t ahead_ns, void *context)
{
	bool *seen = context;

	(void)due_ns;
	(void)ahead_ns;
	*seen = true;
}

/*
 * The kernel finds each timer anew, by its number in the list: when one before it rings meanwhile, the next one is left out.
 * So what is not there is looked for again.
 */
bool posix_timers_rest(void)
{
	bool seen = false, known = true;

	for (int i = 0; i < READINGS && known && !seen; i++)
		known = each(POSIX_TIMER, see_one, &seen);
	return known && !seen;
}

#define KEY "signal: "

/* Clocks of processor time have the numbers 2 and 3, or negative ones. */
static bool goes_on(int clock)
{
	return clock >= 0 && clock != CLOCK_PROCESS_CPUTIME_ID && clock != CLOCK_THREAD_CPUTIME_ID;
}

/* One timer, from the number of its signal on. */
static bool says(const char *text, uint32_t tid, uint64_t signals)
{
	unsigned signal, whom;
	char kind[4];
	int clock;

	if (sscanf(text, "%u/%*s notify: signal/%3[a-z].%u ClockID: %d", &signal, kind, &whom,
		   &clock) != 4 ||
	    !goes_on(clock))
		return false;
	if (!strcmp(kind, "tid"))
		return whom == tid;
	return signal && signal <= 64 && signals >> (signal - 1) & 1;
}

bool posix_timers_say(const char *text, uint32_t tid, uint64_t signals)
{
	const char *at = strstr(text, KEY);
	bool found = false;

	while (at && !found) {
		at += sizeof(KEY) - 1;
		found = says(at, tid, signals);
		at = strstr(at, "\n" KEY);
		at += at != NULL;
	}
	return found;
}

bool posix_timers_signal(uint32_t pid, uint32_t tid, uint64_t signals)
{
	char text[4096];

	return proc_has_timer(pid) && procfs_read(text, sizeof(text), "%u/timers", pid) &&
	       posix_timers_say(text, tid, signals);
}
