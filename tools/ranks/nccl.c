/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects what the processes of all communicators do. A rank waits if the thread that entered its newest collectives, and
 * its main thread, rest, or have stood in one call of NCCL or CUDA all the time, on a processor or not.
 */
#include "nccl.h"

#include <stdlib.h>
#include <string.h>

#include "../waits/ledger.h"
#include "../waits/pythreads.h"
#include "lost.h"

#define LOOK_NS 1000000000ull
#define RANKS_MAX 4096u /* of all communicators; more are not examined */

static const struct snapshot_thread *thread_at(const struct nccl *nccl, uint32_t index)
{
	return &nccl->snapshot->threads.item[index];
}

/* ---- since when threads stand in calls that wait for others ---- */

static void mark_waits(const struct snapshot *snapshot)
{
	for (uint32_t i = 0; i < snapshot->threads.count; i++) {
		const struct snapshot_thread *thread = &snapshot->threads.item[i];
		struct ledger_life *life = &ledger_of(snapshot, i)->life;
		uint64_t mark = thread->record ? __atomic_load_n(&thread->record->for_peers,
								 __ATOMIC_ACQUIRE) :
						 0;

		if (mark == life->for_peers)
			continue;
		life->for_peers = mark;
		life->for_peers_ns = snapshot->now_ns;
	}
}

static bool waits_for_peers(const struct snapshot *snapshot, uint32_t thread, uint64_t since_ns)
{
	const struct ledger_life *life = &ledger_of(snapshot, thread)->life;

	return life->for_peers % 2 && life->for_peers_ns <= since_ns;
}

static bool has_waits(const struct snapshot *snapshot, uint32_t begin, uint32_t end,
		      uint64_t since_ns)
{
	for (uint32_t i = begin; i < end; i++)
		if (waits_for_peers(snapshot, i, since_ns))
			return true;
	return false;
}

/* ---- processes ---- */

/* Whether this thread has entered the newest collective of one of the communicators of its process. */
static bool is_caller(const struct nccl *nccl, uint32_t process, uint32_t own_tid)
{
	for (uint32_t i = 0; i < nccl->comms.ranks; i++) {
		const struct comm_rank *rank = &nccl->comms.rank[i];

		if (rank->process == process && !rank->left &&
		    (rank->call.tid == own_tid || rank->message.tid == own_tid))
			return true;
	}
	return false;
}

/* Finds its thread that waits; SNAPSHOT_NONE: it may go on. */
static uint32_t waiting_thread(const struct nccl *nccl, uint32_t process,
			       const struct snapshot_process *threads)
{
	const struct snapshot *snapshot = nccl->snapshot;
	uint32_t found = SNAPSHOT_NONE;

	for (uint32_t i = threads->begin; i < threads->end; i++) {
		const struct snapshot_thread *thread = thread_at(nccl, i);
		bool main_thread = thread->tid == thread->pid;

		if (waits_for_peers(snapshot, i, nccl->since_ns)) {
			if (found == SNAPSHOT_NONE || main_thread)
				found = i;
		} else if ((main_thread || is_caller(nccl, process, thread->own_tid)) &&
			   snapshot_rests(snapshot, thread) > nccl->since_ns) {
			return SNAPSHOT_NONE;
		}
	}
	return found;
}

static const struct rank *rank_of(const struct nccl *nccl, uint32_t slot)
{
	const struct ranks *ranks = nccl->ranks;
	uint32_t at = slot < ranks->by_slot.count ? ranks->by_slot.item[slot] : 0;

	return at ? &ranks->item.item[at - 1] : NULL;
}

static void see_ended(struct nccl *nccl, uint32_t process)
{
	const struct reader *reader = nccl->snapshot->reader;
	struct nccl_process *member = &nccl->member.item[process];
	const struct fact_process *fact = &reader->processes[member->slot];

	if (!fact->gone || fact->gone_ns > nccl->since_ns ||
	    reader->session.table[member->slot].flags & MPSAN_PROCESS_REPLACED)
		return;
	nccl->process.item[process].state = RANK_ENDED;
	member->what = lost_end(reader, member->slot);
}

