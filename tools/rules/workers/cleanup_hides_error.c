/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cleanup-hides-error: an error led to a finally block, the end of a with statement or the like, which waits, and is ended from
 * outside: the error is printed when that is over, so nobody ever sees it.
 */
#include "../deadlock.h"
#include "../rule.h"

static MESSAGE message_text = {
	"[{thread} of ]process {pid} has waited[ for {since} s] in a clean-up at {wait_at}; nobody was told of the "
	"exception, and nothing of the job could end the wait: {deadlock}{bystanders}",
	{STEP_ALL_BLOCKED},
};

static MESSAGE msg_ended = {
	"[{thread} of ]process {pid} had waited[ for {since} s] in a clean-up at {wait_at} when {detail} came: nobody "
	"was told of the exception; {deadlock}{bystanders}",
	{STEP_ALL_BLOCKED},
};

static MESSAGE msg_unsupervised = {
	"[{thread} of ]process {pid} had waited[ for {since} s] in a clean-up at {wait_at} when mpsan itself was ended, "
	"and nobody had been told of the exception: {deadlock}{bystanders}",
	{STEP_ALL_BLOCKED},
};

#define FIX                                                                                                               \
	"report an exception before a clean-up that may wait: logging.exception() or traceback.print_exc() in an except " \
	"block that raises it again; "

#define FIX_PROCESS                                                                                                         \
	FIX "and give up waiting: Process.join(timeout) or Popen.wait(timeout=...), then terminate() or kill(), then join " \
	    "again"

#define FIX_THREAD                                                                                                            \
	FIX "and tell what it joins to end first: a sentinel or an Event for threads, Pool.terminate() rather than close(), " \
	    "shutdown(wait=False, cancel_futures=True) of an executor; Thread.join() takes a timeout"

#define FIX_SENT \
	FIX "and give the wait a limit: get(), put(), wait(), result() and acquire() take a timeout"

static const char *fix_of(const struct fact_blocked *first)
{
	if (first->ev.kind == MPSAN_WAIT_PROCESS || first->frames.what == AWAITED_PROCESS_END ||
	    first->frames.what == AWAITED_RANK_END)
		return FIX_PROCESS;
	if (first->ev.kind == MPSAN_WAIT_JOIN || first->frames.what == AWAITED_THREAD_END ||
	    first->frames.what == AWAITED_LEFT_END)
		return FIX_THREAD;
	return FIX_SENT;
}

void rule_cleanup_hides_error(const struct facts *facts, const struct trigger *trigger,
			      struct findings *out)
{
	const struct fact_deadlock *deadlock = &facts->deadlocks[trigger->index];

	if (deadlock_rule(facts, deadlock) != RULE_cleanup_hides_error)
		return;
	FIND_EVENT(out, cleanup_hides_error, GRADE_WARNING, trigger,
		   deadlock->ev.cause == MPSAN_DEADLOCK_LONG ? &message_text :
		   deadlock->ev.cause == MPSAN_DEADLOCK_LAST ? &msg_ended :
							       &msg_unsupervised,
		   .fix = fix_of(deadlock_subject(facts, deadlock)));
}
