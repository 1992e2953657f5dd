/* SPDX-License-Identifier: Apache-2.0 */
/* What comms.c has found, in words. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../include/mpsan_texts.h"
#include "../base/util.h"
#include "comms.h"
#include "numbers.h"

#define COMMS_TOLD 4u

/* "all_reduce #12 (f32, 1024 elements)", "broadcast #3 (f32, 16 elements, root 0)", "recv #2 from rank 1 (…)". */
static char *call_text(const struct mpsan_comm_call *call)
{
	const char *what = mpsan_collective_text(call->what),
		   *type = mpsan_nccl_type_text(call->type);
	bool sends = call->what == MPSAN_COLLECTIVE_SEND,
	     receives = call->what == MPSAN_COLLECTIVE_RECV;
	char *text = text_copy(what ? what : "a collective");
	char *detail = text_copy("");

	if (call->number)
		text = text_join(text, " ", text_format("#%" PRIu64, call->number));
	if (sends || receives)
		text = text_join(text, sends ? " to rank " : " from rank ",
				 text_format("%" PRId32, call->root));
	if (call->elements)
		detail = text_join(detail, "",
				   text_format("%s, %" PRIu64 " element%s", type ? type : "?",
					       call->elements, call->elements == 1 ? "" : "s"));
	if (call->root >= 0 && !sends && !receives)
		detail = text_join(detail, ", ", text_format("root %" PRId32, call->root));
	if (!*detail) {
		free(detail);
		return text;
	}
	text = text_join(text, " (", detail);
	return text_join(text, "", text_copy(")"));
}

static const struct comm_process *process_of(const struct comms *comms,
					     const struct comm_rank *rank)
{
	return &comms->process[rank->process];
}

/* What its process waits in, as another rank, or in another communicator. */
static char *elsewhere_text(const struct comms *comms, const struct comm_rank *rank)
{
	for (uint32_t i = 0; i < comms->ranks; i++) {
		const struct comm_rank *other = &comms->rank[i];

		if (!other->waits || other->process != rank->process)
			continue;
		if (other->comm == rank->comm)
			return text_format("belongs to the process of rank %u", other->rank);
		return text_join(text_join(text_copy("waits in"), " ", call_text(&other->in)), "",
				 text_copy(" of another communicator"));
	}
	return text_copy("waits in a call of NCCL or CUDA");
}

/* Why it does not come, behind "rank 2 has entered 11 collectives only, and ". */
static char *why_text(const struct comms *comms, const struct comm_rank *rank)
{
	const struct comm_process *process = process_of(comms, rank);
	char *text;

	if (process->what)
		return text_copy(process->what);
	if (rank->left)
		return text_copy("has left the communicator");
	text = elsewhere_text(comms, rank);
	return *process->place ? text_join(text, " at ", text_copy(process->place)) : text;
}

static char *count_text(const struct comm_rank *rank)
{
	uint64_t count = rank->call.number;

	if (rank->absent)
		return text_copy("has not joined");
	if (!count)
		return text_copy("has entered no collective");
	return text_format("has entered %" PRIu64 " collective%s only", count,
			   count == 1 ? "" : "s");
}

/* Whether those that wait for it do so in a collective. */
static bool is_behind(const struct comms *comms, const struct comm_rank *rank)
{
	for (uint32_t i = 0; i < comms->ranks; i++) {
		const struct comm_rank *other = &comms->rank[i];

		if (rank->absent)
			return true;
		if (other->comm == rank->comm && other->waits &&
		    other->in.what < MPSAN_COLLECTIVE_SEND && other->in.number > rank->call.number)
			return true;
	}
	return false;
}

/* Behind "rank 2 ". */
static char *rank_text(const struct comms *comms, const struct comm_rank *rank, bool several)
{
	const struct comm_process *process = process_of(comms, rank);
	char *text;

	if (!rank->waits) {
		text = is_behind(comms, rank) ? count_text(rank) : text_copy("");
		return text_join(text, ", and ", why_text(comms, rank));
	}
	text = text_join(text_copy(several ? "wait in" : "waits in"), " ", call_text(&rank->in));
	return *process->place ? text_join(text, " at ", text_copy(process->place)) : text;
}

/* A rank that is told, and in which group: the first one with the same text. */
struct told {
	const struct comm_rank *rank;
	char *one, *several; /* as above */
	bool done;
};

static uint32_t largest(const struct told *told, uint32_t count, bool waits, uint32_t *size)
{
	uint32_t best = count;

	*size = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t same = 0;

		if (told[i].done || told[i].rank->waits != waits)
			continue;
		for (uint32_t k = i; k < count; k++)
			same += !told[k].done && !strcmp(told[k].one, told[i].one);
		if (same > *size) {
			*size = same;
			best = i;
		}
	}
	return best;
}

static char *group_text(struct told *told, uint32_t count, uint32_t of, uint32_t size)
{
	uint32_t *number = memory_get(size * sizeof(*number)), used = 0;
	char *text;

	for (uint32_t i = of; i < count; i++) {
		if (told[i].done || strcmp(told[i].one, told[of].one))
			continue;
		number[used++] = told[i].rank->rank;
		told[i].done = true;
	}
	text = numbers_text(number, used);
	free(number);
	return text_join(text, " ", text_copy(used > 1 ? told[of].several : told[of].one));
}

static char *comm_text(const struct comms *comms, uint32_t begin, uint32_t end)
{
	AUTO_FREE struct told *told = memory_get((end - begin) * sizeof(*told));
	uint32_t count = 0, at, size;
	char *list = text_copy(""), *text;

	for (uint32_t i = begin; i < end; i++) {
		const struct comm_rank *rank = &comms->rank[i];

		if (rank->waits || rank->lacked)
			told[count++] = (struct told){.rank = rank,
						      .one = rank_text(comms, rank, false),
						      .several = rank_text(comms, rank, true)};
	}
	for (int waits = 1; waits >= 0; waits--)
		while ((at = largest(told, count, waits, &size)) < count)
			list = text_join(list, "; ", group_text(told, count, at, size));
	for (uint32_t i = 0; i < count; i++) {
		free(told[i].one);
		free(told[i].several);
	}
	text = text_format("communicator of %u ranks", comms->rank[begin].ranks);
	return text_join(text, ": ", list);
}

static bool is_told(const struct comms *comms, uint32_t begin, uint32_t end)
{
	for (uint32_t i = begin; i < end; i++)
		if (comms->rank[i].waits)
			return true;
	return false;
}

char *comms_text(const struct comms *comms)
{
	char *text = text_copy("");
	uint32_t count = 0;

	for (uint32_t begin = 0, end; begin < comms->ranks; begin = end) {
		for (end = begin; end < comms->ranks; end++)
			if (comms->rank[end].comm != comms->rank[begin].comm)
				break;
		if (!is_told(comms, begin, end) || count++ >= COMMS_TOLD)
			continue;
		text = text_join(text, ". ", comm_text(comms, begin, end));
	}
	return text;
}