static void see_process(struct nccl *nccl, uint32_t process)
{
	const struct snapshot *snapshot = nccl->snapshot;
	struct comm_process *to = &nccl->process.item[process];
	struct nccl_process *member = &nccl->member.item[process];
	const struct rank *rank = rank_of(nccl, member->slot);
	uint32_t at = snapshot_process(snapshot, member->slot);
	const struct snapshot_process *threads;

	if (at == SNAPSHOT_NONE) {
		see_ended(nccl, process);
		return;
	}
	threads = &snapshot->processes.item[at];
	if (threads->begin == threads->end)
		return;
	member->index = waiting_thread(nccl, process, threads);
	if (member->index != SNAPSHOT_NONE) {
		to->state = RANK_WAITS;
		return;
	}
	member->arrives = has_waits(snapshot, threads->begin, threads->end, snapshot->now_ns);
	member->index = snapshot_find(snapshot, member->slot,
				      nccl->snapshot->reader->session.table[member->slot].pid);
	if (member->index == SNAPSHOT_NONE)
		return;
	if (rank && rank_waits(snapshot, rank, nccl->since_ns)) {
		to->state = RANK_WAITS;
		member->what = *rank->in.place ? text_format("waits in %s (%s)", rank->in.name,
							     rank->in.place) :
						 text_format("waits in %s", rank->in.name);
		return;
	}
	member->what = lost_dead(snapshot, member->index, nccl->since_ns);
	to->state = member->what ? RANK_DEAD : RANK_OPEN;
}

uint32_t nccl_process_of(struct nccl *nccl, uint32_t slot)
{
	for (uint32_t i = 0; i < nccl->member.count; i++)
		if (nccl->member.item[i].slot == slot)
			return i;
	*ARRAY_ADD(&nccl->member) = (struct nccl_process){.slot = slot, .index = SNAPSHOT_NONE};
	*ARRAY_ADD(&nccl->process) = (struct comm_process){.state = RANK_OPEN};
	return nccl->member.count - 1;
}

static bool is_needed(const struct rank *by, const struct rank *other)
{
	if (other == by || other->job != by->job || other->world != by->world ||
	    other->number == by->number)
		return false;
	for (uint32_t i = 0; i < by->needs_count; i++)
		if (by->needs[i] == other->number)
			return true;
	return !by->needs;
}

/* Of a process that waits in a collective by its frames: all of that job, as long as each is known. */
static void find_needs(struct nccl *nccl, uint32_t process)
{
	const struct ranks *ranks = nccl->ranks;
	const struct rank *rank = rank_of(nccl, nccl->member.item[process].slot);
	uint32_t count = 0, wanted = rank->needs ? rank->needs_count : rank->world,
		 *needs = memory_get((ranks->item.count + 1) * sizeof(*needs));

	for (uint32_t i = 0; i < ranks->item.count; i++)
		if (is_needed(rank, &ranks->item.item[i]))
			needs[count++] = nccl_process_of(nccl, ranks->item.item[i].slot);
	nccl->member.item[process].needs = needs;
	nccl->process.item[process].needs = needs;
	nccl->process.item[process].needs_count = count;
	if (count + 1 < wanted)
		nccl->process.item[process].state = RANK_OPEN;
}

static void see_processes(struct nccl *nccl)
{
	for (uint32_t i = 0; i < nccl->member.count; i++) {
		see_process(nccl, i);
		if (nccl->process.item[i].state == RANK_WAITS && nccl->member.item[i].what)
			find_needs(nccl, i);
	}
	for (uint32_t i = 0; i < nccl->member.count; i++) {
		nccl->process.item[i].place = "";
		nccl->process.item[i].what = nccl->member.item[i].what;
	}
	nccl->comms.process = nccl->process.item;
	nccl->comms.processes = nccl->process.count;
}

