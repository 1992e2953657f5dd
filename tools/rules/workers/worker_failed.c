/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker-failed: a worker failed while its parent waits for another one: joining workers one after
 * the other finds a failure only after all before it have ended. Or while its parent waits, or
 * looks again and again, for something else. Or all workers of a pool fail, and are replaced for ever. Or a worker
 * crashed, and its parent exited successfully.
 */
#include "../../facts/processes.h"
#include "../rule.h"

#include <signal.h>
#include <stddef.h>

static const char message[] =
	"{process} {end}, and {who}, which had started it, did not notice for {lasted}: it waits "
	"at {at} for process {waits_for} alone";
static const char waits[] = "{who} waits for process {waits_for}";

static MESSAGE message_text = {
	message,
	{STEP_PROCESS_ENDED, {STEP_EVENT, waits}},
};

static MESSAGE msg_place = {
	message,
	{{STEP_CAUSE, "{process} {end} here"}, {STEP_EVENT, waits}},
};

static const char napped[] =
	"{process} {end}, and {who}, which had started it, has not asked after it for {lasted}: all that "
	"time it was at {at}";
static const char naps[] = "{who} was here all that time";

static MESSAGE msg_napped = {
	napped,
	{STEP_PROCESS_ENDED, {STEP_EVENT, naps}},
};

static MESSAGE msg_napped_place = {
	napped,
	{{STEP_CAUSE, "{process} {end} here"}, {STEP_EVENT, naps}},
};

static const char replaced[] =
	"{process} {end}, and so did {amount} workers in all that a pool of {who} had started one "
	"after the other; until then none had ended well, and {who} waited at {at} for results";
static const char wants[] = "{who} waited for results";

static MESSAGE msg_replaced = {
	replaced,
	{STEP_PROCESS_ENDED, {STEP_EVENT, wants}},
};

static MESSAGE msg_replaced_place = {
	replaced,
	{{STEP_CAUSE, "{process} {end} here"}, {STEP_EVENT, wants}},
};

static const char mend_start[] =
	"read what the first worker that failed has printed: it fails at its start, in the pool's "
	"initializer or when it reads a task; concurrent.futures.ProcessPoolExecutor raises "
	"BrokenProcessPool instead of starting workers for ever";

static const char mend_asking[] =
	"ask after the program while you wait for what it was to do: poll() of its Popen, or waitpid() with WNOHANG, between "
	"waits with a time limit";

static const char mend_unchecked[] =
	"check how each worker ended: exitcode of its Process after join(), or the exception of its Future; end with another "
	"status than 0 if one failed";

static MESSAGE msg_peace = {
	"{process} {end}, and the program that had started it exited with status 0: if it did not "
	"check the exit status, the worker's result is missing",
	{{STEP_CAUSE, "{process} {end} here"}},
};

static const char crash[] =
	"{process} {end}, a signal that no other process of the job had sent, and {parent_process}, "
	"which had started it, exited with status 0: the worker's result is missing";

static const char by_itself[] =
	"{process} {end}, and {parent_process}, which had started it, exited with status 0: the "
	"worker's result is missing";

#define STEP_JOINED                                                                 \
	{                                                                           \
		STEP_CAUSE, "{cause_who} got its status here, and did not check it" \
	}

static MESSAGE msg_crash = {
	crash,
	{STEP_FORK_STARTED, STEP_PROCESS_ENDED},
};

static MESSAGE msg_joined_crash = {
	crash,
	{STEP_FORK_STARTED, STEP_PROCESS_ENDED, STEP_JOINED},
};

static MESSAGE msg_by_itself = {
	by_itself,
	{STEP_FORK_STARTED, STEP_PROCESS_ENDED},
};

static MESSAGE msg_joined_by_itself = {
	by_itself,
	{STEP_FORK_STARTED, STEP_PROCESS_ENDED, STEP_JOINED},
};

static bool ended_well(const struct facts *facts, uint32_t slot)
{
	const struct mpsan_process *process =
		slot < facts->process_count ? facts->processes[slot].slot : NULL;

	return process && process->end == MPSAN_END_EXIT && !process->end_value;
}

