/* SPDX-License-Identifier: Apache-2.0 */
/* Queries about worker processes: who made them, how they ended, which were left behind. */
#include "processes.h"

#include <signal.h>
#include <string.h>

/* of one process, one per exec; bounds a cycle in a damaged table */
#define IMAGES_MAX 1024u
/* the intermediate child of a double fork does not live longer, unless it is known by its setsid */
#define DETACHED_NS 200000000ull

static const struct mpsan_process *slot_of(const struct facts *facts, uint32_t slot)
{
	return facts->processes[slot].slot;
}

/* The slot of the parent of this image; FACT_NONE: unknown. */
static uint32_t maker_of(const struct facts *facts, uint32_t slot)
{
	uint32_t parent = slot_of(facts, slot)->parent;

	return parent && parent <= facts->process_count && slot_of(facts, parent - 1)->pid ?
		       parent - 1 :
		       FACT_NONE;
}

uint32_t process_born_as(const struct facts *facts, uint32_t slot)
{
	for (uint32_t images = 0; images < IMAGES_MAX; images++) {
		uint32_t maker = maker_of(facts, slot);

		if (maker == FACT_NONE || slot_of(facts, maker)->pid != slot_of(facts, slot)->pid)
			break;
		slot = maker;
	}
	return slot;
}

static uint32_t next_image(const struct facts *facts, uint32_t slot)
{
	for (uint32_t child = facts->processes[slot].children; child;
	     child = facts->processes[child - 1].sibling)
		if (slot_of(facts, child - 1)->pid == slot_of(facts, slot)->pid)
			return child - 1;
	return FACT_NONE;
}

uint32_t process_present(const struct facts *facts, uint32_t slot)
{
	uint32_t next = slot;

	for (uint32_t images = 0; images < IMAGES_MAX && next != FACT_NONE &&
				  slot_of(facts, slot)->flags & MPSAN_PROCESS_REPLACED;
	     images++) {
		next = next_image(facts, slot);
		slot = next == FACT_NONE ? slot : next;
	}
	return slot;
}

uint32_t process_parent(const struct facts *facts, uint32_t slot)
{
	uint32_t parent = maker_of(facts, process_born_as(facts, slot));

	if (parent == FACT_NONE)
		return FACT_NONE;
	parent = process_present(facts, parent);
	if (role_of(slot_of(facts, parent)) == ROLE_FORK_SERVER) {
		parent = maker_of(facts, process_born_as(facts, parent));
		parent = parent == FACT_NONE ? parent : process_present(facts, parent);
	}
	return parent;
}

bool process_is_later_sibling(const struct facts *facts, uint32_t slot, uint32_t other)
{
	uint32_t parent = process_parent(facts, slot);

	return slot != other && parent != FACT_NONE && parent == process_parent(facts, other) &&
	       fact_made_ns(facts, slot) > fact_made_ns(facts, other);
}

const char *process_program(const struct mpsan_process *process, char name[MPSAN_ARGV_BYTES + 1])
{
	memcpy(name, process->argv, MPSAN_ARGV_BYTES);
	name[MPSAN_ARGV_BYTES] = '\0';
	return strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
}

/* Shells fork for subshells, pipelines and background jobs. */
bool process_is_shell(const struct mpsan_process *process)
{
	static const char *const shells[] = {"sh", "bash", "dash", "zsh", "ksh", "mksh", "busybox"};
	char name[MPSAN_ARGV_BYTES + 1];
	const char *base = process_program(process, name);

	base += *base == '-'; /* a login shell */
	for (size_t i = 0; i < sizeof(shells) / sizeof(*shells); i++)
		if (!strcmp(base, shells[i]))
			return true;
	return false;
}

bool process_is_worker(const struct facts *facts, uint32_t slot)
{
	const struct mpsan_process *process = slot_of(facts, slot);

	if (!process || !process->pid || process->flags & MPSAN_PROCESS_REPLACED)
		return false;
	switch (role_of(process)) {
	case ROLE_SPAWNED:
		return true;
	case ROLE_PLAIN:
		return fact_how_copies(process->how) && !facts->processes[slot].exec_ns &&
		       !process_is_shell(process);
	default:
		return false;
	}
}

uint32_t process_worker_fork(const struct facts *facts, uint32_t parent, uint64_t until_ns)
{
	for (uint32_t i = facts->fork_count; i-- > 0;) {
		const struct fact_fork *fork = &facts->forks[i];

		if (fork->at.time_ns <= until_ns && fork->child < facts->process_count &&
		    fork->at.by == parent && process_is_worker(facts, fork->child))
			return i;
	}
	return FACT_NONE;
}

bool process_is_python_worker(const struct facts *facts, uint32_t slot)
{
	return process_is_worker(facts, slot) &&
	       (slot_of(facts, slot)->python || role_of(slot_of(facts, slot)) == ROLE_SPAWNED);
}

