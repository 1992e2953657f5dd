/* SPDX-License-Identifier: Apache-2.0 */
/* Takes snapshots of all threads of a session. */
#include "snapshot.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../proc/calls.h"
#include "../proc/namespaces.h"
#include "ledger.h"
#include "outside.h"

#define POLLS_MIN 3u /* rounds until a thread counts as polling */
#define POLLS_NS 2000000000ull
#define POLLS_SHARE 50u /* it uses at most this share of the time */
#define SAME_STACK 1024u /* bytes by which a stack may differ at the same place */

void snapshot_init(struct snapshot *snapshot, const struct reader *reader)
{
	struct rlimit limit = {.rlim_cur = 256};

	*snapshot = (struct snapshot){
		.reader = reader, .ran_ns = memory_get(reader->session.slots * sizeof(uint64_t))};
	snapshot->ledger = memory_get(sizeof(*snapshot->ledger));
	if (reader->session.head->outside)
		snapshot->outside = outside_create(reader);
	getrlimit(RLIMIT_NOFILE, &limit);
	snapshot->fds_max = limit.rlim_cur < 256   ? 0 :
			    limit.rlim_cur < 16384 ? (uint32_t)limit.rlim_cur / 2 :
						     8192;
}

static void close_kept(struct snapshot *snapshot, int *fd)
{
	if (*fd < 0)
		return;
	close(*fd);
	*fd = -1;
	snapshot->fds--;
}

static void snapshot_forget(struct snapshot *snapshot, struct snapshot_thread *thread)
{
	free(thread->outside);
	thread->outside = NULL;
	close_kept(snapshot, &thread->runs_fd);
	close_kept(snapshot, &thread->call_fd);
}

void snapshot_finish(struct snapshot *snapshot)
{
	for (uint32_t i = 0; i < snapshot->threads.count; i++)
		snapshot_forget(snapshot, &snapshot->threads.item[i]);
	free(snapshot->threads.item);
	free(snapshot->before.item);
	free(snapshot->processes.item);
	free(snapshot->pids.item);
	free(snapshot->ran_ns);
	outside_destroy(snapshot->outside);
	ledger_destroy(snapshot->ledger);
	*snapshot = (struct snapshot){0};
}

static int compare_threads(const void *one, const void *other)
{
	const struct snapshot_thread *a = one, *b = other;

	return a->slot != b->slot ? (a->slot < b->slot ? -1 : 1) :
				    (a->tid > b->tid) - (a->tid < b->tid);
}

