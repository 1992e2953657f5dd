/* SPDX-License-Identifier: Apache-2.0 */
/* Determines what each thread waits for and who could end the wait, by kind of wait. */
#include "waits.h"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/system_calls.h"
#include "../facts/processes.h"
#include "../proc/calls.h"
#include "native.h"
#include "outside.h"
#include "pythreads.h"
#include "waits_look.h"

/* ---- other wakers ---- */

static void add_child(uint32_t pid, void *context)
{
	struct look *look = context;
	uint32_t process = snapshot_process_of_pid(look->snapshot, pid);

	if (process == SNAPSHOT_NONE)
		look->wait->end = WAIT_OPEN; /* a child that is not watched */
	else
		look_add(look, process);
}

static void add_children(struct look *look)
{
	look->wait->end = WAIT_PROCESSES;
	if (!proc_children(look->thread->pid, add_child, look))
		look->wait->end = WAIT_OPEN;
}

bool wait_needs_owner(const struct wait *wait)
{
	return wait_as_row(wait).by_owner || wait_kind_needs_owner(wait->kind);
}

struct job_wait wait_as_row(const struct wait *wait)
{
	return (struct job_wait){
		.kind = wait->kind,
		.all = wait->end == WAIT_OWNERS,
		.by_owner = wait->end == WAIT_OWNERS || wait->end == WAIT_NOBODY || wait->of_task ||
			    wait->of_team,
		.asks_itself = wait->renewed,
		.gives_up = wait->handler_gives_up,
		.ends = wait->ends,
		.ends_ns = wait->ends_ns,
		.holder = wait->holder,
	};
}

uint64_t wait_ends_at(const struct wait *wait)
{
	struct job_wait row = wait_as_row(wait);

	return job_ends_at(&row);
}

uint64_t wait_since(const struct snapshot *snapshot, const struct waits *waits, uint32_t thread)
{
	const struct snapshot_thread *at = &snapshot->threads.item[thread];

	if (waits->item.item[thread].tries && at->tried_ns > at->same_ns)
		return at->tried_ns;
	return at->nested || wait_wakes(&waits->item.item[thread]) ? at->same_ns : at->still_ns;
}

static void ends_by(struct look *look, enum mpsan_wait_ends ends, uint64_t ends_ns)
{
	struct wait later = {.ends = ends, .ends_ns = ends_ns};

	if (wait_ends_at(&later) >= wait_ends_at(look->wait))
		return;
	look->wait->ends = ends;
	look->wait->ends_ns = ends_ns;
}

/*
 * Whether it reads, and has handlers to clean up: only the kernel sends these two, to a program that exceeds a limit,
 * so who handles both handles whatever would end it. It might send something there, but hardly does.
 */
static bool cleans_up(const struct look *look)
{
	const uint64_t limits = 1ull << (SIGXCPU - 1) | 1ull << (SIGXFSZ - 1);

	return wait_is_read(look->wait) && !look_process(look)->python &&
	       (look_handlers(look) & limits) == limits;
}

/*
 * A timer, or an alarm that is unknown or repeated, may end the wait at any time. Alarms of
 * unwatched processes are unknown; from outside, only those with a handler count, and any one that is due
 * soon, which may be meant to end the process.
 */
static bool has_timer(const struct look *look)
{
	uint16_t flags = look_process(look)->flags;

	if (look->snapshot->outside)
		return (look_handlers(look) & 1ull << (SIGALRM - 1) && !cleans_up(look)) ||
		       outside_has_alarm(look->snapshot->outside, look->thread,
					 OUTSIDE_ALARM_SOON) ||
		       proc_has_timer(look->thread->pid);
	return !(flags & MPSAN_PROCESS_ATTACHED) || flags & MPSAN_PROCESS_OFF ||
	       (flags & MPSAN_PROCESS_ALARM && look_process(look)->alarm_ns == UINT64_MAX) ||
	       proc_has_timer(look->thread->pid);
}

/* Whether a signal handler may run while this wait lasts. Python's run in the main thread only. */
static bool is_interruptible(const struct look *look)
{
	return !look_process(look)->python || look->thread->tid == look->thread->pid;
}

/* An alarm that is due ends the process, or the wait, by a handler. */
static void classify_alarm(struct look *look)
{
	uint64_t due_ns = look_alarm_ns(look);

	if (!due_ns)
		return;
	if (!(look_handlers(look) & 1ull << (SIGALRM - 1)))
		ends_by(look, MPSAN_ENDS_ALARM, due_ns);
	else if (is_interruptible(look))
		ends_by(look, MPSAN_ENDS_TIMER, due_ns);
	/* in a test a timer that rings once is the test's limit */
	look->wait->handler_gives_up = look->wait->ends == MPSAN_ENDS_TIMER &&
				       look_process(look)->python && pythread_in_test(look->thread);
}

