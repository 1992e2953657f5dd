/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps what was found in other processes: see pykept.h. */
#include "pykept.h"

#include <stdlib.h>
#include <string.h>

#include "../base/util.h"
#include "../proc/proc.h"

/* ---- threads ---- */

#define ROOM_FIRST 1024u
#define ROOM_MOST 262144u /* more than that are of processes that have ended */

struct known {
	int32_t pid; /* 0: none */
	uint32_t look; /* in which it was found, or found missing; 0: before */
	uint64_t pthread;
	uint64_t state; /* 0: it has none */
};
static struct {
	struct known *item;
	uint32_t room, count;
	int32_t pid; /* of those that are being found */
} table;

/* The thread's place, which may be free. */
static struct known *place_of(int32_t pid, uint64_t pthread)
{
	uint64_t hash = ((pthread ^ (uint64_t)pid << 48) * 0x9e3779b97f4a7c15ull) >> 32;
	uint32_t at = (uint32_t)hash % table.room;

	while (table.item[at].pid &&
	       (table.item[at].pid != pid || table.item[at].pthread != pthread))
		at = (at + 1) % table.room;
	return &table.item[at];
}

/* Makes room for one more; nothing is taken along from a table that is too large. */
static void make_room(void)
{
	struct known *before = table.item;
	uint32_t room = table.room;

	if (2 * table.count < room)
		return;
	table.room = room && room < ROOM_MOST ? 2 * room : ROOM_FIRST;
	table.item = memory_get(table.room * sizeof(*table.item));
	for (uint32_t i = 0; i < room && table.room > room; i++)
		if (before[i].pid)
			*place_of(before[i].pid, before[i].pthread) = before[i];
	table.count = table.room > room ? table.count : 0;
	free(before);
}

static struct known *know(int32_t pid, uint64_t pthread)
{
	struct known *place;

	make_room();
	place = place_of(pid, pthread);
	table.count += !place->pid;
	place->pid = pid;
	place->pthread = pthread;
	return place;
}

/* A thread has a state in each interpreter that it has been in: the first one in their order is asked for. */
static void know_state(const struct state *state, uint64_t at)
{
	struct known *of = state->frame ? know(table.pid, state->thread_id) : NULL;

	if (of && !of->state)
		of->state = at;
}

/* Interpreters are inserted at the front: in another one than that the thread may be in a newer one by now. */
static bool is_in_newest(const struct cpython *py, const struct state *state)
{
	return state->interp == cpython_peek_word(py, py->runtime + py->at.runtime_interpreters);
}

static bool is_still(const struct cpython *py, const struct known *of, uint64_t pthread,
		     struct state *state)
{
	return cpython_is_thread(py, of->state, pthread, state) && state->frame &&
	       is_in_newest(py, state);
}

/* All threads of the process that come to light are known from then on. */
static uint64_t find(const struct cpython *py, uint64_t pthread)
{
	table.pid = (int32_t)py->pid;
	return cpython_find_thread(py, pthread, know_state);
}

uint64_t pykept_thread(const struct cpython *py, uint64_t pthread, struct state *state)
{
	struct known *of = know((int32_t)py->pid, pthread);
	uint64_t found = of->state;

	if (of->look && of->look == kept_look())
		return found && state_read(py, state, found) ? found : 0;
	if (!found || !is_still(py, of, pthread, state))
		found = find(py, pthread);
	of = know((int32_t)py->pid, pthread);
	of->look = kept_look();
	of->state = found;
	return found && state_read(py, state, found) ? found : 0;
}

/* ---- memory ---- */

long pykept_peek(const struct cpython *py, void *to, uint64_t from, size_t bytes)
{
	return kept_read((uint32_t)py->pid, from, to, bytes);
}

static long peek_now(const struct cpython *py, void *to, uint64_t from, size_t bytes)
{
	return proc_read((uint32_t)py->pid, from, to, bytes);
}

struct cpython pykept_present(const struct cpython *py)
{
	struct cpython now = *py;

	now.peek = peek_now;
	return now;
}

void pykept_finish(void)
{
	free(table.item);
	memset(&table, 0, sizeof(table));
}
