/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ipc-consumer-killed: a process was killed while it had memory of another open. It never sent its
 * release, so a producer that counts its consumers, as PyTorch does, keeps the memory for as long
 * as it lives.
 */
#include "../rule.h"

#include <signal.h>

static const char exported[] = "process {producer} exported {bytes} of {memory} on {device}";
static const char opened[] = "process {consumer} opened it, by {open_function}";

static MESSAGE msg_death = {
	"process {consumer} {end} while it had {bytes} of process {producer} on {device} open[, opened at "
	"{opened_at}]: the producer never gets the release and keeps the memory",
	{{STEP_EXPORT, exported}, {STEP_IMPORT, opened}, {STEP_GONE, "process {consumer} {end}"}},
};

static MESSAGE msg_leak = {
	"process {producer} kept {bytes} on {device} to its end for process {consumer}, which had "
	"opened it at {opened_at} and {consumer_end}: the memory was neither freed nor opened "
	"again",
	{{STEP_EXPORT, exported},
	 {STEP_IMPORT, "process {consumer} opened it, by {open_function}, and {consumer_end}"},
	 {STEP_GONE, "process {gone} {end}, with that memory still there"}},
};

static bool has_aborted(const struct facts *facts, uint32_t slot)
{
	return cuda_end(facts, slot) == CUDA_END_KILLED &&
	       facts->processes[slot].slot->end_value == SIGABRT;
}

/* The signals by which a process is asked to end. */
static bool is_request(const struct facts *facts, uint32_t slot)
{
	int32_t number = facts->processes[slot].slot->end_value;

	return cuda_end(facts, slot) == CUDA_END_KILLED &&
	       (number == SIGTERM || number == SIGINT || number == SIGHUP);
}

/* Whether consumer and producer were ended together: by request, or after a proven deadlock. */
static bool is_shutdown(const struct facts *facts, uint32_t consumer, uint32_t producer)
{
	return is_request(facts, consumer) ||
	       (has_aborted(facts, consumer) && has_aborted(facts, producer));
}

static bool owner_ends_by(const struct facts *facts, const struct ipc_piece *piece,
			  uint64_t time_ns)
{
	uint64_t end = cuda_end_ns(facts, piece->owner);

	return (end ? end : facts->now_ns) <= time_ns;
}

/*
 * Whether it was freed by that time: a judgement while the program runs cannot know of later
 * events.
 */
static bool is_freed_by(const struct ipc_piece *piece, uint64_t time_ns)
{
	return piece->end_ns && piece->end_ns <= time_ns;
}

static void judge_consumer(const struct facts *facts, const struct trigger *trigger,
			   struct findings *out)
{
	uint64_t end_ns = cuda_end_ns(facts, trigger->index);

	EACH_IMPORT(facts, trigger->index, at) {
		const struct ipc_import *import = &facts->cuda.imports[at - 1];
		const struct ipc_piece *piece = ipc_piece_of(facts, import);
		bool together;

		if (!piece || !ipc_counts(piece) || piece->owner == import->at.by ||
		    !ipc_was_left(facts, import) || is_freed_by(piece, end_ns + CUDA_GRACE_NS) ||
		    owner_ends_by(facts, piece, end_ns - 1))
			continue;
		together = owner_ends_by(facts, piece, end_ns + CUDA_GRACE_NS - 1);
		FIND_SHARED(out, ipc_consumer_killed,
			    together && is_shutdown(facts, trigger->index, piece->owner) ?
				    GRADE_NOTE :
				    GRADE_WARNING,
			    trigger, import->piece, at, &msg_death);
	}
}

/* Whether another process opened it after that death, so that it was not lost. */
static bool was_taken_over(const struct facts *facts, const struct ipc_piece *piece,
			   uint64_t time_ns)
{
	EACH_USE(facts, piece, at)
		if (!facts->cuda.imports[at - 1].ev.result &&
		    facts->cuda.imports[at - 1].at.time_ns > time_ns)
			return true;
	return false;
}

static bool is_lost(const struct facts *facts, const struct ipc_piece *piece,
		    const struct ipc_import *import, uint64_t over_ns)
{
	uint64_t death = cuda_end_ns(facts, import->at.by);

	return import->at.by != piece->owner && ipc_was_left(facts, import) &&
	       cuda_end(facts, import->at.by) == CUDA_END_KILLED &&
	       !is_request(facts, import->at.by) && death + CUDA_GRACE_NS <= over_ns &&
	       !was_taken_over(facts, piece, death);
}

/*
 * Whether the memory can be lost: a producer without a count may keep its memory on purpose, but
 * PyTorch's count never drops again.
 */
static bool can_be_lost(const struct ipc_piece *piece)
{
	return ipc_counts(piece) && !piece->end_ns && piece->flags & MPSAN_IPC_TORCH;
}

static void judge_producer(const struct facts *facts, const struct trigger *trigger,
			   struct findings *out)
{
	uint64_t end_ns = cuda_end_ns(facts, trigger->index);

	EACH_PIECE(facts, trigger->index, index) {
		const struct ipc_piece *piece = &facts->cuda.pieces[index - 1];
		uint32_t lost = 0;

		EACH_USE(facts, piece, at)
			if (is_lost(facts, piece, &facts->cuda.imports[at - 1],
				    end_ns ? end_ns : facts->now_ns))
				lost = at;
		if (lost && can_be_lost(piece))
			FIND_SHARED(out, ipc_consumer_killed, GRADE_ERROR, trigger, index, lost,
				    &msg_leak);
	}
}

void rule_ipc_consumer_killed(const struct facts *facts, const struct trigger *trigger,
			      struct findings *out)
{
	enum cuda_end end = cuda_end(facts, trigger->index);

	if (end == CUDA_END_KILLED || end == CUDA_END_SILENT)
		judge_consumer(facts, trigger, out);
	judge_producer(facts, trigger, out);
}
