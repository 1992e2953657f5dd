/* SPDX-License-Identifier: Apache-2.0 */
/* Finds processes of other PID namespaces in /proc. */
#include "elsewhere.h"

#include <stdlib.h>
#include <time.h>

#include "../base/util.h"
#include "../proc/hidepid_option.h"
#include "../proc/namespaces.h"
#include "../proc/proc.h"
#include "host.h"

#define AGAIN_NS 500000000ull /* until /proc is searched again, at least */
#define AGAIN_SHARE 200u /* share of the time that searches take */
#define MAKERS 100u /* between a process and one that can be seen, at most */

struct found {
	uint32_t pid; /* here; 0: not found */
	bool denied;
	uint64_t searched_ns; /* when the last search for it began */
};

struct elsewhere {
	const struct mpsan_process *table;
	struct found *found; /* by slot */
	uint64_t due_ns; /* of the next search */
};

bool elsewhere_is(const struct mpsan_process *process)
{
	return process->pid_ns && process->pid_ns != host_pid_namespace();
}

struct elsewhere *elsewhere_create(const struct mpsan_process *table, uint32_t slots)
{
	struct elsewhere *elsewhere = memory_get(sizeof(*elsewhere));

	elsewhere->table = table;
	elsewhere->found = memory_get(slots * sizeof(*elsewhere->found));
	return elsewhere;
}

void elsewhere_destroy(struct elsewhere *elsewhere)
{
	if (!elsewhere)
		return;
	free(elsewhere->found);
	free(elsewhere);
}

struct search {
	struct elsewhere *elsewhere;
	uint32_t there;
	uint64_t begin_ns;
};

/* A zombie still has its number. */
static bool started_later(uint32_t pid, uint64_t birth_ns)
{
	struct proc_stat stat = proc_stat(pid, pid);

	return !stat.state || host_started_later(stat.start, birth_ns);
}

static void compare(const struct search *search, uint32_t slot, uint32_t pid, uint64_t pid_ns)
{
	const struct mpsan_process *process = &search->elsewhere->table[slot];
	struct found *found = &search->elsewhere->found[slot];

	found->denied |= !pid_ns;
	if (pid_ns == process->pid_ns && !started_later(pid, process->birth_ns))
		found->pid = pid;
}

static void see_process(uint32_t pid, void *context)
{
	const struct search *search = context;
	struct namespace_tids tids = namespace_tids(pid, pid);
	uint32_t inner = tids.count > 1 ? tids.of[tids.count - 1] : 0;
	uint64_t pid_ns = inner ? namespace_of(pid, "pid") : 0;

	for (uint32_t slot = 0; inner && slot < search->there; slot++) {
		const struct mpsan_process *process = &search->elsewhere->table[slot];

		if (process->pid == inner && !search->elsewhere->found[slot].pid &&
		    elsewhere_is(process))
			compare(search, slot, pid, pid_ns);
	}
}

/* What has written its pid exists: if it is not found, it has ended. */
static void search_all(const struct search *search)
{
	struct elsewhere *elsewhere = search->elsewhere;
	uint64_t took_ns;

	for (uint32_t slot = 0; slot < search->there; slot++)
		if (__atomic_load_n(&elsewhere->table[slot].pid, __ATOMIC_ACQUIRE))
			elsewhere->found[slot].searched_ns = search->begin_ns;
	proc_each(see_process, (void *)search);
	took_ns = (clock_ns(CLOCK_MONOTONIC) - search->begin_ns) * AGAIN_SHARE;
	elsewhere->due_ns = search->begin_ns + (took_ns < AGAIN_NS ? AGAIN_NS : took_ns);
}

uint32_t elsewhere_pid(struct elsewhere *elsewhere, uint32_t there, uint32_t slot)
{
	const struct search search = {elsewhere, there, clock_ns(CLOCK_MONOTONIC)};
	const struct found *found = &elsewhere->found[slot];
	uint64_t end_ns = elsewhere->table[slot].end_ns;

	if (!found->pid && search.begin_ns >= elsewhere->due_ns &&
	    !(end_ns && end_ns < found->searched_ns))
		search_all(&search);
	return found->pid;
}

void elsewhere_tell(struct elsewhere *elsewhere, uint32_t slot, uint32_t pid)
{
	elsewhere->found[slot] =
		(struct found){.pid = pid, .searched_ns = clock_ns(CLOCK_MONOTONIC)};
}

/* Of a namespace that can be seen, all processes can. */
static bool is_seen(const struct elsewhere *elsewhere, uint32_t there, uint64_t pid_ns)
{
	if (pid_ns == host_pid_namespace())
		return true;
	for (uint32_t slot = 0; slot < there; slot++)
		if (elsewhere->found[slot].pid && elsewhere->table[slot].pid_ns == pid_ns)
			return true;
	return false;
}

/* Whether its namespace, or that of a process that made it, directly or not, can be seen: those below can be seen as well. */
static bool is_visible(const struct elsewhere *elsewhere, uint32_t there, uint32_t slot)
{
	const struct mpsan_process *process = &elsewhere->table[slot];

	for (uint32_t made = 0; made < MAKERS; made++) {
		if (is_seen(elsewhere, there, process->pid_ns))
			return !hidepid_possible();
		if (process->how == MPSAN_HOW_ROOT || !process->parent || process->parent > there)
			return false;
		process = &elsewhere->table[process->parent - 1];
	}
	return false;
}

bool elsewhere_is_gone(const struct elsewhere *elsewhere, uint32_t there, uint32_t slot)
{
	const struct found *found = &elsewhere->found[slot];

	return found->searched_ns && elsewhere->table[slot].birth_ns && !found->pid &&
	       !found->denied && is_visible(elsewhere, there, slot);
}

bool elsewhere_denied(const struct elsewhere *elsewhere, uint32_t slot)
{
	return elsewhere->found[slot].denied && !elsewhere->found[slot].pid;
}
