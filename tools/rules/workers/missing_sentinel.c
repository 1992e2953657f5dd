/* SPDX-License-Identifier: Apache-2.0 */
/*
 * missing-sentinel: a process joins workers that wait for work on an empty pipe to which only
 * waiting processes could write.
 */
#include "../../facts/processes.h"
#include "../deadlock.h"
#include "../rule.h"

#define ITEM                                                                                    \
	"process {pid} {waits} at {wait_at}| for |{awaited}: workers wait for an item, and no " \
	"process is left that could put one, or a sentinel"
#define END_OF_FILE                                                                                                \
	"process {pid} {waits} at {wait_at}| for |{awaited}, {reader} reads from a pipe{open_by}: only processes " \
	"that wait have its write end open, so neither data nor the end of file comes"
#define RECEIVES                                                                                                  \
	"process {pid} {waits} at {wait_at}| for |{awaited}, {reader} receives from a connection{open_by}: only " \
	"processes that wait have its other end open, so nothing comes"
#define UNLESS "; unless all of them are meant to wait until Ctrl-C"

/* The same where it is not known whether anything ever came, and a signal may be meant to end it. */
static MESSAGE message_text = {ITEM, {STEP_ALL_BLOCKED}};
static MESSAGE msg_item_doubted = {ITEM UNLESS, {STEP_ALL_BLOCKED}};
static MESSAGE msg_end_of_file = {END_OF_FILE, {STEP_ALL_BLOCKED}};
static MESSAGE msg_end_of_file_doubted = {END_OF_FILE UNLESS, {STEP_ALL_BLOCKED}};
static MESSAGE msg_receives = {RECEIVES, {STEP_ALL_BLOCKED}};
static MESSAGE msg_receives_doubted = {RECEIVES UNLESS, {STEP_ALL_BLOCKED}};

#define FIX_END_OF_FILE                                                                            \
	"close the write end before you wait for the reader, in the reader, too: the end of file " \
	"comes when no process has it open"
#define FIX_COMMAND FIX_END_OF_FILE " (Popen: communicate(), or stdin.close())"

#define FIX_OWN_END                                                                                    \
	"close the other end in the process that reads, as soon as it starts: it keeps that end open " \
	"itself, so that no end of file comes"

#define FIX_RECEIVES                                                                               \
	"send what the other one waits for before you wait for its end, or close your end of the " \
	"connection, and its copy in the receiver, so that it gets EOFError"

/* What reads from a pipe or connection; NULL: nothing. */
static const struct fact_blocked *reading(const struct facts *facts,
					  const struct fact_deadlock *deadlock)
{
	const struct fact_blocked *pipe = deadlock_waiter(facts, deadlock, MPSAN_WAIT_PIPE_READ);

	return pipe ? pipe : deadlock_waiter(facts, deadlock, MPSAN_WAIT_SOCKET_READ);
}

/* `others`: the fix unless nobody but the reader itself has the other end open. */
static const char *fix_for(const struct fact_blocked *reader, const char *others)
{
	return reader->ev.owner_slot == reader->at.by + 1u ? FIX_OWN_END : others;
}

/* Whether it runs a program of its own, which a process with Python started. */
static bool is_command(const struct facts *facts, const struct fact_blocked *reader)
{
	uint32_t parent = process_parent(facts, reader->at.by);

	return !process_is_worker(facts, reader->at.by) && parent != FACT_NONE &&
	       facts->processes[parent].slot->python;
}

/* Whether what reads is no queue or connection of multiprocessing, whose readers take items. */
static bool reads_bytes(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	const struct fact_blocked *reader = deadlock_waiter(facts, deadlock, MPSAN_WAIT_PIPE_READ);

	return reader && reader->frames.what == AWAITED_NOTHING &&
	       !deadlock_waiter(facts, deadlock, MPSAN_LOCK_SEMAPHORE);
}

static bool receives(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	const struct fact_blocked *reader = reading(facts, deadlock);

	return reader &&
	       (reader->frames.what == AWAITED_DATA || reader->ev.kind == MPSAN_WAIT_SOCKET_READ) &&
	       !deadlock_waiter(facts, deadlock, MPSAN_LOCK_SEMAPHORE);
}

/* Whether the first one waits for the end of the very process that reads. */
static bool is_of_reader(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	const struct fact_blocked *reader = deadlock_reader(facts, deadlock);

	return !reader || deadlock_awaits_process(facts, &deadlock_subject(facts, deadlock)->ev,
						  reader->at.by);
}

void rule_missing_sentinel(const struct facts *facts, const struct trigger *trigger,
			   struct findings *out)
{
	const struct fact_deadlock *deadlock = &facts->deadlocks[trigger->index];
	const struct fact_blocked *reader = reading(facts, deadlock);
	bool doubted = deadlock_is_doubted(facts, deadlock);
	struct finding finding = {.message_text = doubted ? &msg_item_doubted : &message_text};

	if (deadlock_rule(facts, deadlock) != RULE_missing_sentinel)
		return;
	if (reads_bytes(facts, deadlock))
		finding = (struct finding){
			.message_text = doubted ? &msg_end_of_file_doubted : &msg_end_of_file,
			.title =
				is_of_reader(facts, deadlock) ?
					"a process waits for the end of one that reads to the end of a pipe" :
					"a process waits for another, which needs one that reads to the end of a pipe",
			.fix = fix_for(reader,
				       is_command(facts, reader) ? FIX_COMMAND : FIX_END_OF_FILE)};
	else if (receives(facts, deadlock))
		finding = (struct finding){
			.message_text = doubted ? &msg_receives_doubted : &msg_receives,
			.title =
				is_of_reader(facts, deadlock) ?
					"a process waits for the end of one that receives from it" :
					"a process waits for another, which needs one that receives",
			.fix = fix_for(reader, FIX_RECEIVES)};
	finding.rule = RULE_missing_sentinel;
	finding.grade = doubted ? GRADE_WARNING : GRADE_ERROR;
	finding_add(out, trigger, finding);
}
