/* SPDX-License-Identifier: Apache-2.0 */
/* Judges the ranks of each job together. */
#include "missing_ranks.h"

#include <stdlib.h>

#include "../facts/processes.h"
#include "../facts/roles.h"
#include "../ranks/lost.h"
#include "../ranks/nccl.h"
#include "../ranks/peers.h"
#include "../ranks/rank_log.h"
#include "../ranks/stuck.h"
#include "verdict.h"

#define WAIT_OUTSIDE_NS \
	1500000000ull /* nothing is known of before, and the user says that it hangs */
#define WORLD_MAX 65536u

/* The ranks of one job, as they are judged. */
struct ranked_job {
	struct deadlocks *deadlocks;
	const struct rank *one; /* that waits */
	uint64_t since_ns;
	struct stuck_rank *rank; /* by number */
	uint32_t *index; /* of the thread in the snapshot; SNAPSHOT_NONE */
	uint32_t *slot; /* of the process; SNAPSHOT_NONE */
	uint32_t world, missing;
	bool certain; /* what is told of those that will not come is proved */
};

static const struct reader *reader_of(const struct ranked_job *job)
{
	return job->deadlocks->reader;
}

static bool is_of_job(const struct ranked_job *job, const struct rank *rank)
{
	return rank->world == job->world && rank->job == job->one->job;
}

static bool is_sibling(const struct ranked_job *job, uint32_t slot)
{
	const struct facts *facts = &reader_of(job)->facts;
	uint32_t parent = process_parent(facts, job->one->slot);

	return parent != FACT_NONE && process_parent(facts, slot) == parent;
}

/* UINT64_MAX: it lives; 0: another program has its place. */
static uint64_t ended_ns(const struct ranked_job *job, uint32_t slot)
{
	const struct fact_process *process = &reader_of(job)->processes[slot];

	if (!process->gone)
		return UINT64_MAX;
	return process->slot->flags & MPSAN_PROCESS_REPLACED ? 0 : process->gone_ns;
}

/* It lived beside the one that waits: a rank of an earlier attempt did not. */
static bool has_ended_beside(const struct ranked_job *job, uint32_t slot)
{
	uint64_t at = ended_ns(job, slot);

	return at <= job->since_ns && at > reader_of(job)->session.table[job->one->slot].birth_ns;
}

/* If it has ended, then not long enough ago to be told: the others may be about to end, too. */
static bool has_just_lived(const struct ranked_job *job, uint32_t slot)
{
	return ended_ns(job, slot) > job->since_ns;
}

/* ---- who is who ---- */

/* Of copies of one process, which have its memory, the original is the rank. */
static bool is_copy(const struct ranked_job *job, uint32_t slot, uint32_t of)
{
	return slot != of && fact_is_ancestor(&reader_of(job)->facts, of, slot);
}

/* False: two processes have the same number, so nothing is known. */
static bool enter_living(struct ranked_job *job, const struct rank *rank)
{
	struct stuck_rank *at = &job->rank[rank->number];
	bool waits = rank_waits(&job->deadlocks->snapshot, rank, job->since_ns);

	if (job->slot[rank->number] != SNAPSHOT_NONE) {
		if (is_copy(job, rank->slot, job->slot[rank->number]))
			return true;
		if (!is_copy(job, job->slot[rank->number], rank->slot))
			return false;
	}
	job->slot[rank->number] = rank->slot;
	job->index[rank->number] = rank->index;
	*at = (struct stuck_rank){.number = rank->number,
				  .state = waits ? RANK_WAITS : RANK_OPEN,
				  .in = waits ? &rank->in : NULL,
				  .needs = rank->needs,
				  .needs_count = rank->needs_count};
	return true;
}

static void set_lost(struct ranked_job *job, uint32_t number, enum rank_state state, char *what,
		     uint32_t slot)
{
	struct stuck_rank *rank = &job->rank[number];

	rank->state = state;
	rank->what = what;
	job->slot[number] = slot;
	job->missing -= rank->state != RANK_DEAD;
}