/* Where the previous snapshot's threads, sorted by slot and TID, have this one, or would have it. */
static uint32_t place_before(const struct snapshot *snapshot, uint32_t slot, uint32_t tid)
{
	struct snapshot_thread key = {.slot = slot, .tid = tid};
	uint32_t from = 0, to = snapshot->before.count, middle;

	while (from < to) {
		middle = from + (to - from) / 2;
		if (compare_threads(&snapshot->before.item[middle], &key) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* What the previous snapshot had of a thread. */
static struct snapshot_thread *find_before(struct snapshot *snapshot, uint32_t slot, uint32_t tid)
{
	uint32_t i = place_before(snapshot, slot, tid);
	struct snapshot_thread *at = i < snapshot->before.count ? &snapshot->before.item[i] : NULL;

	return at && at->slot == slot && at->tid == tid ? at : NULL;
}

static uint64_t snapshot_later(uint64_t before_ns, uint64_t now_ns)
{
	return now_ns > before_ns ? now_ns - before_ns : 0;
}

/* CPython calls the same function through fewer frames of C once a loop has run some times. */
static bool is_same_call(const struct proc_call *one, const struct proc_call *other)
{
	uint64_t apart = one->sp > other->sp ? one->sp - other->sp : other->sp - one->sp;

	return one->number == other->number && apart <= SAME_STACK && one->pc == other->pc &&
	       (one->number != SYS_futex || one->arg[0] == other->arg[0]);
}

/* Whether a handler waits for what the wait that it interrupted was for. */
static bool is_nested(const struct proc_call *call, const struct proc_call *outer)
{
	return call->number == SYS_futex && outer->number == SYS_futex &&
	       call->arg[0] == outer->arg[0] && call->pc == outer->pc && call->sp < outer->sp;
}

/* It ran: is it back in the same call? A look that finds it running tells nothing. */
static void look_for_rounds(const struct snapshot *snapshot, struct snapshot_thread *thread)
{
	bool waits = thread->same_ns && thread->call.state == PROC_IN_CALL;
	bool same = waits && is_same_call(&thread->call, &thread->same);
	bool nested = waits && !same && is_nested(&thread->call, &thread->same);

	if (thread->call.state == PROC_RUNS && thread->same_ns)
		return;
	thread->round_ns = snapshot->now_ns;
	if (nested) {
		thread->same = thread->call;
		thread->nested = true;
	}
	if (same || nested) {
		thread->rounds++;
		return;
	}
	thread->python = (struct snapshot_python){0};
	thread->same = thread->call;
	thread->same_ns = thread->call.state == PROC_IN_CALL ? snapshot->now_ns : 0;
	thread->same_ran_ns = thread->time.ran_ns;
	thread->rounds = 0;
	thread->nested = false;
}

bool snapshot_polls(const struct snapshot *snapshot, const struct snapshot_thread *thread)
{
	uint64_t passed = snapshot->now_ns - thread->same_ns;

	return thread->same_ns && thread->rounds >= POLLS_MIN && passed >= POLLS_NS &&
	       (thread->time.ran_ns - thread->same_ran_ns) * POLLS_SHARE <= passed;
}

bool snapshot_tries(const struct snapshot *snapshot, const struct snapshot_thread *thread)
{
	return thread->tried.tag && thread->tries >= POLLS_MIN &&
	       snapshot->now_ns - thread->tried_ns >= POLLS_NS && snapshot_polls(snapshot, thread);
}

/* It ran: did it ask for the same thing again, and for nothing else, and gave up nothing that it holds? */
static void look_for_tries(const struct snapshot *snapshot, struct snapshot_thread *thread)
{
	const struct mpsan_hold *tried = thread->record ? &thread->record->tried : NULL;
	uint32_t times = tried ? MPSAN_TRIED_TIMES(tried->caller) : 0;

	if (thread->looks > 1 || thread->call.state == PROC_RUNS)
		return;
	if (tried && tried->tag == thread->tried.tag &&
	    MPSAN_TRIED_HELD(tried->tag) == thread->record->holds_used &&
	    times > MPSAN_TRIED_TIMES(thread->tried.caller)) {
		thread->tries++;
	} else {
		thread->tries = 0;
		thread->tried_ns = snapshot->now_ns;
	}
	thread->tried = tried ? *tried : (struct mpsan_hold){0};
}

/* What woke it from a call without a time limit was somebody else's progress, or its own. */
static void look_for_rest(const struct snapshot *snapshot, struct snapshot_thread *thread)
{
	if (thread->same_ns && (thread->rounds || thread->call.state == PROC_RUNS) &&
	    call_has_limit(&thread->same))
		return;
	thread->rest_ns = snapshot->now_ns;
	thread->rest_runs = thread->runs;
}

uint64_t snapshot_rests(const struct snapshot *snapshot, const struct snapshot_thread *thread)
{
	uint64_t passed = snapshot->now_ns - thread->same_ns;

	if (!thread->same_ns || !thread->runs || thread->call.state == PROC_RUNS ||
	    (thread->runs != thread->rest_runs && !thread->time.ran_ns) ||
	    (thread->time.ran_ns - thread->same_ran_ns) * POLLS_SHARE > passed)
		return UINT64_MAX;
	return thread->rest_ns;
}

uint64_t snapshot_wakes(const struct snapshot_thread *thread)
{
	return thread->runs - thread->rest_runs;
}

/* Few descriptors may be left, or none: then a file is opened each time. */
static uint64_t read_runs(struct snapshot *snapshot, struct snapshot_thread *thread,
			  struct proc_time *time)
{
	bool had = thread->runs_fd >= 0, keep = had || snapshot->fds < snapshot->fds_max;
	uint64_t runs = proc_runs(thread->pid, thread->tid, keep ? &thread->runs_fd : NULL, time);

	snapshot->fds += (uint32_t)(thread->runs_fd >= 0) - (uint32_t)had;
	return runs;
}

/* The file of a thread that moved again is kept open, too. */
static struct proc_call read_call(struct snapshot *snapshot, struct snapshot_thread *thread)
{
	bool had = thread->call_fd >= 0;
	bool keep = had ||
		    (thread->seen_ns < snapshot->now_ns && snapshot->fds < snapshot->fds_max);
	struct proc_call call = proc_call(thread->pid, thread->tid, keep ? &thread->call_fd : NULL);

	snapshot->fds += (uint32_t)(thread->call_fd >= 0) - (uint32_t)had;
	return call;
}

/* Whether its run count need not be read if its process's processor time shows that it has not run. */
static bool may_rest(const struct snapshot_thread *thread)
{
	return thread->runs && thread->time.ran_ns && thread->call.state == PROC_IN_CALL;
}

/* Reads the run count first: what is read afterwards is valid while the count stays the same. */
static void snapshot_look_at(struct snapshot *snapshot, struct snapshot_thread *thread, bool rests)
{
	struct proc_time before = thread->time;
	uint64_t runs = thread->runs;

	if (thread->reading.runs) {
		runs = thread->reading.runs;
		thread->time = thread->reading.time;
	} else if (!rests || !may_rest(thread)) {
		runs = read_runs(snapshot, thread, &thread->time);
	}
	thread->reading = (struct snapshot_reading){0};
	thread->lately =
		(struct proc_time){snapshot_later(before.ran_ns, thread->time.ran_ns),
				   snapshot_later(before.waited_ns, thread->time.waited_ns)};
	if (!thread->seen_ns) {
		thread->seen_ns = snapshot->now_ns;
		thread->seen_runs = runs;
		thread->seen_time = thread->time;
	}
	if (runs && runs == thread->runs && thread->call.state == PROC_IN_CALL) {
		thread->looks++;
		return;
	}
	thread->runs = runs;
	thread->looks = 1;
	thread->object = (struct snapshot_object){0};
	thread->blocks = (struct snapshot_blocks){0};
	thread->once = (struct snapshot_once){0};
	thread->still_ns = snapshot->now_ns;
	thread->call = read_call(snapshot, thread);
	look_for_rounds(snapshot, thread);
	look_for_rest(snapshot, thread);
}

bool snapshot_has_moved(const struct snapshot_thread *thread)
{
	char state = proc_stat(thread->pid, thread->tid).state;
	struct proc_time time;

	return !state || state == 'R' ||
	       (thread->runs && proc_runs(thread->pid, thread->tid, NULL, &time) != thread->runs);
}

/* 0: it has ended. */
static uint32_t own_tid(const struct snapshot *snapshot, const struct snapshot_thread *thread)
{
	return elsewhere_is(&snapshot->reader->session.table[thread->slot]) ?
		       namespace_own_tid(thread->pid, thread->tid) :
		       thread->tid;
}

struct seeing {
	struct snapshot *snapshot;
	uint32_t slot, pid, begin;
	uint64_t passed_ns; /* processor time since the previous snapshot; UINT64_MAX: not known */
	bool rest; /* threads without a reading have not run since then */
};

/* What it waits for is read when it has stood still since the last snapshot. */
static void look_from_outside(struct snapshot *snapshot, struct snapshot_thread *thread)
{
	thread->outside = thread->outside ?: outside_record(thread);
	if (!thread->outside->pthread) /* it had just begun */
		thread->outside->pthread = outside_descriptor(thread->pid, thread->tid);
	if (thread->looks == 2)
		outside_note_alarms(snapshot->outside, snapshot->now_ns);
	if (thread->looks == 1)
		thread->outside->holds_used = 0;
	if (thread->looks == 1 && snapshot->reader->session.table[thread->slot].python)
		outside_claim_gil(snapshot->outside, thread, thread->outside);
	else if (thread->looks == 2 && thread->call.number == SYS_futex)
		outside_claim(snapshot->outside, thread, thread->outside);
	thread->record = thread->outside;
}

static void see_thread(uint32_t tid, void *context)
{
	const struct seeing *seeing = context;
	struct snapshot *snapshot = seeing->snapshot;
	struct snapshot_thread *before = find_before(snapshot, seeing->slot, tid);
	struct snapshot_thread *thread = ARRAY_ADD(&snapshot->threads);

	*thread = (struct snapshot_thread){
		.slot = seeing->slot, .pid = seeing->pid, .tid = tid, .runs_fd = -1, .call_fd = -1};
	if (before) {
		*thread = *before;
		before->runs_fd = before->call_fd = -1;
		before->outside = NULL;
	}
	if (!thread->own_tid)
		thread->own_tid = own_tid(snapshot, thread);
	thread->process = snapshot->processes.count;
	snapshot_look_at(snapshot, thread, seeing->rest);
	if (snapshot->outside)
		look_from_outside(snapshot, thread);
	else
		thread->record = threads_record(snapshot->reader, thread->slot, thread->own_tid);
	look_for_tries(snapshot, thread);
	if (thread->call.state == PROC_ENDED ||
	    (!thread->runs && !proc_thread_alive(thread->pid, thread->tid))) {
		snapshot_forget(snapshot, thread);
		snapshot->threads.count--;
	}
}

static void see_new_thread(uint32_t tid, void *context)
{
	const struct seeing *seeing = context;

	for (uint32_t i = seeing->begin; i < seeing->snapshot->threads.count; i++)
		if (seeing->snapshot->threads.item[i].tid == tid)
			return;
	see_thread(tid, context);
}

/*
 * Whether those that moved before the previous snapshot account for all processor time since: then no other thread ran, and
 * none has ended. A process that rests is not looked at further.
 */
static bool accounts_for_all(struct seeing *seeing, uint32_t first, uint32_t end)
{
	uint64_t left_ns = seeing->passed_ns;

	for (uint32_t i = first; left_ns && left_ns != UINT64_MAX && i < end; i++) {
		struct snapshot_thread *thread = &seeing->snapshot->before.item[i];
		struct snapshot_reading *reading = &thread->reading;

		if (thread->looks > 1)
			continue;
		reading->runs = read_runs(seeing->snapshot, thread, &reading->time);
		left_ns -= reading->time.ran_ns - thread->time.ran_ns;
	}
	return !left_ns;
}

/* Looks at the threads that were there, the main one first; false: they are not all, or not known to be. */
static bool see_same_threads(struct seeing *seeing)
{
	struct snapshot *snapshot = seeing->snapshot;
	uint32_t first = place_before(snapshot, seeing->slot, 0), tid;
	uint32_t end = place_before(snapshot, seeing->slot + 1, 0);

	if (!find_before(snapshot, seeing->slot, seeing->pid))
		return false;
	seeing->rest = accounts_for_all(seeing, first, end);
	if (seeing->passed_ns && proc_thread_count(seeing->pid) != end - first)
		return false; /* one that has begun may not have run yet */
	see_thread(seeing->pid, seeing);
	for (uint32_t i = first; i < end; i++)
		if ((tid = snapshot->before.item[i].tid) != seeing->pid)
			see_thread(tid, seeing);
	return snapshot->threads.count - seeing->begin == end - first;
}

static void see_process(struct snapshot *snapshot, uint32_t slot)
{
	uint32_t pid = session_pid(&snapshot->reader->session, slot),
		 begin = snapshot->threads.count;
	uint64_t ran_ns = pid ? proc_ran_ns(pid) : 0, before_ns = snapshot->ran_ns[slot];
	struct seeing seeing = {
		.snapshot = snapshot,
		.slot = slot,
		.pid = pid,
		.begin = begin,
		.passed_ns = ran_ns && before_ns ? ran_ns - before_ns : UINT64_MAX,
	};

	snapshot->ran_ns[slot] = ran_ns;
	if (pid && !see_same_threads(&seeing))
		proc_threads(pid, begin == snapshot->threads.count ? see_thread : see_new_thread,
			     &seeing);
	if (begin == snapshot->threads.count)
		return;
	*ARRAY_ADD(&snapshot->pids) = (struct snapshot_pid){pid, snapshot->processes.count};
	*ARRAY_ADD(&snapshot->processes) =
		(struct snapshot_process){slot, pid, begin, snapshot->threads.count};
}

static int compare_pids(const void *a, const void *b)
{
	const struct snapshot_pid *one = a, *other = b;

	return (one->pid > other->pid) - (one->pid < other->pid);
}

/* Keeps the previous snapshot's threads, sorted, and makes room for new ones. */
static void turn_page(struct snapshot *snapshot)
{
	__typeof__(snapshot->before) empty = snapshot->before;

	memcpy(&snapshot->before, &snapshot->threads, sizeof(empty));
	memcpy(&snapshot->threads, &empty, sizeof(empty));
	snapshot->threads.count = snapshot->processes.count = 0;
	snapshot->pids.count = 0;
	if (snapshot->before.count)
		qsort(snapshot->before.item, snapshot->before.count, sizeof(struct snapshot_thread),
		      compare_threads);
}

void snapshot_take(struct snapshot *snapshot, uint64_t now_ns)
{
	const struct reader *reader = snapshot->reader;

	snapshot->passed_ns = snapshot->now_ns ? now_ns - snapshot->now_ns : 0;
	snapshot->now_ns = now_ns;
	turn_page(snapshot);
	kept_begin();
	READER_EACH_SLOT(reader, slot) {
		const struct mpsan_process *process = &reader->session.table[slot];

		if (process->pid && !reader->processes[slot].gone &&
		    !(process->flags & MPSAN_PROCESS_REPLACED))
			see_process(snapshot, slot);
	}
	if (snapshot->pids.count)
		qsort(snapshot->pids.item, snapshot->pids.count, sizeof(struct snapshot_pid),
		      compare_pids);
	for (uint32_t i = 0; i < snapshot->before.count; i++)
		snapshot_forget(snapshot, &snapshot->before.item[i]);
	ledger_follow(snapshot);
	kept_begin(); /* what is kept from here on was read after all run counts */
}

uint32_t snapshot_process(const struct snapshot *snapshot, uint32_t slot)
{
	for (uint32_t i = 0; i < snapshot->processes.count; i++)
		if (snapshot->processes.item[i].slot == slot)
			return i;
	return SNAPSHOT_NONE;
}

uint32_t snapshot_process_of_pid(const struct snapshot *snapshot, uint32_t pid)
{
	const struct snapshot_pid key = {.pid = pid};
	const struct snapshot_pid *found =
		snapshot->pids.count ? bsearch(&key, snapshot->pids.item, snapshot->pids.count,
					       sizeof(key), compare_pids) :
				       NULL;

	return found ? found->process : SNAPSHOT_NONE;
}

uint32_t snapshot_find(const struct snapshot *snapshot, uint32_t slot, uint32_t own_tid)
{
	uint32_t at = snapshot_process(snapshot, slot);

	for (uint32_t i = at == SNAPSHOT_NONE ? 0 : snapshot->processes.item[at].begin;
	     at != SNAPSHOT_NONE && i < snapshot->processes.item[at].end; i++)
		if (snapshot->threads.item[i].own_tid == own_tid)
			return i;
	return SNAPSHOT_NONE;
}

uint32_t snapshot_find_tid(const struct snapshot *snapshot, const struct snapshot_thread *by,
			   uint32_t own_tid)
{
	const struct mpsan_process *table = snapshot->reader->session.table;

	for (uint32_t i = 0; i < snapshot->threads.count; i++)
		if (snapshot->threads.item[i].own_tid == own_tid &&
		    table[snapshot->threads.item[i].slot].pid_ns == table[by->slot].pid_ns)
			return i;
	return SNAPSHOT_NONE;
}