/*
 * If its parent ended, so would this process. The end of the supervisor's process comes from
 * outside.
 */
static void add_parent(struct look *look)
{
	uint32_t pid = proc_stat(look->thread->pid, look->thread->pid).parent,
		 process = snapshot_process_of_pid(look->snapshot, pid);

	look_reopen(look);
	if (process != SNAPSHOT_NONE)
		look_add(look, process);
	else if (!proc_is_self(pid))
		look->wait->end = WAIT_OPEN;
}

/* It is stopped in its call, but may have been woken already. */
static bool is_stopped(const struct snapshot_thread *thread)
{
	char state = proc_stat(thread->pid, thread->tid).state;

	return proc_state_is_stopped(state) || !state;
}

/* The handler of an alarm whose time is known ends the wait then, and not before. */
static uint64_t alarm_of(const struct mpsan_process *process)
{
	return process->flags & MPSAN_PROCESS_ALARM && process->alarm_ns != UINT64_MAX ?
		       1ull << (SIGALRM - 1) :
		       0;
}

/* A process that has logged nothing yet has not said so itself. */
static bool is_python(const struct look *look)
{
	AUTO_FREE struct pyview *view = NULL;

	if (look_process(look)->python)
		return true;
	view = pyview_open((pid_t)look->thread->pid);
	return view != NULL;
}

/*
 * A signal handler could post, signal, or jump elsewhere. The one for SIGCHLD runs when a child
 * ends, and the children are known. The one for SIGINT says little: Python always has one.
 */
bool waits_check_handlers(struct waits *waits, uint32_t thread)
{
	struct wait *wait = &waits->item.item[thread];
	struct look look = {waits, waits->snapshot, &waits->snapshot->threads.item[thread], wait};
	const enum mpsan_wait_ends ends = wait->ends;
	const struct mpsan_process *process;
	uint64_t handlers, handled, child = 1ull << (SIGCHLD - 1), interrupt = 1ull << (SIGINT - 1);

	if (wait->handlers_known || wait->end == WAIT_OPEN)
		return false;
	wait->handlers_known = true;
	if (is_stopped(look.thread) || (wait->end == WAIT_PROCESSES && has_timer(&look))) {
		wait->end = WAIT_OPEN;
		return true;
	}
	classify_alarm(&look);
	if (wait->end != WAIT_PROCESSES)
		return wait->ends != ends;
	process = look_process(&look);
	handlers = look_handlers(&look) & ~alarm_of(process);
	if (handlers & interrupt && is_python(&look)) {
		wait->interruptible = true;
		handlers &= ~interrupt;
	}
	handlers &= ~look_blocked(&look, handlers);
	handled = look_handled(&look, handlers);
	if (handled) {
		handlers &= ~handled;
		wait->flags |= MPSAN_LF_DOUBT;
	}
	if (cleans_up(&look)) {
		wait->flags |= MPSAN_LF_DOUBT;
		handlers &= child;
	}
	if (handlers & child && wait->kind != MPSAN_WAIT_PROCESS) {
		look_reopen(&look);
		add_children(&look);
	}
	if (process->flags & MPSAN_PROCESS_DEATHSIG)
		add_parent(&look);
	wait->by_signal = handlers & ~child && (!wait_needs_owner(wait) || wait->of_task);
	if (wait->by_signal)
		wait->end = WAIT_OPEN;
	else if (handlers & ~child && !wait->of_team)
		ends_by(&look, MPSAN_ENDS_HANDLER, 0);
	if (wait->holder == SNAPSHOT_NONE && !handlers &&
	    !(look_handlers(&look) & alarm_of(process)) && classify_taker(&look))
		return true;
	return wait->ends != ends || handlers || process->flags & MPSAN_PROCESS_DEATHSIG;
}

/* ---- other kinds ---- */

static bool claims_libc(const struct snapshot_thread *thread)
{
	const struct mpsan_thread *record = thread->record;

	for (uint32_t i = 0; record && i < record->holds_used && i < MPSAN_HOLDS; i++)
		if (MPSAN_TAG_KIND(record->hold[i].tag) == MPSAN_LOCK_LIBC)
			return true;
	return false;
}

/* Of the recursive mutexes that libc has for itself all are the loader's. */
static bool is_loaders(const struct look *look, uint64_t word)
{
	struct proc_mapping mapping;

	return proc_mapping_lately(look->thread->pid, word, &mapping) && mapping.in_libc &&
	       !strncmp(path_base(mapping.path), "ld", 2);
}