bool process_is_job(const struct facts *facts, uint32_t slot)
{
	uint32_t parent = process_parent(facts, slot);

	return parent != FACT_NONE && process_is_shell(slot_of(facts, parent)) &&
	       slot_of(facts, slot)->marks & ~slot_of(facts, parent)->marks &
		       MPSAN_MARK_IGNORES_INT;
}

bool process_answers_by_end(const struct facts *facts, uint32_t slot)
{
	const struct mpsan_process *process = slot_of(facts, slot);
	int number = process->end == MPSAN_END_SIGNAL ? process->end_value : 0;
	char name[MPSAN_ARGV_BYTES + 1];

	/* one that ended soon has not said itself that it is Python */
	return !process_is_worker(facts, slot) && !process->python &&
	       strncmp(process_program(process, name), "python", 6) != 0 && number != SIGSEGV &&
	       number != SIGABRT && number != SIGBUS && number != SIGFPE && number != SIGILL;
}

static bool left_soon_after(const struct facts *facts, uint32_t slot, uint64_t time_ns)
{
	return facts->processes[slot].gone &&
	       facts->processes[slot].gone_ns < time_ns + DETACHED_NS;
}

static bool is_copy(const struct facts *facts, uint32_t slot)
{
	return fact_how_copies(slot_of(facts, slot)->how) && !facts->processes[slot].exec_ns;
}

/* Whether it forked once, and not as multiprocessing does for a worker; helpers that exec do not count. */
static bool forked_once(const struct facts *facts, uint32_t slot)
{
	unsigned copies = 0;

	for (uint32_t child = facts->processes[slot].children; child;
	     child = facts->processes[child - 1].sibling)
		if (is_copy(facts, child - 1) &&
		    (copies++ || process_named(facts, child - 1) != FACT_NONE))
			return false;
	return copies;
}

/*
 * The intermediate process of a daemon: it called setsid, forked once, and left by itself, with status 0 as far as is
 * known. How long an interpreter takes to end does not matter.
 */
static bool detaches(const struct facts *facts, uint32_t slot)
{
	const struct fact_process *process = &facts->processes[slot];

	return process->slot->flags & MPSAN_PROCESS_SESSION && process->gone && !process->stayed &&
	       process->slot->end == MPSAN_END_EXIT && process->slot->end_value <= 0 &&
	       is_copy(facts, slot) && forked_once(facts, slot);
}

bool process_is_apart(const struct facts *facts, uint32_t slot)
{
	uint32_t born = process_born_as(facts, slot), maker = maker_of(facts, born);

	for (uint32_t at = slot;; at = maker_of(facts, at)) {
		if (slot_of(facts, at)->flags & MPSAN_PROCESS_SESSION ||
		    slot_of(facts, at)->how == MPSAN_HOW_DAEMON)
			return true;
		if (at == born)
			break;
	}
	return maker != FACT_NONE &&
	       (detaches(facts, maker) ||
		(slot_of(facts, maker)->flags & MPSAN_PROCESS_SESSION &&
		 left_soon_after(facts, maker, slot_of(facts, born)->birth_ns)));
}

bool process_leaves_on_purpose(const struct facts *facts, uint32_t slot)
{
	const struct fact_process *process = &facts->processes[slot];

	return detaches(facts, slot) ||
	       (process->slot->end == MPSAN_END_EXIT && is_copy(facts, slot) &&
		left_soon_after(facts, slot, process->slot->birth_ns));
}

bool process_was_let_go(const struct facts *facts, uint32_t slot)
{
	uint32_t parent = process_parent(facts, slot);
	const struct fact_process *from = parent == FACT_NONE ? NULL : &facts->processes[parent];

	return process_is_apart(facts, slot) ||
	       (from && from->gone && !from->stayed &&
		!(from->slot->flags & MPSAN_PROCESS_REPLACED) &&
		from->slot->end == MPSAN_END_EXIT && !from->slot->end_value &&
		process_is_worker(facts, parent) &&
		(!facts->processes[slot].gone || facts->processes[slot].gone_ns > from->gone_ns));
}

bool process_was_killed(const struct facts *facts, uint32_t slot)
{
	const struct fact_process *process = &facts->processes[slot];

	if (!process->gone || process->stayed || process->slot->flags & MPSAN_PROCESS_REPLACED)
		return false;
	return process->slot->end == MPSAN_END_SIGNAL;
}

bool process_failed(const struct mpsan_process *process)
{
	return process->end == MPSAN_END_SIGNAL ||
	       (process->end == MPSAN_END_EXIT && process->end_value > 0);
}

bool process_failed_unasked(const struct facts *facts, uint32_t slot)
{
	return process_failed(slot_of(facts, slot)) &&
	       (process_is_job(facts, slot) || !process_answers_by_end(facts, slot));
}

