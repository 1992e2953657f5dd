/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hang: a wait lasts far too long. Something could still end it, so this is no proof: the rule
 * reports what is known. If nothing could, and nothing was meant to, it is a note, unless not even Ctrl-C could.
 */
#include "../../facts/processes.h"
#include "../../facts/roles.h"
#include "../catalog.h"
#include "../dead_ends.h"
#include "../deadlock.h"
#include "../rule.h"

static MESSAGE message_text = {
	"[{thread} of ]process {pid} has waited for {since} s at {wait_at}: {deadlock}{bystanders}",
	{STEP_ALL_BLOCKED},
};

static MESSAGE msg_parked = {
	"[{thread} of ]process {pid} has waited for {since} s at {wait_at}; no thread or process of the job could end "
	"the wait, so it seems to be idle until a signal: {deadlock}",
	{STEP_ALL_BLOCKED},
};

static MESSAGE msg_parked_alone = {
	"[{thread} of ]process {pid} has waited for {since} s at {wait_at}; [no thread or process of the job could end "
	"the wait]; it was forked from a process with {threads} threads, and has only the one that called fork: it may "
	"wait for what one of the others would do: {deadlock}",
	{STEP_ALL_BLOCKED, STEP_FORK_WITHOUT_THREADS},
};

static MESSAGE msg_child_failed = {
	"[{thread} of ]process {pid} has waited for {since} s at {wait_at}|, |since {dead}, which it had started, "
	"failed ({dead_end}): no thread or process of the job that is left could end the wait: {deadlock}",
	{STEP_ALL_BLOCKED},
};

static MESSAGE msg_unwoken = {
	"[{thread} of ]process {pid} has waited for {since} s at {wait_at}|, |although its event loop has callbacks to "
	"run: another thread, or a signal handler, added them without waking it: {deadlock}",
	{STEP_ALL_BLOCKED},
};

static MESSAGE msg_stuck = {
	"in the event loop of {thread} of process {pid} a task has waited for {since} s at {wait_at}|, |for a lock held by "
	"itself or by a task that waits for it in turn: {deadlock}",
	{STEP_ALL_BLOCKED},
};

static MESSAGE msg_blocks_loop = {
	"[{thread} of ]process {pid} has waited for {since} s at {wait_at}|, and |its event loop runs no other "
	"coroutine meanwhile; no thread or process of the job could end the wait: {deadlock}",
	{STEP_ALL_BLOCKED},
};

static MESSAGE msg_no_keyboard = {
	"[{thread} of ]process {pid} has waited for {since} s at {wait_at}; no thread or process of the job could end "
	"the wait, nor Ctrl-C, since SIGINT is ignored: {deadlock}",
	{STEP_ALL_BLOCKED},
};

static MESSAGE msg_served = {
	"[{thread} of ]process {pid} has waited for {since} s at {wait_at}; no thread or process of the job goes on "
	"that could end the wait, so it is left to somebody outside: {deadlock}",
	{STEP_ALL_BLOCKED},
};

#define TESTS                                                                                                   \
	"[{thread} of ]process {pid} has done nothing for {since} s but wait at {wait_at}|, |[again and again " \
	"with a time limit, and nothing else of the job has moved]"

static MESSAGE msg_tests = {
	TESTS ": it may poll for something that never happens{bystanders}",
	{STEP_ALL_BLOCKED},
};

static MESSAGE msg_loop = {
	"[{thread} of ]process {pid} has waited for {since} s at {wait_at}|, |while its event loop woke up for timers "
	"alone, and nothing else of the job has moved: {deadlock}",
	{STEP_ALL_BLOCKED},
};

#define CHILD_FAILED \
	"; {process}, which it had started, {end}: it may poll for what that was to do{bystanders}"

#define CHILDLESS                                                                                       \
	"; it has no child left, and the last one, {process}, {end}: it may poll for what that was to " \
	"do{bystanders}"

static MESSAGE msg_tests_failed = {TESTS CHILD_FAILED, {STEP_ALL_BLOCKED, STEP_PROCESS_ENDED}};
static MESSAGE msg_tests_childless = {TESTS CHILDLESS, {STEP_ALL_BLOCKED, STEP_PROCESS_ENDED}};