/* ---- communicators ---- */

/* What was entered is read again, until it is of one moment. */
static struct mpsan_comm *record_copy(const struct record *record)
{
	const struct mpsan_comm *live = record->payload;
	struct mpsan_comm *copy = memory_get(record->bytes);
	uint64_t room = (record->bytes - sizeof(*copy)) / sizeof(copy->peer[0]), entered;

	for (unsigned i = 0; i < 3; i++) {
		entered = __atomic_load_n(&live->entered, __ATOMIC_ACQUIRE);
		memcpy(copy, live, record->bytes);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (copy->entered == entered &&
		    copy->entered == __atomic_load_n(&live->entered, __ATOMIC_ACQUIRE))
			break;
	}
	if (copy->peers > room)
		copy->peers = 0;
	return copy;
}

static void add_record(struct nccl *nccl, uint32_t slot, const struct record *record)
{
	struct mpsan_comm *comm = record_copy(record);
	struct comm_rank *rank = &nccl->comms.rank[nccl->comms.ranks];
	const struct mpsan_comm_call *call = &comm->call[comm->entered % 2];

	nccl->record[nccl->records++] = comm;
	if (comm->rank >= comm->ranks || comm->state == MPSAN_COMM_FAILED ||
	    comm->state >= MPSAN_COMM_BLIND || (comm->entered && call->number != comm->entered) ||
	    nccl->snapshot->reader->session.table[slot].flags & MPSAN_PROCESS_OFF)
		return;
	*rank = (struct comm_rank){
		.comm = comm->id,
		.rank = comm->rank,
		.ranks = comm->ranks,
		.process = nccl_process_of(nccl, slot),
		.left = comm->state >= MPSAN_COMM_DESTROYED,
		.message = comm->message,
		.joins = comm->state == MPSAN_COMM_JOINS,
		.graphs = comm->graphs,
		.peer = comm->peer,
		.peers = comm->peers,
	};
	if (comm->entered)
		rank->call = *call;
	nccl->comms.ranks++;
}

static void nccl_open(struct nccl *nccl)
{
	const struct reader *reader = nccl->snapshot->reader;
	struct record record;

	nccl->comms.rank = memory_get(reader->comms.count * sizeof(*nccl->comms.rank));
	nccl->record = memory_get(reader->comms.count * sizeof(struct mpsan_comm *));
	for (uint32_t i = 0; i < reader->comms.count; i++) {
		const struct fact_place *at = &reader->comms.item[i];

		if (reader_record(reader, at->slot, at->pos, EV_comm, &record) &&
		    record.bytes >= sizeof(struct mpsan_comm))
			add_record(nccl, at->by, &record);
	}
	comms_sort(&nccl->comms);
	nccl_find_absent(nccl);
	see_processes(nccl);
}

void nccl_close(struct nccl *nccl)
{
	for (uint32_t i = 0; i < nccl->records; i++)
		free(nccl->record[i]);
	for (uint32_t i = 0; i < nccl->member.count; i++) {
		free(nccl->member.item[i].place);
		free(nccl->member.item[i].what);
		free(nccl->member.item[i].needs);
	}
	free(nccl->record);
	free(nccl->comms.rank);
	free(nccl->member.item);
	free(nccl->process.item);
}

/* ---- what is found ---- */

static bool is_told(const struct ranks *ranks, uint64_t comm)
{
	for (uint32_t i = 0; i < ranks->comms_told.count; i++)
		if (ranks->comms_told.item[i] == comm)
			return true;
	return false;
}

static bool has_news(const struct nccl *nccl)
{
	for (uint32_t i = 0; i < nccl->comms.ranks; i++)
		if (nccl->comms.rank[i].waits && !is_told(nccl->ranks, nccl->comms.rank[i].comm))
			return true;
	return false;
}