/* The number of a process that has ended; SNAPSHOT_NONE: unknown, or of another job. */
static uint32_t number_of_ended(const struct ranked_job *job, uint32_t slot)
{
	const struct ranks *ranks = &job->deadlocks->ranks;
	uint32_t at = slot < ranks->by_slot.count ? ranks->by_slot.item[slot] : 0, number;

	if (at && ranks->item.item[at - 1].world)
		return is_of_job(job, &ranks->item.item[at - 1]) ? ranks->item.item[at - 1].number :
								   SNAPSHOT_NONE;
	number = mpsan_process_rank(&reader_of(job)->session.table[slot]);
	return number && number <= job->world && is_sibling(job, slot) ? number - 1 : SNAPSHOT_NONE;
}

/* Those whose number is known. */
static void enter_ended(struct ranked_job *job)
{
	READER_EACH_SLOT(reader_of(job), slot) {
		uint32_t number = has_ended_beside(job, slot) ? number_of_ended(job, slot) :
								SNAPSHOT_NONE;

		if (number != SNAPSHOT_NONE && job->slot[number] == SNAPSHOT_NONE)
			set_lost(job, number, RANK_ENDED, lost_end(reader_of(job), slot), slot);
	}
}

/* Processes started beside the ranks whose numbers are unknown: those that live, or did until now, and those that have ended. */
struct nameless {
	uint32_t living, ended;
	uint32_t last_living, last_ended; /* slots */
};

/* It runs Python, and is no helper of multiprocessing. */
static bool may_be_rank(const struct reader *reader, uint32_t slot)
{
	const struct mpsan_process *process = &reader->session.table[slot];

	return process->python && !role_text(role_of(process));
}

static struct nameless nameless_of(const struct ranked_job *job)
{
	const struct reader *reader = reader_of(job);
	const struct ranks *ranks = &job->deadlocks->ranks;
	struct nameless found = {0};

	READER_EACH_SLOT(reader, slot) {
		uint32_t at = slot < ranks->by_slot.count ? ranks->by_slot.item[slot] : 0;

		if (!may_be_rank(reader, slot) || !is_sibling(job, slot) ||
		    (at && ranks->item.item[at - 1].world))
			continue;
		if (has_ended_beside(job, slot)) {
			found.ended++;
			found.last_ended = slot;
		} else if (has_just_lived(job, slot)) {
			found.living++;
			found.last_living = slot;
		}
	}
	return found;
}

static uint32_t main_thread(const struct ranked_job *job, uint32_t slot)
{
	const struct snapshot *snapshot = &job->deadlocks->snapshot;

	return snapshot_find(snapshot, slot, reader_of(job)->session.table[slot].pid);
}

/* Whether no rank can be in a process that was not looked at. */
static bool all_are_here(const struct ranked_job *job)
{
	const struct snapshot *snapshot = &job->deadlocks->snapshot;

	return snapshot->outside && job->one->joined &&
	       peers_are_here(snapshot, job->index, job->world, job->one->local);
}

/* A rank that nobody is known to be may be any process beside the others. */
static void enter_nameless(struct ranked_job *job)
{
	struct nameless found = nameless_of(job);
	uint32_t index;
	char *text;

	for (uint32_t i = 0; i < job->world && job->missing; i++) {
		if (job->slot[i] != SNAPSHOT_NONE)
			continue;
		index = found.living == 1 && job->missing == 1 ?
				main_thread(job, found.last_living) :
				SNAPSHOT_NONE;
		text = index != SNAPSHOT_NONE ?
			       lost_dead(&job->deadlocks->snapshot, index, job->since_ns) :
			       NULL;
		if (text) {
			set_lost(job, i, RANK_DEAD, text, found.last_living);
			job->index[i] = index;
			return;
		}
		if (found.living || (found.ended < job->missing && !all_are_here(job)))
			return;
		job->certain = false;
		if (found.ended == 1 && job->missing == 1)
			set_lost(job, i, RANK_MISSING, lost_end(reader_of(job), found.last_ended),
				 found.last_ended);
		else
			set_lost(job, i, RANK_MISSING, text_copy("is not there any more"),
				 SNAPSHOT_NONE);
	}
}