static MESSAGE msg_tests_alone = {
	TESTS
	"; it was forked from a process with {threads} threads, and has only the one that called fork: it may poll for "
	"what one of the others would do{bystanders}",
	{STEP_ALL_BLOCKED, STEP_FORK_WITHOUT_THREADS},
};

#define SPINS                                                                                                          \
	"[{thread} of ]process {pid} has run for {since} s in one loop[ that only tests], at {wait_at}: [it has read " \
	"and written nothing, its variables have not changed, and nothing else of the job has moved]"

static MESSAGE msg_spins = {
	SPINS "; it may poll for something that never happens{bystanders}",
	{STEP_ALL_BLOCKED},
};

#define REAPED                                                                                                 \
	"; it ignores SIGCHLD, so the kernel reaped {process}, which {end}, and waitpid() fails: it may poll " \
	"for the end of a child that it can no longer see{bystanders}"

static MESSAGE msg_tests_reaped = {TESTS REAPED, {STEP_ALL_BLOCKED, STEP_PROCESS_ENDED}};
static MESSAGE msg_spins_reaped = {SPINS REAPED, {STEP_ALL_BLOCKED, STEP_PROCESS_ENDED}};
static MESSAGE msg_spins_failed = {SPINS CHILD_FAILED, {STEP_ALL_BLOCKED, STEP_PROCESS_ENDED}};
static MESSAGE msg_spins_childless = {SPINS CHILDLESS, {STEP_ALL_BLOCKED, STEP_PROCESS_ENDED}};

static MESSAGE msg_spins_alone = {
	SPINS
	"; it was forked from a process with {threads} threads, and has only the one that called fork: it may poll for "
	"what one of the others would do{bystanders}",
	{STEP_ALL_BLOCKED, STEP_FORK_WITHOUT_THREADS},
};

static MESSAGE msg_gil = {
	"[{thread} of ]process {pid} has had the GIL for {since} s at {wait_at}, and runs; {detail}: it may compute, "
	"or wait for what only a thread with the GIL can do",
	{STEP_ALL_BLOCKED},
};

#define RETRIES "nothing else of the job has moved, so it may wait for what "

static MESSAGE msg_retries = {
	"process {pid} starts {detail}; " RETRIES "never happens",
	{STEP_ALL_BLOCKED},
};

static MESSAGE msg_retries_failed = {
	"{process}, which process {pid} had started, {end}; process {pid} starts {detail}; " RETRIES
	"the other one was to do",
	{STEP_ALL_BLOCKED, STEP_PROCESS_ENDED},
};

#define FIX_RETRIES                                                                                                          \
	"let the loop give up after some tries, or after a time (timeout 60 sh -c ...), and say why each one fails, whose "  \
	"errors it may have sent to /dev/null; let it test, too, that who it waits for still runs (`kill -0 $pid`); a lock " \
	"of flock(1) ends with its owner, one of mkdir does not"

#define FIX_GIL                                                                                                        \
	"release the GIL around native code that takes long, or waits (Py_BEGIN_ALLOW_THREADS, gil_scoped_release of " \
	"pybind11, ctypes.CDLL instead of ctypes.PyDLL), or do it in another process"

#define FIX_ALONE                                                                                                  \
	"create what has threads of its own (a client, an exporter, an executor) in each worker, after the fork, " \
	"start its threads anew there (os.register_at_fork(after_in_child=...)), or use the start method spawn"

#define FIX_REAPED                                                                                             \
	"let SIGCHLD have its default action (SIG_DFL) in a process that waits for its children: while it is " \
	"ignored, the kernel keeps no exit status, and waitpid() fails with ECHILD; a library may have set it"

#define FIX_TESTS                                                                                                       \
	"find out what the loop polls for, and which thread or process should provide it; let the loop raise an error " \
	"once it has lasted too long"

static MESSAGE msg_last = {
	"[{thread} of ]process {pid} had waited for {since} s at {wait_at} when {detail} came: {deadlock}{bystanders}",
	{STEP_ALL_BLOCKED},
};

