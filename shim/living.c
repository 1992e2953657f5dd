/* See living.h. */
#include "living.h"

#include <sys/prctl.h>

#include "life.h"
#include "log.h"
#include "name.h"
#include "sys.h"
#include "thread.h"

#define LEAVING 16u
#define ROUNDS 3
#define NAMES_MAX 16u /* looked up at one fork: the list that people get is shorter */

struct census {
	bool python;
	uint32_t named;
	uint32_t living;
	uint32_t leaving; /* of those below, and perhaps still in the kernel's list */
	uint32_t tid[LEAVING];
};

/*
 * The kernel clears a word of each thread as it goes, which wakes who joins it: glibc keeps the TID
 * there. How far from the thread pointer it is, 0: not known.
 */
static uint64_t clear_word(void)
{
	static uint64_t distance;
	static bool asked;
	uint64_t pointer = (uint64_t)(uintptr_t)__builtin_thread_pointer(), word = 0;
	uint32_t tid = 0;

	if (!asked && !SYS2(SYS_prctl, PR_GET_TID_ADDRESS, &word) &&
	    sys_peek(&tid, (const void *)word, sizeof(tid)) == sizeof(tid) && tid == sys_tid())
		distance = word - pointer;
	asked = true;
	return distance;
}

static bool lives(const struct mpsan_thread *t)
{
	uint64_t word = clear_word();
	uint32_t tid;

	if (word && t->pthread &&
	    sys_peek(&tid, (const void *)(t->pthread + word), sizeof(tid)) == sizeof(tid) &&
	    (!tid || tid == t->tid))
		return tid;
	return sys_thread_alive(life.pid, t->tid);
}

static void see(struct mpsan_thread *t, void *context)
{
	struct census *census = context;
	bool was_ended = living_ended(t);

	if (!t->tid)
		return;
	if (!was_ended && lives(t)) {
		census->living++;
		if (census->named < NAMES_MAX)
			census->named += name_look(t, census->python);
		return;
	}
	if (census->leaving < LEAVING && (!was_ended || t->tid == life.pid))
		census->tid[census->leaving++] = t->tid;
	if (was_ended)
		return;
	t->ended = t->start_ns;
	EMIT(thread_gone, .thread = t->tid, .start = t->start_ns);
}

static uint32_t still_listed(const struct census *census)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < census->leaving; i++)
		count += sys_thread_alive(life.pid, census->tid[i]);
	return count;
}

uint32_t living_count(bool python)
{
	uint32_t listed = sys_thread_count(), leaving, before;
	struct census census = {.python = python};

	if (listed == 1)
		return 1;
	thread_each(see, &census);
	if (!listed || listed <= census.living)
		return listed;
	/*
	 * Threads leave the list meanwhile: both numbers are of one moment when the list has not
	 * changed.
	 */
	for (int i = 0; i < ROUNDS; i++) {
		before = sys_thread_count();
		leaving = still_listed(&census);
		listed = sys_thread_count();
		if (before == listed)
			break;
	}
	return listed > census.living + leaving ? listed - leaving : census.living;
}