uint64_t process_left_ns(const struct facts *facts, uint32_t slot)
{
	uint32_t parent = process_is_worker(facts, slot) ? process_parent(facts, slot) : FACT_NONE;
	const struct fact_process *from;

	if (parent == FACT_NONE)
		return 0;
	from = &facts->processes[parent];
	if (!from->gone || from->stayed || from->slot->flags & MPSAN_PROCESS_REPLACED ||
	    from->slot->end == MPSAN_END_NONE || process_is_apart(facts, slot) ||
	    process_leaves_on_purpose(facts, parent))
		return 0;
	return from->gone_ns +
	       (process_was_struck(facts, parent) ? PROCESS_STRUCK_NS : PROCESS_LEFT_NS);
}

bool process_is_left_behind(const struct facts *facts, uint32_t slot)
{
	const struct fact_process *process = &facts->processes[slot];
	uint64_t left_ns = process_left_ns(facts, slot);

	return left_ns && (process->gone ? process->gone_ns : facts->now_ns) >= left_ns;
}

/*
 * Workers of a DataLoader check every five seconds, between two waits, whether their parent lives.
 */
#define LOADER_NS 7000000000ull

static bool goes_later(const struct facts *facts, uint32_t slot)
{
	const struct fact_process *process = &facts->processes[slot];

	return process_loads_data(facts, slot) &&
	       (process->gone ? process->gone_ns : facts->now_ns) <
		       facts->processes[process_parent(facts, slot)].gone_ns + LOADER_NS;
}

bool process_is_orphan_of(const struct facts *facts, uint32_t slot, uint32_t parent)
{
	return facts->processes[slot].slot && process_is_worker(facts, slot) &&
	       process_parent(facts, slot) == parent &&
	       !(slot_of(facts, slot)->flags & MPSAN_PROCESS_DEATHSIG) &&
	       process_is_left_behind(facts, slot) && !goes_later(facts, slot);
}

struct process_walk process_orphans(const struct facts *facts, uint32_t parent)
{
	uint32_t first = process_born_as(facts, parent);

	return (struct process_walk){parent, first, first, facts->process_count};
}

/* Whether process_parent() of what is below it may be the one above: images, and servers that fork for others. */
static bool leads_on(const struct facts *facts, const struct process_walk *walk, uint32_t slot)
{
	const struct mpsan_process *process = slot_of(facts, slot);

	return process->pid == slot_of(facts, walk->top)->pid ||
	       process->flags & MPSAN_PROCESS_REPLACED || role_of(process) == ROLE_FORK_SERVER;
}

uint32_t process_next_orphan(const struct facts *facts, struct process_walk *walk)
{
	const struct fact_process *processes = facts->processes;
	uint32_t at = walk->at;

	while (walk->left) {
		walk->left--; /* a damaged table may have a circle */
		if (processes[at].children && leads_on(facts, walk, at)) {
			at = processes[at].children - 1;
		} else {
			while (at != walk->top && !processes[at].sibling)
				at = processes[at].maker - 1;
			if (at == walk->top)
				break;
			at = processes[at].sibling - 1;
		}
		walk->at = at;
		if (process_is_orphan_of(facts, at, walk->parent))
			return at;
	}
	walk->left = 0;
	return FACT_NONE;
}

uint32_t process_fork(const struct facts *facts, uint32_t slot)
{
	return fact_fork_behind(facts, FACT_NONE, process_born_as(facts, slot));
}

uint32_t process_fork_of_threads(const struct facts *facts, uint32_t slot)
{
	uint32_t fork = process_born_as(facts, slot) == slot ? process_fork(facts, slot) :
							       FACT_NONE;

	return fork != FACT_NONE && facts->forks[fork].ev.threads > 1 ? fork : FACT_NONE;
}

static uint32_t named_at(const struct facts *facts, uint32_t slot, uint64_t fork)
{
	uint32_t at = fact_event_of(facts, slot, EV_process_name, FACT_NONE);

	while (at != FACT_NONE && EVENT_AS(&facts->events[at], process_name)->fork != fork)
		at = fact_event_of(facts, slot, EV_process_name, at);
	return at;
}

uint32_t process_named(const struct facts *facts, uint32_t slot)
{
	uint32_t own = named_at(facts, slot, 0), born = process_born_as(facts, slot);
	uint32_t maker = maker_of(facts, born);

	if (own != FACT_NONE || maker == FACT_NONE || !slot_of(facts, born)->fork_pos)
		return own;
	return named_at(facts, maker, slot_of(facts, born)->fork_pos);
}

bool process_loads_data(const struct facts *facts, uint32_t slot)
{
	uint32_t named = process_named(facts, slot);

	return named != FACT_NONE &&
	       EVENT_AS(&facts->events[named], process_name)->work == MPSAN_WORK_LOADER;
}
