/* SPDX-License-Identifier: Apache-2.0 */
/* Finds shells that do the same again and again, in vain. Neighbour: in_vain.c, threads that only test. */
#include "in_vain.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../facts/processes.h"
#include "../proc/calls.h"
#include "../proc/process/status.h"
#include "../waits/ledger.h"
#include "verdict.h"

#define ASK_NS 1000000000ull
#define SHORT_NS 2000000000ull /* who takes longer may do something */
#define CLOSE_NS 2000000000ull /* so soon after a child has failed a loop begins, or before */
#define PATIENCE 3u /* times --hang-after, where nothing is known to have failed before */
#define ROUNDS 8u /* at least */
#define TRIED 3u /* programs of a round, beside sleep */

/* What a shell has done lately: rounds of sleep(1) and of programs that always end alike. */
struct loop {
	struct tried {
		uint32_t slot, times;
	} tried[TRIED];
	unsigned count;
	uint32_t sleeps;
	uint32_t lost; /* what failed before; FACT_NONE */
	uint32_t last; /* the child that lives; FACT_NONE */
	uint64_t begin_ns, ended_ns; /* of its first child, and its newest that has ended */
};

static const struct mpsan_process *slot_of(const struct reader *reader, uint32_t slot)
{
	return &reader->session.table[slot];
}

static bool sleeps(const struct mpsan_process *process)
{
	char name[MPSAN_ARGV_BYTES + 1];

	return !strcmp(process_program(process, name), "sleep");
}

/* Whether who waits for it may wait in vain: it was killed, or nobody asks for its status. */
static bool is_lost(const struct reader *reader, uint32_t slot)
{
	const struct mpsan_process *process = slot_of(reader, slot);

	return process_failed_unasked(&reader->facts, slot) ||
	       (process->end == MPSAN_END_SIGNAL && process->end_value == SIGKILL);
}

/* The program that it has tried before, and that ended in the same way. */
static struct tried *find_tried(const struct reader *reader, struct loop *loop, uint32_t slot)
{
	const struct mpsan_process *process = slot_of(reader, slot), *other;

	for (unsigned i = 0; i < loop->count; i++) {
		other = slot_of(reader, loop->tried[i].slot);
		if (process->argv_bytes == other->argv_bytes && process->end == other->end &&
		    process->end_value == other->end_value &&
		    !memcmp(process->argv_kept, other->argv_kept, MPSAN_ARGV_KEPT))
			return &loop->tried[i];
	}
	return NULL;
}

/* The newest that was not tried again. */
static uint32_t lost_of(const struct reader *reader, const struct loop *loop)
{
	uint32_t lost = loop->lost;

	for (unsigned i = 0; i < loop->count; i++)
		if (loop->tried[i].times == 1 && is_lost(reader, loop->tried[i].slot))
			lost = loop->tried[i].slot;
	return lost;
}

/* Something else than in the rounds so far: a new loop, perhaps. */
static void begin(const struct reader *reader, struct loop *loop, uint32_t slot)
{
	if (loop->sleeps || loop->count == TRIED) {
		loop->lost = lost_of(reader, loop);
		loop->count = loop->sleeps = 0;
	}
	loop->begin_ns = fact_made_ns(&reader->facts, slot);
	loop->tried[loop->count++] = (struct tried){slot, 1};
}

static void see_ended(const struct reader *reader, struct loop *loop, uint32_t slot)
{
	const struct mpsan_process *process = slot_of(reader, slot);
	struct tried *tried;

	if (sleeps(process) && !process_failed(process)) {
		loop->sleeps++;
		return;
	}
	tried = find_tried(reader, loop, slot);
	if (!tried || process->end == MPSAN_END_NONE ||
	    reader->processes[slot].gone_ns > fact_made_ns(&reader->facts, slot) + SHORT_NS)
		begin(reader, loop, slot);
	else
		tried->times++;
}

/* False: it has more than one child that lives. */
static bool find_loop(const struct reader *reader, uint32_t shell, struct loop *loop)
{
	const struct fact_process *processes = reader->facts.processes;

	*loop = (struct loop){.lost = FACT_NONE, .last = FACT_NONE};
	for (uint32_t child = processes[shell].children; child;
	     child = processes[child - 1].sibling) {
		uint32_t slot = process_present(&reader->facts, child - 1);

		if (loop->last != FACT_NONE)
			return false;
		if (!reader->processes[slot].gone) {
			loop->last = slot;
			continue;
		}
		see_ended(reader, loop, slot);
		loop->ended_ns = reader->processes[slot].gone_ns;
	}
	loop->lost = lost_of(reader, loop);
	if (loop->lost != FACT_NONE &&
	    (reader->processes[loop->lost].gone_ns + CLOSE_NS < loop->begin_ns ||
	     process_was_ended_by_another(&reader->facts, loop->lost)))
		loop->lost = FACT_NONE;
	return true;
}

/* Whether it only tries, and sleeps, or only sleeps beside a job that has failed; what succeeds each time does something. */
static bool is_in_vain(const struct reader *reader, const struct loop *loop)
{
	bool any = loop->lost != FACT_NONE && process_is_job(&reader->facts, loop->lost);

	for (unsigned i = 0; i < loop->count; i++) {
		bool failed = process_failed(slot_of(reader, loop->tried[i].slot));

		if (loop->tried[i].times > 1 && !failed)
			return false;
		any |= failed && loop->tried[i].times >= ROUNDS;
	}
	return any && loop->sleeps >= ROUNDS;
}