/*
 * Whether the kernel ended it: signals for faults and the OOM killer's, as far as no process sent
 * them.
 */
static bool worker_failed_crashed(const struct facts *facts, uint32_t slot)
{
	int number = facts->processes[slot].slot->end_value;

	return facts->processes[slot].slot->end == MPSAN_END_SIGNAL &&
	       (number == SIGSEGV || number == SIGABRT || number == SIGBUS || number == SIGFPE ||
		number == SIGILL || number == SIGSYS || number == SIGKILL);
}

/* The event of the wait call that returned it, its parent's or a fork server's; FACT_NONE. */
static uint32_t reaping(const struct facts *facts, uint32_t slot)
{
	const struct mpsan_process *process = facts->processes[slot].slot;

	for (uint32_t by = 0; by < facts->process_count; by++)
		for (uint32_t at = fact_event_of(facts, by, EV_reaped, FACT_NONE); at != FACT_NONE;
		     at = fact_event_of(facts, by, EV_reaped, at))
			if (EVENT_AS(&facts->events[at], reaped)->pid == process->pid &&
			    event_time(&facts->events[at]) >= process->birth_ns)
				return at;
	return FACT_NONE;
}

/*
 * Whether its Python parent checks how it ended. The library saw that when the parent got the status, or started the
 * fork server that gets it instead; a supervisor of old saw it some time later.
 */
static bool exit_is_checked(const struct facts *facts, uint32_t slot, uint32_t reaped)
{
	uint32_t parent = process_parent(facts, slot);
	uint64_t how = reaped != FACT_NONE && facts->events[reaped].slot == parent ?
			       EVENT_AS(&facts->events[reaped], reaped)->taken >> 1 :
			       0,
		 of;

	for (uint32_t at = fact_event_of(facts, parent, EV_exit_checked, FACT_NONE);
	     at != FACT_NONE && !how; at = fact_event_of(facts, parent, EV_exit_checked, at)) {
		of = EVENT_AS(&facts->events[at], exit_checked)->worker_slot;
		how = !of || of == slot + 1 ? EVENT_AS(&facts->events[at], exit_checked)->how : 0;
	}
	return how && (how != MPSAN_CHECKED_BY_TEST || process_ended_itself(facts, slot));
}

/* Whether it is the worker of a test that makes it end itself: the test's own verdict counts. */
static bool is_planned(const struct facts *facts, uint32_t slot)
{
	static const char *const runners[] = {"pytest", "py.test", "unittest", "nose2"};

	if (!process_ended_itself(facts, slot))
		return false;
	for (uint32_t at = slot, up = 0; at != FACT_NONE && up < facts->process_count;
	     at = process_parent(facts, at), up++)
		for (size_t i = 0; i < sizeof(runners) / sizeof(*runners); i++)
			if (fact_argv_has(facts->processes[at].slot, runners[i]))
				return true;
	return false;
}

/*
 * Whether the parent may have checked the status. A C program does not take the status of a wait
 * call by accident. Python's calls always take it, so there the library looks into the code; a log
 * that nobody followed may be of a library that did not. Workers of a DataLoader report to their
 * parent's SIGCHLD handler.
 */
static bool may_be_known(const struct facts *facts, uint32_t slot)
{
	const struct mpsan_process *parent = facts->processes[process_parent(facts, slot)].slot;
	uint32_t reaped = reaping(facts, slot);

	if (process_loads_data(facts, slot) || is_planned(facts, slot))
		return true;
	if (parent->python)
		return !facts->followed || exit_is_checked(facts, slot, reaped);
	return reaped != FACT_NONE && EVENT_AS(&facts->events[reaped], reaped)->taken & 1;
}

/*
 * Whether its end says nothing: it outlived its parent, or requested a signal at its parent's end. The supervisor sees the
 * end of a process that was killed some time later; one that its parent has waited for has not outlived it.
 */
