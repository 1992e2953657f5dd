/* SPDX-License-Identifier: Apache-2.0 */
/* Solves who waits for whom in all communicators together. */
#include "comms.h"

#include <stdlib.h>
#include <string.h>

#include "../base/util.h"

static int compare(const void *one, const void *other)
{
	const struct comm_rank *a = one, *b = other;

	if (a->comm != b->comm)
		return a->comm < b->comm ? -1 : 1;
	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

void comms_sort(struct comms *comms)
{
	if (comms->ranks)
		qsort(comms->rank, comms->ranks, sizeof(*comms->rank), compare);
}

/* ---- for whom a rank waits ---- */

enum lack {
	LACKS_NOT,
	LACKS_MAYBE, /* it may have gone on without: a message may be on its way, calls may differ and end */
	LACKS_SURE,
};

static uint64_t bytes_of(const struct mpsan_comm_call *call)
{
	static const uint8_t size[] = {1, 1, 4, 4, 8, 8,
				       2, 4, 8, 2, 1, 1}; /* by enum mpsan_nccl_type */

	return call->elements * (call->type < sizeof(size) ? size[call->type] : 1);
}

/* What only copies does not care of what type it is. */
static bool is_same_call(const struct mpsan_comm_call *one, const struct mpsan_comm_call *other)
{
	bool copies = one->what == MPSAN_COLLECTIVE_BROADCAST ||
		      one->what == MPSAN_COLLECTIVE_ALL_GATHER;

	if (one->what != other->what || one->root != other->root)
		return false;
	return copies ? bytes_of(one) == bytes_of(other) :
			one->elements == other->elements && one->type == other->type;
}

/* A root sends without the others, who need no one but the root. */
static bool needs(const struct comm_rank *by, const struct comm_rank *other)
{
	int32_t root = by->call.root;

	switch (by->call.what) {
	case MPSAN_COLLECTIVE_BROADCAST:
		return (uint32_t)root != by->rank && (uint32_t)root == other->rank;
	case MPSAN_COLLECTIVE_REDUCE:
		return (uint32_t)root == by->rank;
	default:
		return true;
	}
}

static enum lack lack_of_call(const struct comm_rank *by, const struct comm_rank *other)
{
	if (by->joins)
		return other->absent ? LACKS_MAYBE : LACKS_NOT;
	if (other->absent || !by->call.number || by->call.number < other->call.number)
		return LACKS_NOT;
	if (by->call.number > other->call.number)
		return needs(by, other) ? LACKS_SURE : LACKS_NOT;
	return is_same_call(&by->call, &other->call) ? LACKS_NOT : LACKS_MAYBE;
}

static enum lack lack_of_message(const struct comm_rank *by, const struct comm_rank *other)
{
	if (other->rank >= by->peers || by->rank >= other->peers)
		return LACKS_NOT;
	if (by->peer[other->rank].received > other->peer[by->rank].sent)
		return LACKS_SURE;
	return by->peer[other->rank].sent > other->peer[by->rank].received ? LACKS_MAYBE :
									     LACKS_NOT;
}

static enum lack lack_of(const struct comm_rank *by, const struct comm_rank *other)
{
	enum lack call = lack_of_call(by, other), message = lack_of_message(by, other),
		  both = call > message ? call : message;

	return both == LACKS_SURE && (by->graphs || other->graphs) ? LACKS_MAYBE : both;
}

/* ---- who waits in vain ---- */

static bool is_open(const struct comm_process *process)
{
	return process->state == RANK_OPEN || (process->state == RANK_WAITS && !process->stuck);
}

static bool may_come(const struct comms *comms, const struct comm_rank *rank)
{
	return !rank->left && is_open(&comms->process[rank->process]);
}

/* The ranks of its communicator: from here to the end that is returned. */
static uint32_t comm_end(const struct comms *comms, uint32_t begin)
{
	uint32_t end = begin;

	while (end < comms->ranks && comms->rank[end].comm == comms->rank[begin].comm)
		end++;
	return end;
}

static bool is_held_by(const struct comms *comms, const struct comm_rank *by,
		       const struct comm_rank *other)
{
	return by != other && lack_of(by, other) != LACKS_NOT && !may_come(comms, other);
}

/* Whether its process waits for a rank of that communicator that will not come. */
static bool is_held(const struct comms *comms, const struct comm_rank *by, uint32_t begin,
		    uint32_t end)
{
	for (uint32_t i = begin; i < end && !by->left; i++)
		if (is_held_by(comms, by, &comms->rank[i]))
			return true;
	return false;
}

static void mark_held(const struct comms *comms, bool *held)
{
	for (uint32_t begin = 0, end; begin < comms->ranks; begin = end) {
		end = comm_end(comms, begin);
		for (uint32_t i = begin; i < end; i++)
			if (!held[comms->rank[i].process] &&
			    is_held(comms, &comms->rank[i], begin, end))
				held[comms->rank[i].process] = true;
	}
	for (uint32_t i = 0; i < comms->processes; i++) {
		const struct comm_process *process = &comms->process[i];

		if (process->needs)
			held[i] = true;
		for (uint32_t k = 0; k < process->needs_count; k++)
			if (is_open(&comms->process[process->needs[k]]))
				held[i] = false;
	}
}

static struct mpsan_comm_call waits_in(const struct comm_rank *by, const struct comm_rank *other)
{
	bool receives;

	if (by->joins)
		return (struct mpsan_comm_call){.what = MPSAN_COLLECTIVE_JOIN, .root = -1};
	if (lack_of_call(by, other) != LACKS_NOT)
		return by->call;
	if (by->message.number && (uint32_t)by->message.root == other->rank)
		return by->message;
	receives = by->peer[other->rank].received > other->peer[by->rank].sent;
	return (struct mpsan_comm_call){
		.number = receives ? by->peer[other->rank].received : by->peer[other->rank].sent,
		.what = receives ? MPSAN_COLLECTIVE_RECV : MPSAN_COLLECTIVE_SEND,
		.root = (int32_t)other->rank};
}

static void mark_lacks(struct comms *comms)
{
	for (uint32_t begin = 0, end; begin < comms->ranks; begin = end) {
		end = comm_end(comms, begin);
		for (uint32_t i = begin; i < end; i++) {
			struct comm_rank *by = &comms->rank[i];

			for (uint32_t k = begin; k < end; k++) {
				struct comm_rank *other = &comms->rank[k];

				if (by->left || !comms->process[by->process].stuck ||
				    !is_held_by(comms, by, other))
					continue;
				by->in = by->waits ? by->in : waits_in(by, other);
				by->waits = true;
				other->lacked = true;
				other->sure |= lack_of(by, other) == LACKS_SURE;
			}
		}
	}
}

uint32_t comms_find(struct comms *comms)
{
	bool *held = memory_get((comms->processes + 1) * sizeof(*held)), more = true;
	uint32_t left = 0;

	for (uint32_t i = 0; i < comms->processes; i++)
		comms->process[i].stuck = comms->process[i].state == RANK_WAITS;
	for (uint32_t i = 0; i < comms->ranks; i++)
		comms->rank[i].waits = comms->rank[i].lacked = comms->rank[i].sure = false;
	while (more) {
		more = false;
		memset(held, 0, comms->processes * sizeof(*held));
		mark_held(comms, held);
		for (uint32_t i = 0; i < comms->processes; i++) {
			more |= comms->process[i].stuck && !held[i];
			comms->process[i].stuck &= held[i];
		}
	}
	mark_lacks(comms);
	for (uint32_t i = 0; i < comms->processes; i++)
		left += comms->process[i].stuck;
	free(held);
	return left;
}