static MESSAGE msg_unsupervised = {
	"[{thread} of ]process {pid} had waited for {since} s at {wait_at} when mpsan itself was ended: "
	"{deadlock}{bystanders}",
	{STEP_ALL_BLOCKED},
};

/* A long wait that has to do with the death of a process is that of a rank, too. */
#define FIX_RANKS                                                                               \
	"start as many ranks as world_size says, let each take part in every collective, hold " \
	"no lock during a collective that another rank needs, and end all of them when one "    \
	"ends early (torchrun does)"

#define FIX_CHILD_FAILED                                                                         \
	"wait for the child's end beside what it is to send, with asyncio.wait(), and raise an " \
	"error when its status is not 0: what it was to set or put nobody else will"

/* The fork to which a thread has come alone, without others that would do what it waits for, perhaps; FACT_NONE: none. */
static uint32_t fork_of_alone(const struct facts *facts, const struct fact_blocked *blocked)
{
	return blocked->at.tid == facts->processes[blocked->at.by].slot->pid ?
		       process_fork_of_threads(facts, blocked->at.by) :
		       FACT_NONE;
}

/* The signal of another process that one of it has outlived; 0: none. */
static int told_by(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	int told = 0;

	for (uint32_t i = deadlock->begin; i < deadlock->end && !told; i++)
		told = process_was_told_to_end(facts, facts->blockeds[i].at.by,
					       deadlock->at.time_ns);
	return told;
}

/* Whether the wait comes down to a thread that sleeps, or does something else by itself. */
static bool acts(const struct facts *facts, const struct fact_deadlock *deadlock,
		 const struct fact_blocked *last)
{
	return last != deadlock_subject(facts, deadlock) && last->ev.kind == MPSAN_WAIT_SYSCALL;
}

#define STANDS                                                                                                             \
	"look at the threads that could still end the wait, and what each of them waits for; one that is stopped goes on " \
	"after kill -CONT{native|, and waitpid() tells of it with WUNTRACED}; "
#define SHOWN "while the program runs, `mpsan ps` shows the whole wait-for graph"

