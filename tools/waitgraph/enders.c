/* See enders.h. */
#include "enders.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../reader/hidden.h"

#define PIPES_SHARE 200u /* of the time, for scans that only keep the picture up to date */
#define PIPES_NS 1000000000ull
#define FLIGHT_NS 3000000000ull /* what is on its way will soon be there */
#define MEMORY_NS 2000000000ull
/* of the time, for walks that show again and again that somebody may come */
#define OTHERS_SHARE 20u
#define OTHERS_NS 5000000000ull /* but no answer is older */

void enders_begin(struct enders *enders, const struct census *census)
{
	enders->census = census;
}

void enders_finish(struct enders *enders)
{
	for (uint32_t i = 0; i < enders->memory.count; i++)
		reach_free(&enders->memory.item[i]);
	free(enders->memory.item);
	pipes_free(&enders->pipes);
	*enders = (struct enders){0};
}

/* ---- pipes ---- */

static void scan_pipes(struct enders *enders)
{
	const struct flight_job job = reach_job(enders->census);
	uint64_t begin = clock_ns(CLOCK_MONOTONIC), took;

	pipes_scan(&enders->pipes, &job);
	enders->blind = hidden_any(enders->census->reader) ||
			pipes_are_blind(&enders->pipes, job.is_ours, job.context);
	enders->pipes_ns = enders->census->now_ns;
	took = (clock_ns(CLOCK_MONOTONIC) - begin) * PIPES_SHARE;
	took = took < PIPES_NS ? PIPES_NS : took;
	if (enders->pipes.in_flight && took > FLIGHT_NS)
		took = FLIGHT_NS;
	enders->pipes_due_ns = begin + took;
}

bool enders_find_pipe(struct census_thread *thread)
{
	if (!thread->object.known) {
		struct pipe_id id = pipe_of(thread->tid, (int)thread->call.arg[0]);

		thread->object = (struct census_object){.known = true,
							.is_shared = id.kind == PIPE_ANONYMOUS,
							.device = id.device,
							.inode = id.inode};
	}
	return thread->object.is_shared;
}

bool enders_of_pipe(struct enders *enders, struct census_thread *thread, unsigned ends,
		    const struct enders_eye *eye)
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
		eye->see(process, eye->context);
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
							.device = mapping.device,
							.inode = mapping.inode,
							.address = address};
	return thread->object.known;
}

static struct reach *find_reach(struct enders *enders, const struct census_object *object)
{
	struct reach *reach;

	for (uint32_t i = 0; i < enders->memory.count; i++)
		if (enders->memory.item[i].device == object->device &&
		    enders->memory.item[i].inode == object->inode)
			return &enders->memory.item[i];
	reach = ARRAY_ADD(&enders->memory);
	*reach = (struct reach){.device = object->device, .inode = object->inode};
	return reach;
}

static struct reach *find_mappers(struct enders *enders, const struct census_thread *thread)
{
	struct reach *reach = find_reach(enders, &thread->object);

	if (!reach->mappers.at_ns || reach->mappers.at_ns + MEMORY_NS < enders->census->now_ns)
		reach_ask_mappers(reach, enders->census);
	return reach;
}

static bool see_people(const struct enders *enders, const struct reach_people *people,
		       const struct enders_eye *eye)
{
	for (uint32_t i = 0; i < people->slots.count; i++) {
		uint32_t process = census_process(enders->census, people->slots.item[i]);

		if (process != CENSUS_NONE)
			eye->see(process, eye->context);
	}
	return !people->strangers;
}

static bool see_others(const struct enders *enders, const struct reach *reach,
		       const struct enders_eye *eye)
{
	if (reach->by_job)
		eye->see_job(eye->context);
	return see_people(enders, &reach->others, eye);
}

static void ask_others(struct enders *enders, struct reach *reach,
		       const struct census_thread *thread)
{
	uint64_t begin = clock_ns(CLOCK_MONOTONIC), took;

	reach_ask_others(reach, enders->census, thread->tid, thread->object.address);
	took = (clock_ns(CLOCK_MONOTONIC) - begin) * OTHERS_SHARE;
	took = took < MEMORY_NS ? MEMORY_NS : took > OTHERS_NS ? OTHERS_NS : took;
	reach->due_ns = enders->census->now_ns + took;
}

bool enders_of_memory(struct enders *enders, const struct census_thread *thread,
		      const struct enders_eye *eye)
{
	struct reach *reach = find_mappers(enders, thread);

	if (!see_people(enders, &reach->mappers, eye))
		return false;
	return !reach->others.at_ns || enders->census->now_ns >= reach->due_ns ||
	       see_others(enders, reach, eye);
}

bool enders_of_memory_later(struct enders *enders, const struct census_thread *thread,
			    const struct enders_eye *eye)
{
	struct reach *reach = find_mappers(enders, thread);

	if (reach->others.at_ns != enders->census->now_ns)
		ask_others(enders, reach, thread);
	return see_others(enders, reach, eye);
}

bool enders_are_elsewhere(struct enders *enders, const struct census_thread *thread)
{
	return find_mappers(enders, thread)->elsewhere;
}

bool enders_refresh(struct enders *enders)
{
	uint64_t now = enders->census->now_ns;
	bool old = enders->pipes_ns && enders->pipes_ns < now;

	if (old)
		scan_pipes(enders);
	for (uint32_t i = 0; i < enders->memory.count; i++) {
		struct reach *reach = &enders->memory.item[i];

		if (reach->mappers.at_ns >= now)
			continue;
		reach->mappers.at_ns = reach->others.at_ns = 0;
		old = true;
	}
	return old;
}