/*
 * A libc function waits for its internal lock: any other thread of this process inside libc may
 * hold it.
 */
static void judge_libc(struct look *look, uint64_t word)
{
	const struct snapshot *snapshot = look->snapshot;
	uint64_t lock = look->wait->lock;
	bool owned = classify_own_mutex(look, word) && look->wait->end != WAIT_OPEN;

	look->wait->kind = MPSAN_LOCK_LIBC;
	look->wait->lock = lock;
	if (owned && is_loaders(look, word))
		look->wait->flags |= MPSAN_LF_LOADER;
	if (owned || classify_stream(look, word) || classify_interrupted(look))
		return;
	for (uint32_t i = 0; i < snapshot->threads.count; i++)
		if (snapshot->threads.item[i].slot == look->thread->slot &&
		    &snapshot->threads.item[i] != look->thread &&
		    claims_libc(&snapshot->threads.item[i]))
			return;
	look_add_process(look, look->thread->process);
}

static void judge_claim(struct look *look, uint64_t word, struct mpsan_hold claim)
{
	uint64_t address = MPSAN_TAG_ADDRESS(claim.tag);

	look->wait->kind = MPSAN_TAG_KIND(claim.tag);
	look->wait->lock = address;
	look->wait->caller = claim.caller;
	look->wait->flags = claim.tag & MPSAN_TAG_GIL ? MPSAN_LF_HOLDS_GIL : 0;
	switch (look->wait->kind) {
	case MPSAN_LOCK_MUTEX:
		classify_mutex(look, address);
		break;
	case MPSAN_LOCK_RWLOCK_READ:
	case MPSAN_LOCK_RWLOCK_WRITE:
		classify_rwlock(look, address);
		break;
	case MPSAN_LOCK_SEMAPHORE:
		classify_semaphore(look, address, claim.tag);
		break;
	case MPSAN_WAIT_JOIN:
		if (look_lies_in(word, address, LOOK_PTHREAD_BYTES))
			classify_join(look, word);
		break;
	case MPSAN_WAIT_COND: /* woken already, it may be waiting for its mutex */
		if (look_lies_in(word, address, sizeof(pthread_cond_t)) ||
		    !classify_mutex(look, word))
			look_add_anybody(look, address);
		break;
	case MPSAN_LOCK_LIBC:
		judge_libc(look, word);
		break;
	case MPSAN_LOCK_GUARD:
		classify_guard(look, address);
		break;
	case MPSAN_WAIT_FUTEX:
		if (classify_stream(look, word) || classify_once(look) || classify_openmp(look))
			break;
		/* fallthrough */
	case MPSAN_WAIT_BARRIER:
		look_add_anybody(look, word);
		break;
	default:
		break;
	}
}

/* The newest claim, if it says that this thread is inside a libc function. */
static bool is_in_libc(const struct snapshot_thread *thread, struct mpsan_hold *claim)
{
	const struct mpsan_thread *record = thread->record;
	uint32_t used = record ? record->holds_used : 0;

	if (!used || used > MPSAN_HOLDS)
		return false;
	*claim = record->hold[used - 1];
	return MPSAN_TAG_KIND(claim->tag) == MPSAN_LOCK_LIBC;
}

/* How many bytes of a lock have words for which threads wait. */
static uint64_t bytes_of(unsigned kind)
{
	return kind == MPSAN_LOCK_MUTEX || kind == MPSAN_LOCK_SEMAPHORE ? sizeof(uint32_t) :
									  sizeof(pthread_rwlock_t);
}

/* A lock may have been taken by another thread between the hook's check and its call. */
static struct mpsan_hold wanted(const struct snapshot_thread *thread)
{
	const struct mpsan_thread *record = thread->record;
	uint32_t used = record && record->holds_used <= MPSAN_HOLDS ? record->holds_used : 0;
	struct mpsan_hold claim = snapshot_wanted(thread);

	if (claim.tag || !used ||
	    !look_lies_in(thread->call.arg[0], MPSAN_TAG_ADDRESS(record->hold[used - 1].tag),
			  bytes_of(MPSAN_TAG_KIND(record->hold[used - 1].tag))))
		return claim;
	return record->hold[used - 1];
}