/* ---- jobs ---- */

static bool job_open(struct ranked_job *job)
{
	struct ranks *ranks = &job->deadlocks->ranks;

	job->rank = memory_get(job->world * sizeof(*job->rank));
	job->index = memory_get(job->world * sizeof(*job->index));
	job->slot = memory_get(job->world * sizeof(*job->slot));
	job->certain = true;
	job->missing = job->world;
	for (uint32_t i = 0; i < job->world; i++) {
		job->rank[i].number = i;
		job->index[i] = job->slot[i] = SNAPSHOT_NONE;
	}
	for (uint32_t i = 0; i < ranks->item.count; i++) {
		const struct rank *rank = &ranks->item.item[i];

		if (rank->index == SNAPSHOT_NONE || !is_of_job(job, rank))
			continue;
		if (!enter_living(job, rank))
			return false;
	}
	for (uint32_t i = 0; i < job->world; i++)
		job->missing -= job->slot[i] != SNAPSHOT_NONE;
	return true;
}

static void job_close(struct ranked_job *job)
{
	for (uint32_t i = 0; i < job->world; i++)
		free((char *)job->rank[i].what);
	free(job->rank);
	free(job->index);
	free(job->slot);
}

/* Those that live and wait for something else may be proved to be deadlocked. */
static void enter_dead(struct ranked_job *job)
{
	for (uint32_t i = 0; i < job->world; i++) {
		if (job->slot[i] == SNAPSHOT_NONE || job->rank[i].state != RANK_OPEN)
			continue;
		job->rank[i].what =
			lost_dead(&job->deadlocks->snapshot, job->index[i], job->since_ns);
		job->rank[i].state = job->rank[i].what ? RANK_DEAD : RANK_OPEN;
	}
}

/* Its threads stay open to a proof, and are not told again as a job at rest. */
static void mark_told(struct ranked_job *job)
{
	struct ranks *ranks = &job->deadlocks->ranks;
	struct snapshot *snapshot = &job->deadlocks->snapshot;

	for (uint32_t i = 0; i < ranks->item.count; i++) {
		struct rank *rank = &ranks->item.item[i];
		const struct snapshot_process *process;

		if (rank->index == SNAPSHOT_NONE || !is_of_job(job, rank))
			continue;
		process = &snapshot->processes.item[snapshot->threads.item[rank->index].process];
		for (uint32_t k = process->begin; k < process->end; k++)
			deadlocks_entry(job->deadlocks, k)->rest.hung = true;
		rank->told = true;
	}
}

static uint64_t lost_slot(const struct ranked_job *job)
{
	for (uint32_t i = 0; i < job->world; i++)
		if (job->rank[i].lacked && job->rank[i].state > RANK_DEAD &&
		    job->slot[i] != SNAPSHOT_NONE)
			return job->slot[i] + 1;
	return 0;
}

static void state_thread(struct ranked_job *job, struct verdict *verdict, uint32_t number)
{
	struct deadlocks *deadlocks = job->deadlocks;
	const struct snapshot_thread *thread = deadlocks_thread(deadlocks, job->index[number]);
	struct ev_blocked event = verdict_describe(deadlocks, job->index[number], 0);

	event.rank = number + 1;
	event.flags &= ~(uint64_t)MPSAN_LF_CERTAIN;
	if (job->certain && !verdict->count)
		event.flags |= MPSAN_LF_CERTAIN;
	verdict_put(deadlocks, verdict, thread->slot, thread->own_tid, &event);
}

/* Those that wait, then the others. */
static void state_threads(struct ranked_job *job, struct verdict *verdict)
{
	for (int waits = 1; waits >= 0; waits--)
		for (uint32_t i = 0; i < job->world && !verdict_is_full(job->deadlocks, verdict);
		     i++)
			if (job->index[i] != SNAPSHOT_NONE &&
			    (waits ? job->rank[i].stuck : job->rank[i].lacked))
				state_thread(job, verdict, i);
}

