/* SPDX-License-Identifier: Apache-2.0 */
/* Walks all processes for mappings and descriptors of shared memory. */
#include "memory_reach.h"

#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "../../proc/in_flight.h"
#include "../../proc/namespaces.h"
#include "../../proc/procfs.h"
#include "../../reader/hidepid.h"
#include "memory_names.h"

/* Processes that were not watched from start to end may have sent descriptors. */
struct flight_job memory_reach_job(const struct snapshot *snapshot)
{
	const struct reader *reader = snapshot->reader;
	const uint16_t asked = MPSAN_PROCESS_ATTACHED | MPSAN_PROCESS_OFF | MPSAN_PROCESS_SENDS;
	struct flight_job job = {snapshot_has_pid, (void *)snapshot, false};

	READER_EACH_SLOT(reader, slot)
		job.sends |= (reader->session.table[slot].flags & asked) != MPSAN_PROCESS_ATTACHED;
	return job;
}

static bool reach_descends(const struct snapshot *snapshot, uint32_t pid)
{
	return proc_descends(pid, snapshot_has_pid, (void *)snapshot);
}

static void reach_add(struct memory_reach_processes *processes, const struct snapshot *snapshot,
		      uint32_t pid)
{
	uint32_t process = snapshot_process_of_pid(snapshot, pid);

	if (process == SNAPSHOT_NONE)
		processes->strangers = true;
	else
		*ARRAY_ADD(&processes->slots) = snapshot->processes.item[process].slot;
}

static void reach_begin(struct memory_reach_processes *processes, const struct snapshot *snapshot)
{
	processes->at_ns = snapshot->now_ns;
	processes->strangers = hidepid_any(snapshot->reader);
	processes->slots.count = 0;
}

/* One walk over all processes of the machine. */
struct asking {
	const struct snapshot *snapshot;
	struct reach *reach;
	const struct proc_mapping *mapping;
	struct flight_job job;
};

/* ---- mappings ---- */

static void ask_mapper(uint32_t pid, void *context)
{
	struct asking *asking = context;
	struct reach *reach = asking->reach;
	int maps = proc_is_self(pid) ? 0 : proc_maps(pid, reach->device, reach->inode);

	/* A hidden process that descends from the job may have inherited what the job has. */
	if (!maps || (maps < 0 && !reach_descends(asking->snapshot, pid)))
		return;
	reach_add(&reach->mappers, asking->snapshot, pid);
	reach->mapped += maps > 0 ? (uint64_t)maps : 0;
	reach->pid_ns = reach->pid_ns ? reach->pid_ns : namespace_of(pid, "pid");
	reach->scattered |= !reach->pid_ns || namespace_of(pid, "pid") != reach->pid_ns;
}

void memory_reach_ask_mappers(struct reach *reach, const struct snapshot *snapshot)
{
	struct asking asking = {.snapshot = snapshot, .reach = reach};

	reach_begin(&reach->mappers, snapshot);
	reach->pid_ns = 0;
	reach->scattered = false;
	reach->mapped = 0;
	reach->mappers.strangers = procfs_source(); /* a core file tells of no other process */
	proc_each(ask_mapper, &asking);
}

/* ---- descriptors ---- */

/* Some file systems report other devices or inodes in stat than in maps: then the name decides. */
static bool is_it(const struct asking *asking, const struct descriptor *descriptor)
{
	const struct proc_mapping *mapping = asking->mapping;
	struct statx file;

	if (*descriptor->target != '/' || !descriptor_stat(descriptor, &file))
		return false;
	if (file.stx_ino == mapping->inode &&
	    makedev(file.stx_dev_major, file.stx_dev_minor) == mapping->device)
		return true;
	return strncmp(mapping->path, "/memfd:", 7) && !strcmp(mapping->path, descriptor->target);
}

/*
 * Whether the descriptor may carry others, in a message or in storage. Messages between strangers
 * do not matter.
 */
static bool may_bring_it(const struct asking *asking, const struct descriptor *descriptor)
{
	uint64_t socket = descriptor_socket(descriptor);

	if (!descriptor_carries(descriptor))
		return descriptor_may_carry(descriptor) &&
		       reach_descends(asking->snapshot, descriptor->pid);
	return !socket || snapshot_has_pid(descriptor->pid, (void *)asking->snapshot) ||
	       flight_may_be_ours(socket, &asking->job);
}

static void see_descriptor(const struct descriptor *descriptor, void *context)
{
	struct asking *asking = context;
	struct reach *reach = asking->reach;
	bool has_it = is_it(asking, descriptor);

	/* What one process has open, others can fetch: pidfd_getfd(2), /proc/PID/fd. */
	reach->by_job |= has_it;
	if (has_it || may_bring_it(asking, descriptor))
		reach_add(&reach->others, asking->snapshot, descriptor->pid);
}

static void ask_holder(uint32_t pid, void *context)
{
	struct asking *asking = context;

	if (!proc_is_self(pid) && !descriptors_each(pid, see_descriptor, asking) &&
	    reach_descends(asking->snapshot, pid))
		reach_add(&asking->reach->others, asking->snapshot, pid);
}

/* ---- the job's other processes ---- */

static void ask_unwatched(uint32_t pid, void *context)
{
	struct asking *asking = context;

	asking->reach->others.strangers |= !snapshot_has_pid(pid, (void *)asking->snapshot) &&
					   reach_descends(asking->snapshot, pid);
}

/*
 * A descriptor sent from one process to another during the walk may be missed, so it takes two
 * walks to conclude that no process has it.
 */
static void ask_descriptors(struct asking *asking)
{
	for (int i = 0; i < 2 && !asking->reach->others.strangers; i++)
		proc_each(ask_holder, asking);
}

void memory_reach_ask_others(struct reach *reach, const struct snapshot *snapshot, uint32_t pid,
			     uint64_t address)
{
	struct proc_mapping mapping;
	struct asking asking = {snapshot, reach, &mapping, memory_reach_job(snapshot)};
	enum links links;

	reach_begin(&reach->others, snapshot);
	reach->by_job = false;
	if (!proc_mapping(pid, address, &mapping)) {
		reach->others.strangers = true;
		return;
	}
	links = memory_names_of(pid, &mapping, reach->mapped);
	reach->others.strangers |= links == LINKS_OF_ALL;
	reach->by_job = links == LINKS_OF_JOB;
	if (!memory_names_has_no_descriptor(&mapping))
		ask_descriptors(&asking);
	if (reach->by_job && !reach->others.strangers)
		proc_each(ask_unwatched, &asking);
}

void memory_reach_free(struct reach *reach)
{
	free(reach->mappers.slots.item);
	free(reach->others.slots.item);
}