/* Some have come to wait lately: they are told with the others, unless these have waited for as long again. */
static bool is_early(const struct nccl *nccl)
{
	bool arrives = false;

	for (uint32_t i = 0; i < nccl->comms.ranks; i++) {
		const struct nccl_process *member = &nccl->member.item[nccl->comms.rank[i].process];

		arrives |= member->arrives;
		if (nccl->comms.rank[i].waits && member->index != SNAPSHOT_NONE &&
		    ledger_of(nccl->snapshot, member->index)->life.for_peers_ns + RANKS_WAIT_NS <=
			    nccl->since_ns)
			return false;
	}
	return arrives;
}

static char *place_of(const struct snapshot_thread *thread)
{
	char *stack = pythread_stack(thread), place[COLLECTIVE_PLACE];

	collective_place(stack, place);
	free(stack);
	return text_copy(place);
}

static void find_places(struct nccl *nccl)
{
	for (uint32_t i = 0; i < nccl->member.count; i++) {
		struct nccl_process *member = &nccl->member.item[i];

		if (!nccl->process.item[i].stuck || member->what)
			continue;
		member->place = place_of(thread_at(nccl, member->index));
		nccl->process.item[i].place = member->place;
	}
}

bool nccl_find(struct nccl *nccl, struct snapshot *snapshot, struct ranks *ranks, uint64_t since_ns)
{
	uint32_t count = snapshot->reader->comms.count;

	*nccl = (struct nccl){.snapshot = snapshot, .ranks = ranks, .since_ns = since_ns};
	if (!count || count > RANKS_MAX)
		return false;
	mark_waits(snapshot);
	if (snapshot->now_ns < ranks->comms_due_ns ||
	    !has_waits(snapshot, 0, snapshot->threads.count, since_ns))
		return false;
	ranks->comms_due_ns = snapshot->now_ns + LOOK_NS;
	nccl_open(nccl);
	if (!comms_find(&nccl->comms) || !has_news(nccl) || is_early(nccl))
		return false;
	find_places(nccl);
	return true;
}

bool nccl_is_certain(const struct nccl *nccl)
{
	for (uint32_t i = 0; i < nccl->comms.ranks; i++) {
		const struct comm_rank *rank = &nccl->comms.rank[i];
		enum rank_state state = nccl->process.item[rank->process].state;

		if (rank->sure && (rank->left || state == RANK_DEAD || state == RANK_ENDED))
			return true;
	}
	return false;
}

uint64_t nccl_ended(const struct nccl *nccl)
{
	for (uint32_t i = 0; i < nccl->comms.ranks; i++) {
		const struct comm_rank *rank = &nccl->comms.rank[i];

		if (rank->lacked && nccl->process.item[rank->process].state == RANK_ENDED)
			return nccl->member.item[rank->process].slot + 1;
	}
	return 0;
}

/* Its threads stay open to a proof, and are not told again as a job at rest. */
static void mark_process(struct nccl *nccl, const struct nccl_process *member)
{
	struct snapshot *snapshot = nccl->snapshot;
	struct ranks *ranks = nccl->ranks;
	uint32_t at = snapshot_process(snapshot, member->slot);

	if (member->slot < ranks->by_slot.count && ranks->by_slot.item[member->slot])
		ranks->item.item[ranks->by_slot.item[member->slot] - 1].told = true;
	if (at == SNAPSHOT_NONE)
		return;
	for (uint32_t i = snapshot->processes.item[at].begin; i < snapshot->processes.item[at].end;
	     i++)
		ledger_of(snapshot, i)->rest.hung = true;
}

void nccl_mark_told(struct nccl *nccl)
{
	for (uint32_t i = 0; i < nccl->comms.ranks; i++) {
		const struct comm_rank *rank = &nccl->comms.rank[i];

		if (!rank->waits && !rank->lacked)
			continue;
		if (!is_told(nccl->ranks, rank->comm))
			*ARRAY_ADD(&nccl->ranks->comms_told) = rank->comm;
		mark_process(nccl, &nccl->member.item[rank->process]);
	}
}
