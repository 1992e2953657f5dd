/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks of NCCL that have not joined a communicator for which others wait. */
#include <stdlib.h>
#include <string.h>

#include "../facts/processes.h"
#include "nccl.h"

#define NUMBERS_MAX 4096u

static bool has_record(const struct nccl *nccl, uint64_t id, uint32_t number)
{
	for (uint32_t i = 0; i < nccl->records; i++)
		if (nccl->record[i]->id == id && nccl->record[i]->rank == number)
			return true;
	return false;
}

static uint32_t slot_of(const struct nccl *nccl, const struct comm_rank *rank)
{
	return nccl->member.item[rank->process].slot;
}

/* Its launcher has numbered these processes as the communicator does. */
static bool is_numbered(const struct nccl *nccl, uint32_t begin, uint32_t end)
{
	const struct reader *reader = nccl->snapshot->reader;
	uint32_t parent = process_parent(&reader->facts, slot_of(nccl, &nccl->comms.rank[begin]));

	for (uint32_t i = begin; i < end; i++) {
		uint32_t slot = slot_of(nccl, &nccl->comms.rank[i]);

		if (mpsan_process_rank(&reader->session.table[slot]) !=
			    nccl->comms.rank[i].rank + 1 ||
		    process_parent(&reader->facts, slot) != parent)
			return false;
	}
	return parent != FACT_NONE;
}

/* The only process beside this one with that number, of those that lived with it; SNAPSHOT_NONE: none, or several. */
static uint32_t slot_of_number(const struct nccl *nccl, uint32_t beside, uint32_t number)
{
	const struct reader *reader = nccl->snapshot->reader;
	uint32_t parent = process_parent(&reader->facts, beside), found = SNAPSHOT_NONE;

	READER_EACH_SLOT(reader, slot) {
		const struct mpsan_process *process = &reader->session.table[slot];
		const struct fact_process *fact = &reader->processes[slot];

		if (mpsan_process_rank(process) != number + 1 ||
		    process_parent(&reader->facts, slot) != parent ||
		    process->flags & (MPSAN_PROCESS_REPLACED | MPSAN_PROCESS_OFF) ||
		    (fact->gone && fact->gone_ns <= reader->session.table[beside].birth_ns))
			continue;
		if (found != SNAPSHOT_NONE)
			return SNAPSHOT_NONE;
		found = slot;
	}
	return found;
}

static bool has_joining(const struct comms *comms, uint32_t begin, uint32_t end)
{
	for (uint32_t i = begin; i < end; i++)
		if (comms->rank[i].joins)
			return true;
	return false;
}

static void add_absent(struct nccl *nccl, const struct comm_rank *one, struct comm_rank **more,
		       uint32_t *count)
{
	for (uint32_t i = 0; i < one->ranks && i < NUMBERS_MAX; i++) {
		uint32_t slot;

		if (has_record(nccl, one->comm, i))
			continue;
		slot = slot_of_number(nccl, slot_of(nccl, one), i);
		if (slot == SNAPSHOT_NONE)
			continue;
		*more = memory_grow(*more, (*count + 1) * sizeof(**more));
		(*more)[(*count)++] = (struct comm_rank){.comm = one->comm,
							 .rank = i,
							 .ranks = one->ranks,
							 .process = nccl_process_of(nccl, slot),
							 .absent = true};
	}
}

/* Where some wait for others to join, those are the processes that the launcher has given these numbers. */
void nccl_find_absent(struct nccl *nccl)
{
	struct comms *comms = &nccl->comms;
	struct comm_rank *more = NULL;
	uint32_t count = 0;

	for (uint32_t begin = 0, end; begin < comms->ranks; begin = end) {
		for (end = begin; end < comms->ranks; end++)
			if (comms->rank[end].comm != comms->rank[begin].comm)
				break;
		if (has_joining(comms, begin, end) && is_numbered(nccl, begin, end))
			add_absent(nccl, &comms->rank[begin], &more, &count);
	}
	if (!count)
		return;
	comms->rank = memory_grow(comms->rank, (comms->ranks + count) * sizeof(*comms->rank));
	memcpy(comms->rank + comms->ranks, more, count * sizeof(*more));
	comms->ranks += count;
	free(more);
	comms_sort(comms);
}