static void judge_futex(struct look *look)
{
	const struct proc_call *call = &look->thread->call;
	unsigned operation = call->arg[1] & FUTEX_CMD_MASK;
	struct mpsan_hold claim = wanted(look->thread);

	if (MPSAN_TAG_KIND(claim.tag) == MPSAN_WAIT_GIL) {
		look->wait->kind = MPSAN_WAIT_GIL;
		look->wait->lock = MPSAN_TAG_ADDRESS(claim.tag);
		look_add_gil(look);
		return;
	}
	if (operation != FUTEX_WAIT && operation != FUTEX_WAIT_BITSET && operation != FUTEX_LOCK_PI)
		return;
	if (call->arg[3] || claim.tag & MPSAN_TAG_TIMED)
		look_add_limit(look, call_ends_ns(look->thread->pid, call, look->thread->still_ns));
	if (claim.tag) {
		judge_claim(look, call->arg[0], claim);
		return;
	}
	look->wait->kind = MPSAN_WAIT_FUTEX;
	look->wait->lock = call->arg[0];
	if (is_in_libc(look->thread, &claim)) {
		look->wait->lock = MPSAN_TAG_ADDRESS(claim.tag);
		look->wait->caller = claim.caller;
	}
	if (!wakers_find_memory(look->thread, call->arg[0]))
		return;
	if (look->thread->object.in_libc)
		judge_libc(look, call->arg[0]);
	else if (!classify_stream(look, call->arg[0]) && !classify_once(look) &&
		 !classify_openmp(look))
		look_add_anybody(look, call->arg[0]);
}

void classify_child(struct look *look, int64_t pid, bool one)
{
	uint32_t process = one ? look_child(look, (uint32_t)pid) : SNAPSHOT_NONE;

	look->wait->kind = MPSAN_WAIT_PROCESS;
	look->wait->lock = one ? (uint64_t)pid : 0;
	if (process != SNAPSHOT_NONE) {
		look_add_process(look, process);
	} else if (!one) {
		add_children(look);
	}
}

static void judge_call(struct look *look)
{
	const struct proc_call *call = &look->thread->call;

	look->wait->kind = MPSAN_WAIT_SYSCALL;
	look->wait->lock = (uint64_t)call->number;
	look->wait->caller = snapshot_wanted(look->thread).caller;
	if (classify_tries(look))
		return;
	switch (call->number) {
	case SYS_futex:
		judge_futex(look);
		break;
	case SYS_wait4:
		classify_child(look, (int32_t)call->arg[0], (int32_t)call->arg[0] > 0);
		break;
	case SYS_waitid:
		if (call->arg[0] == P_PID || call->arg[0] == P_ALL)
			classify_child(look, (int32_t)call->arg[1], call->arg[0] == P_PID);
		break;
	case SYS_rt_sigsuspend: /* dash's wait: for the SIGCHLD of any */
		if (process_is_shell(look_process(look)))
			classify_child(look, -1, false);
		break;
	case SYS_vfork:
	case SYS_clone:
	case SYS_clone3:
		look->wait->kind = MPSAN_WAIT_EXEC;
		break;
	case SYS_poll:
	case SYS_ppoll:
		if (look_add_child(look))
			break;
		/* fallthrough */
	default:
		classify_descriptors(look);
		break;
	}
}

/* In its first snapshot a thread may have just begun to wait: no conclusion yet. */
static bool stands_still(const struct snapshot *snapshot, const struct snapshot_thread *thread)
{
	return thread->call.state == PROC_IN_CALL &&
	       (thread->looks > 1 || snapshot_polls(snapshot, thread) ||
		MPSAN_TAG_KIND(snapshot_wanted(thread).tag) == MPSAN_WAIT_GIL);
}

void waits_find(struct waits *waits, struct snapshot *snapshot)
{
	wakers_begin(&waits->wakers, snapshot);
	waits->snapshot = snapshot;
	if (!waits->native)
		waits->native = native_create(snapshot->reader);
	waits->item.count = waits->who.count = 0;
	for (uint32_t i = 0; i < snapshot->threads.count; i++)
		*ARRAY_ADD(&waits->item) = (struct wait){.holder = SNAPSHOT_NONE};
	for (uint32_t i = 0; i < snapshot->threads.count; i++) {
		struct look look = {waits, snapshot, &snapshot->threads.item[i],
				    &waits->item.item[i]};

		if (stands_still(snapshot, look.thread))
			judge_call(&look);
		classify_driver(&look);
		if (look.wait->end != WAIT_NOBODY && !look.wait->count)
			look.wait->end = WAIT_OPEN;
		look.wait->serves = look_serves(&look);
	}
	for (uint32_t i = 0; i < snapshot->threads.count; i++)
		classify_circle(&(struct look){waits, snapshot, &snapshot->threads.item[i],
					       &waits->item.item[i]});
	free(waits->view);
	waits->view = NULL;
	waits->view_of = 0;
}

void waits_finish(struct waits *waits)
{
	pshared_destroy(waits->shared);
	native_destroy(waits->native);
	wakers_finish(&waits->wakers);
	free(waits->item.item);
	free(waits->who.item);
	*waits = (struct waits){0};
}