/* Whether it is still at it: the last round was not long ago, and what lives of its children may be of the next one. */
static bool goes_round(const struct reader *reader, const struct loop *loop, uint64_t now_ns)
{
	uint64_t round_ns = (loop->ended_ns - loop->begin_ns) / loop->sleeps;

	return now_ns < loop->ended_ns + 2 * round_ns + ASK_NS &&
	       (loop->last == FACT_NONE || sleeps(slot_of(reader, loop->last)) ||
		fact_made_ns(&reader->facts, loop->last) + SHORT_NS > now_ns);
}

static bool others_rest(const struct deadlocks *deadlocks, uint32_t shell, uint32_t child,
			uint64_t since_ns)
{
	const struct snapshot *snapshot = &deadlocks->snapshot;

	for (uint32_t i = 0; i < snapshot->threads.count; i++) {
		const struct snapshot_thread *thread = &snapshot->threads.item[i];

		if (thread->slot != shell && thread->slot != child &&
		    (snapshot_rests(snapshot, thread) > since_ns || call_has_limit(&thread->call)))
			return false;
	}
	return true;
}

/* Whether the shell itself has read and written nothing for that long. */
static bool is_mute(struct ledger_life *life, uint32_t pid, uint64_t now_ns, uint64_t for_ns)
{
	uint64_t calls;
	bool known = proc_transfers(pid, pid, &calls);

	if (!known || !life->mute_ns || calls != life->transfers)
		life->mute_ns = now_ns;
	life->transfers = calls;
	return known && now_ns >= life->mute_ns + for_ns;
}

/* Longer than that, since a child has failed; longer by far if none has. */
static bool has_lasted(const struct reader *reader, const struct loop *loop, uint64_t now_ns,
		       uint64_t long_ns)
{
	return loop->begin_ns + (loop->lost == FACT_NONE ? PATIENCE : 1) * long_ns <= now_ns &&
	       (loop->lost == FACT_NONE ||
		reader->processes[loop->lost].gone_ns + long_ns <= now_ns);
}

/* "mkdir again and again, 40 times in 8 s, each ended with exit code 1" */
static char *loop_text(const struct reader *reader, const struct loop *loop, uint64_t now_ns)
{
	const struct tried *most = NULL;
	const struct mpsan_process *process;
	char name[MPSAN_ARGV_BYTES + 1];
	AUTO_FREE char *number = NULL;
	uint64_t seconds = (now_ns - loop->begin_ns) / 1000000000ull;

	for (unsigned i = 0; i < loop->count; i++)
		if (loop->tried[i].times > 1 &&
		    process_failed(slot_of(reader, loop->tried[i].slot)))
			most = &loop->tried[i];
	if (!most)
		return text_format("sleep again and again, %u times in %llu s", loop->sleeps,
				   (unsigned long long)seconds);
	process = slot_of(reader, most->slot);
	number = process->end == MPSAN_END_SIGNAL ? text_signal(process->end_value) :
						    text_format("exit code %d", process->end_value);
	return text_format("%s again and again, %u times in %llu s, each ended with %s",
			   process_program(process, name), most->times, (unsigned long long)seconds,
			   number);
}

static void look_at(struct deadlocks *deadlocks, uint32_t index)
{
	const struct reader *reader = deadlocks->reader;
	const struct snapshot_thread *thread = deadlocks_thread(deadlocks, index);
	struct ledger_life *life = &deadlocks_entry(deadlocks, index)->life;
	uint64_t now_ns = deadlocks->snapshot.now_ns, long_ns = deadlocks->hang_after_ns;
	struct verdict verdict = {0};
	AUTO_FREE char *text = NULL;
	struct loop loop;

	if (life->retries || now_ns < life->asked_ns + ASK_NS)
		return;
	life->asked_ns = now_ns;
	if (!is_mute(life, thread->pid, now_ns, long_ns / 2) || /* it may have had many children */
	    !find_loop(reader, thread->slot, &loop) || !is_in_vain(reader, &loop) ||
	    !goes_round(reader, &loop, now_ns) || !has_lasted(reader, &loop, now_ns, long_ns) ||
	    !others_rest(deadlocks, thread->slot, loop.last, now_ns - long_ns))
		return;
	life->retries = true;
	text = loop_text(reader, &loop, now_ns);
	verdict_add_open(deadlocks, &verdict, index, MPSAN_LF_PARKED);
	verdict_close(deadlocks, &verdict, MPSAN_DEADLOCK_RETRIES, loop.lost + 1, text);
}

void in_vain_retries(struct deadlocks *deadlocks)
{
	for (uint32_t i = 0; i < deadlocks->snapshot.threads.count; i++) {
		const struct snapshot_thread *thread = deadlocks_thread(deadlocks, i);

		if (thread->tid == thread->pid &&
		    process_is_shell(slot_of(deadlocks->reader, thread->slot)))
			look_at(deadlocks, i);
	}
}