/* By what the first one waits for. */
static const char *const fix_of_standing[MPSAN_KIND_COUNT] = {
#define WAIT(kind, act, between, flow, driver, meant, call, phrase, left) \
	[MPSAN_##kind] = STANDS left SHOWN,
#include "../../facts/waits.def"
#undef WAIT
};

/* Whether another thread has not moved at all, in a call or because it is stopped. */
static bool stands(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	for (uint32_t i = deadlock->begin + 1; i < deadlock->end; i++)
		if (facts->blockeds[i].ev.kind == MPSAN_WAIT_SYSCALL &&
		    !facts->blockeds[i].ev.wakes && !(facts->blockeds[i].ev.flags & MPSAN_LF_SPINS))
			return true;
	return false;
}

#define FIX_TOLD                                                                                            \
	"let SIGTERM end the process: its handler raises SystemExit, which no loop may catch (except "      \
	"BaseException), or sets what each loop tests; or send SIGKILL (Process.kill()) to a process that " \
	"has not ended in time"

#define FIX_IGNORES                                                                                            \
	"send SIGTERM: a job that a script starts with & ignores SIGINT, and one started by nohup SIGHUP, so " \
	"neither signal ends it (in a shell, set -m before & leaves SIGINT as it was)"

/*
 * What would mend it if it is what it looks like, or comes down to. Where an owner is known, or a thread
 * that acts, or it is not even known that a lock is one, the rule's own fix says what to look at.
 */
static const char *fix_of(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	enum rule_id likely = deadlock_likely(facts, deadlock);
	const struct fact_blocked *last = dead_end_last(facts, deadlock);
	uint64_t kind = deadlock_subject(facts, deadlock)->ev.kind;
	int told = told_by(facts, deadlock);

	if (deadlock->ev.dead_slot || last->frames.what == AWAITED_RANKS ||
	    last->frames.what == AWAITED_GROUP)
		return FIX_RANKS;
	if (deadlock_fills_output(facts, deadlock))
		return DEADLOCK_OUTPUT_FIX;
	if (told)
		return told == SIGTERM ? FIX_TOLD : FIX_IGNORES;
	if (likely != RULE_COUNT)
		return rule_fix(likely);
	if (fork_of_alone(facts, last) != FACT_NONE)
		return FIX_ALONE;
	if (stands(facts, deadlock))
		return fix_of_standing[kind < MPSAN_KIND_COUNT ? kind : 0];
	return last->ev.owner || acts(facts, deadlock, last) || dead_end_is_unknown(last) ?
		       NULL :
		       dead_end_of(facts, deadlock).fix;
}

/* Whether it sleeps, or waits with a limit, and comes back to it. */
static bool tests(const struct fact_blocked *first)
{
	return first->ev.kind == MPSAN_WAIT_SYSCALL || first->ev.ends == MPSAN_ENDS_POLL;
}

/* Whether it is a coroutine or greenlet that waits, beside others that have timers. */
static bool is_in_loop(const struct fact_blocked *first)
{
	return tests(first) && (first->frames.looped || first->frames.in_hub) &&
	       first->frames.what != AWAITED_NOTHING && first->frames.what != AWAITED_LOOP;
}

static bool is_note(const struct fact_blocked *first)
{
	return first->ev.flags & MPSAN_LF_PARKED;
}

/* Whether a coroutine blocks its loop, in which another one may be to send what it waits for. An event is how some park. */
static bool blocks_loop(const struct fact_blocked *first)
{
	return first->frames.in_callback && !tests(first) &&
	       first->frames.meant != PARKED_INTENDED &&
	       awaited_nature(first->frames.what) == AWAITED_LOCAL;
}

/* Whether it comes down to a wait that somebody outside may be meant to end: see peer_waits.h. */
static bool is_served(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	const struct fact_blocked *last = dead_end_last(facts, deadlock);

	return last->ev.kind == MPSAN_WAIT_SIGNAL || last->frames.in_hub ||
	       (last->ev.kind == MPSAN_WAIT_FIFO && !deadlock->ev.dead_slot);
}

/* The child that failed last by then, or else the one that ended last, if none lives; FACT_NONE. Helpers do not count. */
static uint32_t missed_child(const struct facts *facts, uint32_t parent, uint64_t by_ns,
			     bool *failed)
{
	uint32_t found = FACT_NONE;
	bool lives = false;

	*failed = false;
	for (uint32_t slot = 0; slot < facts->process_count; slot++) {
		const struct fact_process *process = &facts->processes[slot];
		bool ended = process->gone_ns && process->gone_ns <= by_ns,
		     fails = ended && process_failed(process->slot) &&
			     !process_was_ended_by_another(facts, slot);

		if (!process->slot->pid || process_parent(facts, slot) != parent ||
		    process->slot->flags & MPSAN_PROCESS_REPLACED ||
		    role_text(role_of(process->slot)))
			continue;
		lives |= !ended;
		if (!ended || fails < *failed ||
		    (found != FACT_NONE && fails == *failed &&
		     process->gone_ns < facts->processes[found].gone_ns))
			continue;
		found = slot;
		*failed = fails;
	}
	return *failed || !lives ? found : FACT_NONE;
}

/* Perhaps for what a child would have done. */
static void add_child(const struct facts *facts, const struct fact_blocked *first,
		      struct finding *finding)
{
	bool spins = first->ev.flags & MPSAN_LF_SPINS, failed;
	uint32_t child = missed_child(facts, first->at.by, first->at.time_ns, &failed);

	if (child == FACT_NONE)
		return;
	finding->process = child + 1;
	if (facts->processes[first->at.by].slot->marks & MPSAN_MARK_IGNORES_CHLD) {
		finding->message_text = spins ? &msg_spins_reaped : &msg_tests_reaped;
		finding->fix = FIX_REAPED;
	} else if (spins) {
		finding->message_text = failed ? &msg_spins_failed : &msg_spins_childless;
	} else {
		finding->message_text = failed ? &msg_tests_failed : &msg_tests_childless;
	}
}

/* Perhaps for what threads would do that a fork has left behind. */
static void add_parked(const struct facts *facts, const struct fact_blocked *first,
		       struct finding *finding)
{
	uint32_t fork = fork_of_alone(facts, first);
	bool alone = fork != FACT_NONE;

	if (first->ev.flags & MPSAN_LF_SPINS)
		finding->message_text = alone ? &msg_spins_alone : &msg_spins;
	else if (is_in_loop(first) && !alone)
		finding->message_text = &msg_loop;
	else if (tests(first))
		finding->message_text = alone ? &msg_tests_alone : &msg_tests;
	else
		finding->message_text = alone ? &msg_parked_alone : &msg_parked;
	if (alone)
		finding->fix = FIX_ALONE;
	else if (tests(first) && !is_in_loop(first))
		finding->fix = FIX_TESTS;
	finding->fork = alone ? fork + 1 : 0;
	if (!alone)
		add_child(facts, first, finding);
}

static void add_retries(const struct facts *facts, const struct fact_deadlock *deadlock,
			struct finding *finding)
{
	uint64_t lost = deadlock->ev.dead_slot;
	bool known = lost && lost <= facts->process_count;

	finding->message_text = known ? &msg_retries_failed : &msg_retries;
	finding->process = known ? (uint32_t)lost : 0;
	finding->fix = FIX_RETRIES;
}

/* Whether it has the GIL, for which others wait. */
static bool has_gil(const struct facts *facts, const struct fact_deadlock *deadlock,
		    const struct fact_blocked *first)
{
	const struct fact_blocked *waiter = deadlock_waiter(facts, deadlock, MPSAN_WAIT_GIL);

	return waiter && first->ev.kind == MPSAN_WAIT_SYSCALL &&
	       waiter->ev.owner == first->at.tid && waiter->at.by == first->at.by;
}

void rule_hang(const struct facts *facts, const struct trigger *trigger, struct findings *out)
{
	const struct fact_deadlock *deadlock = &facts->deadlocks[trigger->index];
	const struct fact_blocked *first = deadlock_subject(facts, deadlock);
	struct finding finding;

	if (deadlock_rule(facts, deadlock) != RULE_hang)
		return;
	finding = (struct finding){
		.rule = RULE_hang, .grade = GRADE_NOTE, .fix = fix_of(facts, deadlock)};
	if (deadlock->ev.cause == MPSAN_DEADLOCK_RETRIES) {
		add_retries(facts, deadlock, &finding);
	} else if (deadlock->ev.cause == MPSAN_DEADLOCK_DRAFT) {
		finding.message_text = &msg_unsupervised;
	} else if (deadlock->ev.cause == MPSAN_DEADLOCK_LAST) {
		finding.message_text = &msg_last;
	} else if (first->ev.flags & MPSAN_LF_UNWOKEN) {
		finding.message_text = &msg_unwoken;
		finding.grade = GRADE_WARNING;
	} else if (first->ev.flags & MPSAN_LF_STUCK) {
		finding.message_text = &msg_stuck;
		finding.grade = GRADE_WARNING;
	} else if (first->ev.flags & MPSAN_LF_NO_KEYBOARD) {
		finding.message_text = &msg_no_keyboard;
		finding.grade = GRADE_WARNING;
	} else if (is_note(first) && has_gil(facts, deadlock, first)) {
		finding.message_text = &msg_gil;
		finding.fix = FIX_GIL;
	} else if (is_note(first) && !is_in_loop(first) && is_served(facts, deadlock)) {
		finding.message_text = &msg_served;
	} else if (is_note(first) && deadlock->ev.dead_slot && !tests(first)) {
		finding.message_text = &msg_child_failed;
		finding.fix = dead_end_last(facts, deadlock)->ev.kind == MPSAN_WAIT_FIFO ?
				      dead_end_of(facts, deadlock).fix :
				      FIX_CHILD_FAILED;
	} else if (is_note(first) && blocks_loop(first)) {
		finding.message_text = &msg_blocks_loop;
		finding.grade = GRADE_WARNING;
	} else if (is_note(first)) {
		add_parked(facts, first, &finding);
	} else {
		finding.message_text = &message_text;
		finding.grade = GRADE_WARNING;
	}
	finding_add(out, trigger, finding);
}
