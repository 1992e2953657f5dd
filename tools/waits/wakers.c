/* SPDX-License-Identifier: Apache-2.0 */
/* Caches who could end waits for pipes and shared memory. */
#include "wakers.h"

#include <stdlib.h>
#include <time.h>

#include "../proc/tcp_peers.h"
#include "../reader/hidepid.h"
#include "memory/memory_names.h"

#define PIPES_SHARE 200u /* share of the time for refreshing the cache */
#define PIPES_NS 1000000000ull
#define FLIGHT_NS 3000000000ull /* messages in flight arrive within this time */
#define MEMORY_NS 2000000000ull
/* share of the time for repeated walks that find a possible waker again */
#define OTHERS_SHARE 20u
#define OTHERS_NS 5000000000ull /* maximum age of such an answer */

void wakers_begin(struct wakers *wakers, const struct snapshot *snapshot)
{
	wakers->snapshot = snapshot;
}

void wakers_finish(struct wakers *wakers)
{
	for (uint32_t i = 0; i < wakers->memory.count; i++)
		memory_reach_free(&wakers->memory.item[i]);
	free(wakers->memory.item);
	pipes_free(&wakers->pipes);
	ready_sets_free(&wakers->ready);
	*wakers = (struct wakers){0};
}

/* ---- pipes ---- */

static void scan_pipes(struct wakers *wakers)
{
	const struct flight_job job = memory_reach_job(wakers->snapshot);
	uint64_t begin = clock_ns(CLOCK_MONOTONIC), took;

	pipes_scan(&wakers->pipes, &job);
	wakers->blind = hidepid_any(wakers->snapshot->reader) ||
			pipes_are_blind(&wakers->pipes, job.is_ours, job.context);
	wakers->pipes_ns = wakers->snapshot->now_ns;
	took = (clock_ns(CLOCK_MONOTONIC) - begin) * PIPES_SHARE;
	took = took < PIPES_NS ? PIPES_NS : took;
	if (wakers->pipes.in_flight && took > FLIGHT_NS)
		took = FLIGHT_NS;
	wakers->pipes_due_ns = begin + took;
}

/* Whether an epoll set of the same number is another one. */
static bool is_other_set(const struct snapshot_thread *thread, const struct pipe_holder *holder)
{
	return holder->id.kind == PIPE_POLL &&
	       !descriptor_may_be_same(thread->pid, holder->pid, (int)holder->id.inode);
}

/* Since the pipes were read: whom it may have passed its ends to is read before a verdict. */
static bool has_ended(uint32_t pid)
{
	struct proc_stat stat = proc_stat(pid, pid);

	return !stat.state || proc_stat_ended(&stat);
}

bool wakers_of_pipe(struct wakers *wakers, const struct snapshot_thread *thread,
		    const struct pipe_id *id, unsigned ends, const struct wakers_eye *eye)
{
	const struct pipe_holder *holder;
	bool held = id->kind != PIPE_SOCKET &&
		    id->kind != PIPE_LOCKED; /* by nobody in sight: by a process of another user */
	uint32_t at = 0;

	if (wakers->pipes_ns < thread->still_ns ||
	    wakers->snapshot->now_ns > wakers->pipes_due_ns ||
	    (id->kind == PIPE_LOCKED && !wakers->pipes.locks)) {
		wakers->pipes.locks |= id->kind == PIPE_LOCKED;
		scan_pipes(wakers);
	}
	while ((holder = pipes_next(&wakers->pipes, id, ends, &at))) {
		uint32_t process = snapshot_process_of_pid(wakers->snapshot, holder->pid);

		if (is_other_set(thread, holder) ||
		    (process == SNAPSHOT_NONE && has_ended(holder->pid)))
			continue;
		held |= pipe_same(&holder->id, id);
		if (process == SNAPSHOT_NONE || pipes_kernel_acts(&wakers->pipes, id, holder->pid))
			return false;
		eye->see(process, eye->context);
	}
	return held && !wakers->blind;
}

/* ---- shared memory ---- */

