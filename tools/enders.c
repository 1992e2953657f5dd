/* See enders.h. */
#include "enders.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PIPES_SHARE 200u /* of the time, for scans that only keep the picture up to date */
#define PIPES_NS 1000000000ull
#define MEMORY_NS 2000000000ull

void enders_begin(struct enders *enders, const struct census *census)
{
	enders->census = census;
}

void enders_finish(struct enders *enders)
{
	for (uint32_t i = 0; i < enders->memory.count; i++)
		free(enders->memory.item[i].slots.item);
	free(enders->memory.item);
	pipes_free(&enders->pipes);
	*enders = (struct enders){0};
}

/* ---- pipes ---- */

static bool is_ours(uint32_t pid, void *context)
{
	return census_process_of_pid(context, pid) != CENSUS_NONE;
}

static void scan_pipes(struct enders *enders)
{
	uint64_t begin = clock_ns(CLOCK_MONOTONIC), took;

	pipes_scan(&enders->pipes);
	enders->blind = pipes_are_blind(&enders->pipes, is_ours, (void *)enders->census);
	enders->pipes_ns = enders->census->now_ns;
	took = (clock_ns(CLOCK_MONOTONIC) - begin) * PIPES_SHARE;
	enders->pipes_due_ns = begin + (took > PIPES_NS ? took : PIPES_NS);
}

bool enders_find_pipe(struct census_thread *thread)
{
	if (!thread->object.known) {
		struct pipe_id id = pipe_of(thread->pid, (int)thread->call.arg[0]);

		thread->object = (struct census_object){.known = true,
							.is_shared = id.kind == PIPE_ANONYMOUS,
							.device = id.device,
							.inode = id.inode};
	}
	return thread->object.is_shared;
}

bool enders_of_pipe(struct enders *enders, struct census_thread *thread, unsigned ends,
		    void (*see)(uint32_t process, void *context), void *context)
{
	struct pipe_id id = {PIPE_ANONYMOUS, thread->object.device, thread->object.inode};
	const struct pipe_holder *holder;
	uint32_t at = 0;

	if (enders->pipes_ns < thread->still_ns || enders->census->now_ns > enders->pipes_due_ns)
		scan_pipes(enders);
	while ((holder = pipes_next(&enders->pipes, &id, ends, &at))) {
		uint32_t process = census_process_of_pid(enders->census, holder->pid);

		if (process == CENSUS_NONE)
			return false;
		see(process, context);
	}
	return !enders->blind;
}

/* ---- shared memory ---- */

bool enders_find_memory(struct census_thread *thread, uint64_t address)
{
	struct proc_mapping mapping;

	if (!thread->object.known && proc_mapping(thread->pid, address, &mapping))
		thread->object = (struct census_object){.known = true,
							.is_shared = mapping.shared,
							.in_libc = mapping.in_libc,
							.can_be_opened = mapping.can_be_opened,
							.device = mapping.device,
							.inode = mapping.inode};
	return thread->object.known;
}

/* One walk over all processes of the machine. */
struct asking {
	const struct census *census;
	struct sharers *sharers;
};

#define GENERATIONS_MAX 64u

/* A process that hides may have inherited what the job has, when it comes from the job. */
static bool descends(const struct census *census, uint32_t pid)
{
	for (unsigned i = 0; pid && i < GENERATIONS_MAX; i++) {
		if (census_process_of_pid(census, pid) != CENSUS_NONE)
			return true;
		pid = proc_stat(pid, pid).parent;
	}
	return false;
}

static void ask_process(uint32_t pid, void *context)
{
	const struct asking *asking = context;
	struct sharers *sharers = asking->sharers;
	uint32_t process = census_process_of_pid(asking->census, pid);
	int maps = pid == (uint32_t)getpid() ? 0 : proc_maps(pid, sharers->device, sharers->inode);

	if (!maps || (maps < 0 && !descends(asking->census, pid)))
		return;
	if (process == CENSUS_NONE)
		sharers->strangers = true;
	else
		*ARRAY_ADD(&sharers->slots) = asking->census->processes.item[process].slot;
}

static void ask_memory(const struct enders *enders, struct sharers *sharers)
{
	struct asking asking = {enders->census, sharers};

	sharers->at_ns = enders->census->now_ns;
	sharers->strangers = false;
	sharers->slots.count = 0;
	proc_each(ask_process, &asking);
}

static struct sharers *find_sharers(struct enders *enders, const struct census_object *object)
{
	struct sharers *sharers;

	for (uint32_t i = 0; i < enders->memory.count; i++)
		if (enders->memory.item[i].device == object->device &&
		    enders->memory.item[i].inode == object->inode)
			return &enders->memory.item[i];
	sharers = ARRAY_ADD(&enders->memory);
	*sharers = (struct sharers){.device = object->device, .inode = object->inode};
	return sharers;
}

bool enders_of_memory(struct enders *enders, const struct census_thread *thread,
		      void (*see)(uint32_t process, void *context), void *context)
{
	struct sharers *sharers;

	if (thread->object.can_be_opened)
		return false;
	sharers = find_sharers(enders, &thread->object);
	if (!sharers->at_ns || sharers->at_ns + MEMORY_NS < enders->census->now_ns)
		ask_memory(enders, sharers);
	for (uint32_t i = 0; i < sharers->slots.count; i++) {
		uint32_t process = census_process(enders->census, sharers->slots.item[i]);

		if (process != CENSUS_NONE)
			see(process, context);
	}
	return !sharers->strangers;
}

bool enders_refresh(struct enders *enders)
{
	uint64_t now = enders->census->now_ns;
	bool old = enders->pipes_ns && enders->pipes_ns < now;

	if (old)
		scan_pipes(enders);
	for (uint32_t i = 0; i < enders->memory.count; i++) {
		if (enders->memory.item[i].at_ns >= now)
			continue;
		enders->memory.item[i].at_ns = 0;
		old = true;
	}
	return old;
}