static bool ended_in_vain(const struct facts *facts, uint32_t slot)
{
	const struct fact_process *process = &facts->processes[slot];
	uint32_t parent = process_parent(facts, slot), reaped = reaping(facts, slot);
	bool awaited = reaped != FACT_NONE && facts->events[reaped].slot == parent;

	return (!awaited && process->gone_ns > facts->processes[parent].gone_ns) ||
	       process->slot->flags & MPSAN_PROCESS_DEATHSIG;
}

static void judge_crash(const struct facts *facts, const struct trigger *trigger,
			struct findings *out, uint32_t slot)
{
	uint32_t reaped = reaping(facts, slot);
	bool joined = reaped != FACT_NONE;
	const struct message_text *text =
		process_ended_itself(facts, slot) ?
			(joined ? &msg_joined_by_itself : &msg_by_itself) :
			(joined ? &msg_joined_crash : &msg_crash);

	finding_add(out, trigger,
		    (struct finding){.rule = RULE_worker_failed,
				     .grade = GRADE_WARNING,
				     .message_text = text,
				     .fork = process_fork(facts, slot) + 1,
				     .process = slot + 1,
				     .cause = joined ? reaped + 1 : 0});
}

/*
 * Reports a failed worker of a parent that exited with status 0. Whether the parent checked is
 * mostly not visible.
 */
static void judge_peace(const struct facts *facts, const struct trigger *trigger,
			struct findings *out, uint32_t slot)
{
	uint32_t place;

	if (!facts->processes[slot].slot->pid || !process_failed(facts->processes[slot].slot) ||
	    !(worker_failed_crashed(facts, slot) ? process_is_worker(facts, slot) :
						   process_is_python_worker(facts, slot)) ||
	    !ended_well(facts, process_parent(facts, slot)) ||
	    process_was_ended_by_another(facts, slot) || process_was_let_go(facts, slot))
		return;
	if (worker_failed_crashed(facts, slot) && !ended_in_vain(facts, slot) &&
	    !may_be_known(facts, slot)) {
		judge_crash(facts, trigger, out, slot);
		return;
	}
	if (!process_is_python_worker(facts, slot))
		return;
	place = fact_event_of(facts, slot, EV_left, FACT_NONE);
	FIND_EVENT(out, worker_failed, GRADE_NOTE, trigger, &msg_peace, .process = slot + 1,
		   .cause = place == FACT_NONE ? 0 : place + 1, .fix = mend_unchecked);
}

/* The text for a worker; `place`: where it failed is known. */
static const struct message_text *text_of(const struct ev_worker_failure *event, bool place)
{
	if (!event->failures && !event->waits_for)
		return place ? &msg_napped_place : &msg_napped;
	if (event->failures)
		return place ? &msg_replaced_place : &msg_replaced;
	return place ? &msg_place : &message_text;
}

void rule_worker_failed(const struct facts *facts, const struct trigger *trigger,
			struct findings *out)
{
	const struct fact_event *event;
	uint32_t worker, place;
	uint64_t failures;
	bool answers;

	if (trigger->kind == TRIGGER_CLOSE) {
		for (worker = 0; worker < facts->process_count; worker++)
			judge_peace(facts, trigger, out, worker);
		return;
	}
	event = &facts->events[trigger->index];
	if (event->type != EV_worker_failure)
		return;
	worker = (uint32_t)EVENT_AS(event, worker_failure)->worker_slot - 1;
	if (worker >= facts->process_count || process_was_ended_by_another(facts, worker))
		return;
	place = fact_event_of(facts, worker, EV_left, FACT_NONE);
	failures = EVENT_AS(event, worker_failure)->failures;
	answers = process_answers_by_end(facts, worker);
	FIND_EVENT(out, worker_failed, answers ? GRADE_NOTE : GRADE_WARNING, trigger,
		   text_of(EVENT_AS(event, worker_failure), place != FACT_NONE),
		   .process = worker + 1, .cause = place == FACT_NONE ? 0 : place + 1,
		   .amount = failures,
		   .title = failures ? "all workers of a pool fail" :
			    answers  ? "a program failed and its parent did not notice" :
				       NULL,
		   .fix = failures ? mend_start :
			  answers  ? mend_asking :
				     NULL);
}