static void state_job(struct ranked_job *job)
{
	struct verdict verdict = {0};
	AUTO_FREE char *text = stuck_text(job->rank, job->world);

	job->certain &= stuck_is_certain(job->rank, job->world);
	state_threads(job, &verdict);
	verdict_close(job->deadlocks, &verdict, MPSAN_DEADLOCK_RANKS, lost_slot(job), text);
	mark_told(job);
}

static void judge_job(struct deadlocks *deadlocks, const struct rank *one, uint64_t since_ns)
{
	struct ranked_job job = {
		.deadlocks = deadlocks, .one = one, .since_ns = since_ns, .world = one->world};

	if (job_open(&job)) {
		enter_dead(&job);
		enter_ended(&job);
		enter_nameless(&job);
		if (stuck_find(job.rank, job.world, job.world))
			state_job(&job);
	}
	job_close(&job);
}

/* ---- ranks of NCCL ---- */

static void state_member(struct deadlocks *deadlocks, struct verdict *verdict,
			 const struct nccl *nccl, const struct comm_rank *rank)
{
	uint32_t index = nccl->member.item[rank->process].index;
	const struct snapshot_thread *thread;
	struct ev_blocked event;

	if (index == SNAPSHOT_NONE || verdict_is_full(deadlocks, verdict))
		return;
	thread = deadlocks_thread(deadlocks, index);
	event = verdict_describe(deadlocks, index, 0);
	event.rank = rank->rank + 1;
	event.flags &= ~(uint64_t)MPSAN_LF_CERTAIN;
	if (!verdict->count && nccl_is_certain(nccl))
		event.flags |= MPSAN_LF_CERTAIN;
	verdict_put(deadlocks, verdict, thread->slot, thread->own_tid, &event);
}

/* Those that wait, then the others; each process once. */
static void state_nccl(struct deadlocks *deadlocks, struct nccl *nccl)
{
	bool *done = memory_get(nccl->member.count * sizeof(*done));
	char *text = comms_text(&nccl->comms);
	struct verdict verdict = {0};

	for (int waits = 1; waits >= 0; waits--)
		for (uint32_t i = 0; i < nccl->comms.ranks; i++) {
			const struct comm_rank *rank = &nccl->comms.rank[i];

			if (!(waits ? rank->waits : rank->lacked) || done[rank->process])
				continue;
			done[rank->process] = true;
			state_member(deadlocks, &verdict, nccl, rank);
		}
	verdict_close(deadlocks, &verdict, MPSAN_DEADLOCK_RANKS, nccl_ended(nccl), text);
	free(text);
	free(done);
	nccl_mark_told(nccl);
}

static void look_at_nccl(struct deadlocks *deadlocks, uint64_t since_ns)
{
	struct nccl nccl;

	if (nccl_find(&nccl, &deadlocks->snapshot, &deadlocks->ranks, since_ns))
		state_nccl(deadlocks, &nccl);
	nccl_close(&nccl);
}

void missing_ranks_state(struct deadlocks *deadlocks)
{
	uint64_t now_ns = deadlocks->snapshot.now_ns,
		 wait_ns = deadlocks->snapshot.outside ? WAIT_OUTSIDE_NS : RANKS_WAIT_NS;

	ranks_look(&deadlocks->ranks, &deadlocks->snapshot);
	if (now_ns <= wait_ns)
		return;
	look_at_nccl(deadlocks, now_ns - wait_ns);
	rank_log(&deadlocks->ranks, &deadlocks->snapshot, now_ns - wait_ns, &deadlocks->log);
	for (uint32_t i = 0; i < deadlocks->ranks.item.count; i++) {
		const struct rank *rank = &deadlocks->ranks.item.item[i];

		if (!rank->told && rank->world > 1 && rank->world <= WORLD_MAX &&
		    rank_waits(&deadlocks->snapshot, rank, now_ns - wait_ns))
			judge_job(deadlocks, rank, now_ns - wait_ns);
	}
}