bool wakers_find_memory(struct snapshot_thread *thread, uint64_t address)
{
	struct proc_mapping mapping;

	if (!thread->object.known && proc_mapping_lately(thread->pid, address, &mapping))
		thread->object = (struct snapshot_object){.known = true,
							  .is_shared = mapping.shared,
							  .in_libc = mapping.in_libc,
							  .device = mapping.device,
							  .inode = mapping.inode,
							  .address = address};
	return thread->object.known;
}

static struct reach *find_reach(struct wakers *wakers, const struct snapshot_object *object)
{
	struct reach *reach;

	for (uint32_t i = 0; i < wakers->memory.count; i++)
		if (wakers->memory.item[i].device == object->device &&
		    wakers->memory.item[i].inode == object->inode)
			return &wakers->memory.item[i];
	reach = ARRAY_ADD(&wakers->memory);
	*reach = (struct reach){.device = object->device, .inode = object->inode};
	return reach;
}

static struct reach *find_mappers(struct wakers *wakers, const struct snapshot_thread *thread)
{
	struct reach *reach = find_reach(wakers, &thread->object);

	if (!reach->mappers.at_ns || reach->mappers.at_ns + MEMORY_NS < wakers->snapshot->now_ns)
		memory_reach_ask_mappers(reach, wakers->snapshot);
	return reach;
}

static bool see_processes(const struct wakers *wakers,
			  const struct memory_reach_processes *processes,
			  const struct wakers_eye *eye)
{
	for (uint32_t i = 0; i < processes->slots.count; i++) {
		uint32_t process = snapshot_process(wakers->snapshot, processes->slots.item[i]);

		if (process != SNAPSHOT_NONE)
			eye->see(process, eye->context);
	}
	return !processes->strangers;
}

static bool see_others(const struct wakers *wakers, const struct reach *reach,
		       const struct wakers_eye *eye)
{
	if (reach->by_job)
		eye->see_job(eye->context);
	return see_processes(wakers, &reach->others, eye);
}

static void ask_others(struct wakers *wakers, struct reach *reach,
		       const struct snapshot_thread *thread)
{
	uint64_t begin = clock_ns(CLOCK_MONOTONIC), took;

	memory_reach_ask_others(reach, wakers->snapshot, thread->tid, thread->object.address);
	took = (clock_ns(CLOCK_MONOTONIC) - begin) * OTHERS_SHARE;
	took = took < MEMORY_NS ? MEMORY_NS : took > OTHERS_NS ? OTHERS_NS : took;
	reach->due_ns = wakers->snapshot->now_ns + took;
}

bool wakers_of_memory(struct wakers *wakers, const struct snapshot_thread *thread,
		      const struct wakers_eye *eye)
{
	struct reach *reach = find_mappers(wakers, thread);

	if (!see_processes(wakers, &reach->mappers, eye))
		return false;
	return !reach->others.at_ns || wakers->snapshot->now_ns >= reach->due_ns ||
	       see_others(wakers, reach, eye);
}

bool wakers_of_memory_later(struct wakers *wakers, const struct snapshot_thread *thread,
			    const struct wakers_eye *eye)
{
	struct reach *reach = find_mappers(wakers, thread);

	if (reach->others.at_ns != wakers->snapshot->now_ns)
		ask_others(wakers, reach, thread);
	return see_others(wakers, reach, eye);
}

bool wakers_have_path(const struct snapshot_thread *thread)
{
	struct proc_mapping mapping;

	return thread->object.is_shared &&
	       proc_mapping(thread->tid, thread->object.address, &mapping) &&
	       !memory_names_has_no_descriptor(&mapping) &&
	       memory_names_of(thread->tid, &mapping, 0) == LINKS_OF_ALL;
}

bool wakers_are_scattered(struct wakers *wakers, const struct snapshot_thread *thread)
{
	return find_mappers(wakers, thread)->scattered;
}

void wakers_refresh(struct wakers *wakers)
{
	uint64_t now = wakers->snapshot->now_ns;

	tcp_peers_forget();
	if (wakers->pipes_ns && wakers->pipes_ns < now)
		scan_pipes(wakers);
	ready_sets_refresh(&wakers->ready, now);
	for (uint32_t i = 0; i < wakers->memory.count; i++) {
		struct reach *reach = &wakers->memory.item[i];

		if (reach->mappers.at_ns < now)
			reach->mappers.at_ns = reach->others.at_ns = 0;
	}
}
