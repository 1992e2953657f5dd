/* SPDX-License-Identifier: Apache-2.0 */
/* See ps.h: describes one thread, from the snapshot or from the record that it left. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/jsontext.h"
#include "../base/system_calls.h"
#include "../evidence/text_locks.h"
#include "../proc/calls.h"
#include "../proc/procfs.h"
#include "../proc/stacks/stack_copy.h"
#include "../symbols/pyview.h"
#include "../symbols/raised.h"
#include "../waits/ledger.h"
#include "ps_kind.h"

#define STACKS_MAX 1024u /* read per snapshot */
#define PYTHON_BYTES 16384u
#define LEARN_NS 10000000000ull /* until the modules of a process are read again */

/* `living`: NULL, its process has ended. */
static char *name_of(const struct ps *ps, uint32_t slot, uint32_t tid,
		     const struct snapshot_thread *living)
{
	char given[32] = "";

	if (living)
		proc_thread_name(living->pid, living->tid, given);
	return jsontext_safe(
		*given ? text_copy(given) :
			 thread_text(ps->reader, ps->judge->frames, slot, tid, ps->now_ns));
}

/* ---- stacks of the living ---- */

static void ps_thread_learn(struct ps *ps, const struct snapshot_thread *thread)
{
	uint64_t *learned_ns = &ps->learned_ns[thread->slot];

	if (*learned_ns && ps->now_ns < *learned_ns + LEARN_NS)
		return;
	*learned_ns = ps->now_ns;
	frames_learn(ps->judge->frames, thread->slot, thread->pid, ps->first_ns);
}

static json_t *native_stack(struct ps *ps, const struct fact_place *at,
			    const struct snapshot_thread *thread)
{
	AUTO_FREE struct mpsan_stack *head =
		ps->unwound < STACKS_MAX ?
			stack_copy(thread->pid, thread->tid, &thread->call, true) :
			NULL;
	json_t *stack = NULL;

	if (head) {
		ps->unwound++;
		stack = frames_unwind(ps->judge->frames, at, head);
	}
	return stack ? stack : json_array();
}

static struct pyview *open_python(struct ps *ps, const struct snapshot_thread *thread)
{
	if (ps->python_slot != thread->slot + 1) {
		if (ps->python)
			free(ps->python);
		ps->python = pyview_open((pid_t)thread->pid);
		ps->python_slot = thread->slot + 1;
	}
	return ps->python;
}

/*
 * The Python interpreter that a thread runs in, and the thread's state there; NULL: none, or
 * unreadable. A thread without a record is only identified if it is the only one.
 */
static struct pyview *python_of(struct ps *ps, const struct snapshot_thread *thread,
				uint64_t *pthread)
{
	const struct snapshot_process *process = &ps->snapshot->processes.item[thread->process];
	struct pyview *python;

	*pthread = thread->record ? thread->record->pthread : 0;
	if (thread->call.state == PROC_UNKNOWN || (!*pthread && process->end - process->begin > 1))
		return NULL;
	python = open_python(ps, thread);
	if (python && !*pthread)
		*pthread = pyview_only_thread(python);
	return *pthread ? python : NULL;
}

/* What the interpreter says of a thread; NULL: nothing. Valid until the next call. */
static const char *python_text(struct ps *ps, const struct snapshot_thread *thread,
			       size_t (*what)(struct pyview *, uint64_t, char *, size_t))
{
	static char text[PYTHON_BYTES];
	uint64_t pthread;
	struct pyview *python = python_of(ps, thread, &pthread);
	size_t length = python ? what(python, pthread, text, sizeof(text) - 1) : 0;

	text[length < sizeof(text) ? length : sizeof(text) - 1] = '\0';
	return length ? text : NULL;
}

static json_t *python_stack(struct ps *ps, const struct snapshot_thread *thread)
{
	return frames_python_text(python_text(ps, thread, pyview_stack));
}

static json_t *live_handling(struct ps *ps, const struct snapshot_thread *thread)
{
	json_t *handling = thread->call.state == PROC_RUNS ?
				   NULL :
				   raised_json(python_text(ps, thread, pyview_raised));

	return handling ? handling : json_null();
}

static char *live_name(struct ps *ps, const struct snapshot_thread *thread)
{
	char name[128], *found;
	uint64_t pthread;
	struct pyview *python = thread->tid == thread->pid ? NULL : python_of(ps, thread, &pthread);
	size_t length = python ? pyview_name(python, pthread, name, sizeof(name) - 1) : 0;
	unsigned long long interpreter = python ? pyview_interpreter(python, pthread) : 0;

	found = length && length < sizeof(name) ?
			jsontext_safe(text_format("%.*s", (int)length, name)) :
			name_of(ps, thread->slot, thread->own_tid, thread);
	if (!interpreter || !found)
		return found;
	return text_join(found, " ", text_format("(interpreter %llu)", interpreter));
}

static char *named_semaphore(const struct snapshot_thread *thread, const struct ps_wait *wait)
{
	AUTO_FREE char *name = wait->kind == MPSAN_LOCK_SEMAPHORE && wait->flags & MPSAN_LF_SHARED ?
				       proc_semaphore_name(thread->pid, wait->lock) :
				       text_copy("");

	return *name ? jsontext_safe(text_format("semaphore \"%s\"", name)) : NULL;
}

/* The program's own name of the lock that the thread waits for; NULL: unknown. */
static char *live_lock(struct ps *ps, const struct snapshot_thread *thread,
		       const struct ps_wait *wait)
{
	char name[512];
	uint64_t pthread;
	struct pyview *python = wait->lock && wait->flags & MPSAN_LF_PYTHON ?
					python_of(ps, thread, &pthread) :
					NULL;
	size_t length = python ? pyview_lock_name(python, pthread, wait->lock, false, name,
						  sizeof(name) - 1) :
				 0;

	return length && length < sizeof(name) ?
		       jsontext_safe(text_format("%.*s", (int)length, name)) :
		       named_semaphore(thread, wait);
}

/* ---- what it waits for ---- */

static void set_owner(struct ps *ps, struct ps_wait *wait, uint32_t index, bool claimed)
{
	const struct snapshot_thread *owner = &ps->snapshot->threads.item[index];

	wait->owner = owner->own_tid;
	wait->owner_slot = owner->slot;
	wait->owner_claimed = claimed;
}

void ps_each_record(const struct ps *ps, uint32_t slot,
		    void (*see)(const struct mpsan_thread *record, void *context), void *context)
{
	const struct logfile *log = ps->reader->logs[slot];
	struct mpsan_thread copy;
	const uint32_t *index;
	struct record record;

	index = log ? (const uint32_t *)(log->map + MPSAN_THREAD_INDEX) : NULL;
	for (uint32_t i = 0; index && i < MPSAN_THREADS; i++) {
		if (!index[i] || !reader_record(ps->reader, slot, (uint64_t)index[i] * MPSAN_UNIT,
						EV_thread, &record))
			continue;
		memset(&copy, 0, sizeof(copy)); /* older formats have shorter records */
		memcpy(&copy, record.payload,
		       record.bytes < sizeof(copy) ? record.bytes : sizeof(copy));
		see(&copy, context);
	}
}

struct search {
	const struct ps *ps;
	const struct ps_wait *wait;
	bool seen; /* its process was examined: only its living threads count */
	uint32_t tid, found;
};

static void compare_claims(const struct mpsan_thread *record, void *context)
{
	struct search *search = context;
	const struct ps_wait *wait = search->wait;
	uint32_t used = record->holds_used <= MPSAN_HOLDS ? record->holds_used : 0;

	if (!record->tid || record->tid == wait->at.tid ||
	    (search->seen &&
	     snapshot_find(search->ps->snapshot, wait->at.by, record->tid) == SNAPSHOT_NONE))
		return;
	for (uint32_t i = 0; i < used; i++)
		if (MPSAN_TAG_ADDRESS(record->hold[i].tag) == wait->lock &&
		    !(record->hold[i].tag & MPSAN_TAG_WANTED)) {
			search->tid = record->tid;
			search->found++;
			return;
		}
}

/* The only other thread of its process whose record claims this lock; memory is not read. */
static void add_claimant(struct ps *ps, struct ps_wait *wait)
{
	struct search search = {.ps = ps, .wait = wait};

	if (wait->owner || !wait->lock || !mpsan_kind_is_lock((unsigned)wait->kind))
		return;
	search.seen = snapshot_process(ps->snapshot, wait->at.by) != SNAPSHOT_NONE;
	ps_each_record(ps, wait->at.by, compare_claims, &search);
	if (search.found != 1)
		return;
	wait->owner = search.tid;
	wait->owner_slot = wait->at.by;
	wait->owner_claimed = true;
}

static void compare_handle(const struct mpsan_thread *record, void *context)
{
	struct search *search = context;

	if (record->tid && record->pthread == search->wait->lock)
		search->tid = record->tid;
}

/* A joined thread is identified by its handle, which is in its record. */
static void add_joined(struct ps *ps, struct ps_wait *wait)
{
	struct search search = {.wait = wait};

	if (wait->owner || wait->kind != MPSAN_WAIT_JOIN || !wait->lock)
		return;
	ps_each_record(ps, wait->at.by, compare_handle, &search);
	wait->owner = search.tid;
	wait->owner_slot = wait->at.by;
}

#define CLAIMS_MAX 4096u /* frames of threads searched for one lock after another, per snapshot */

/*
 * From outside there are no records: the only other thread of its process that is in a `with` block of the
 * Python lock. Threads that run may leave it at any time.
 */
static void add_holder(struct ps *ps, struct ps_wait *wait, const struct snapshot_thread *waiter)
{
	const struct snapshot_process *process = &ps->snapshot->processes.item[waiter->process];
	struct pyview *python;
	uint32_t found = 0, holder = 0;

	if (!ps->snapshot->outside || wait->owner || !wait->lock ||
	    !(wait->flags & MPSAN_LF_PYTHON) || ps->claims > CLAIMS_MAX)
		return;
	python = open_python(ps, waiter);
	for (uint32_t i = process->begin; python && i < process->end; i++) {
		const struct snapshot_thread *thread = &ps->snapshot->threads.item[i];
		uint64_t pthread = thread->record ? thread->record->pthread : 0;

		if (thread == waiter || !pthread || ps->claims++ > CLAIMS_MAX ||
		    !pyview_lock_in_with(python, pthread, wait->lock))
			continue;
		found++;
		holder = i;
	}
	if (found == 1)
		set_owner(ps, wait, holder, true);
}

/*
 * The library's own record is exact; otherwise only that the thread did not run between snapshots.
 */
static void add_since(struct ps *ps, struct ps_wait *wait, const struct snapshot_thread *thread,
		      const struct thread_state *state)
{
	const struct mpsan_thread *record = wait->record;

	if (record && wait->claim.tag && record->wait_ns >= record->start_ns && record->wait_ns &&
	    record->wait_ns <= ps->now_ns) {
		wait->since_ns = record->wait_ns;
	} else if (thread->looks > 1 && !procfs_source()) {
		wait->since_ns = thread->still_ns;
		if (state->asleep_ns && state->asleep_ns < wait->since_ns)
			wait->since_ns = state->asleep_ns;
		wait->at_least = true;
	}
}

static void take_claim(struct ps_wait *wait)
{
	wait->kind = MPSAN_TAG_KIND(wait->claim.tag);
	wait->lock = MPSAN_TAG_ADDRESS(wait->claim.tag);
	wait->caller = wait->claim.caller;
	wait->timed = wait->claim.tag & MPSAN_TAG_TIMED;
}

/* If memory can be read: the snapshot has the call, and the graph who could end it. */
static void take_graph(struct ps *ps, struct ps_wait *wait, uint32_t index)
{
	const struct snapshot_thread *thread = &ps->snapshot->threads.item[index];
	const struct wait *seen = &ps->waits->item.item[index];

	wait->call = call_text(thread->pid, thread->tid, &thread->call);
	if (wait->claim.tag && thread->call.number == SYS_futex)
		take_claim(wait);
	wait->timed |= wait_is_timed(seen) || call_has_limit(&thread->call);
	if (seen->kind && !(seen->kind == MPSAN_WAIT_SYSCALL && wait->kind)) {
		wait->kind = seen->kind;
		wait->lock = seen->lock;
		wait->flags = seen->flags;
		if (seen->caller)
			wait->caller = seen->caller;
	} else if (!wait->kind) {
		wait->kind = MPSAN_WAIT_SYSCALL;
		wait->lock = (uint64_t)thread->call.number;
	}
	if (seen->end == WAIT_OWNERS && seen->count)
		set_owner(ps, wait, ps->waits->who.item[seen->begin], false);
	else if (seen->holder != SNAPSHOT_NONE)
		set_owner(ps, wait, seen->holder, true);
	if (seen->end == WAIT_NOBODY) {
		wait->owner = seen->gone;
		wait->owner_slot = seen->gone_slot ? seen->gone_slot - 1 : thread->slot;
		wait->owner_gone = true;
	}
	if (ps->graph->solved.next[index] != JOB_NONE && !wait->owner)
		set_owner(ps, wait, ps->graph->solved.next[index], true);
	wait->still_ns = thread->still_ns;
	wait->for_ever = ledger_of(ps->snapshot, index)->stand.proved;
}

/* If not: the thread's own record, and its kernel wait channel, if readable. */
static void take_record(struct ps_wait *wait, const struct snapshot_thread *thread)
{
	char place[64];

	if (wait->claim.tag)
		take_claim(wait);
	if (proc_wchan(thread->pid, thread->tid, place, sizeof(place)))
		wait->call = text_format("asleep in the kernel (%s)", place);
}

static enum ps_state state_of(const struct snapshot_thread *thread, const struct ps_wait *wait,
			      const struct thread_state *kernel)
{
	char state = kernel->state;

	if (proc_state_is_stopped(state))
		return PS_STOPPED;
	if (state == 'D' && thread->call.state == PROC_RUNS)
		return PS_WAITING;
	if (thread->call.state == PROC_RUNS)
		return PS_RUNNING;
	if (wait->timed)
		return PS_SLEEPING;
	if (thread->call.state == PROC_IN_CALL || wait->for_ever)
		return PS_WAITING;
	if (state == 'R')
		return PS_RUNNING;
	return wait->claim.tag && state ? PS_WAITING : PS_UNKNOWN;
}

/* A process without a log yet does not record its locks: recognised by the interpreter's call. */
static bool is_python_lock(json_t *stack)
{
	const char *function =
		json_string_value(json_object_get(frames_first_own(stack), "function"));

	return function && !strncmp(function, "PyThread_acquire_lock", 21);
}

static char *copy_of(const char *text)
{
	return text ? text_copy(text) : NULL;
}

void ps_thread_look(struct ps *ps, uint32_t index, const struct ps_thread *before,
		    struct ps_thread *found)
{
	const struct snapshot_thread *thread = &ps->snapshot->threads.item[index];
	struct ps_wait wait = {.at = {.slot = thread->slot,
				      .by = thread->slot,
				      .tid = thread->own_tid,
				      .time_ns = ps->now_ns},
			       .claim = snapshot_wanted(thread),
			       .record = thread->record};
	const struct thread_state kernel = thread_state(thread->pid, thread->tid);

	if (!before)
		ps_thread_learn(ps, thread);
	if (thread->call.state == PROC_IN_CALL)
		take_graph(ps, &wait, index);
	else if (thread->call.state == PROC_UNKNOWN)
		take_record(&wait, thread);
	add_since(ps, &wait, thread, &kernel);
	if (thread->call.state != PROC_RUNS)
		ps_wait_events(ps, &wait);
	add_claimant(ps, &wait);
	add_joined(ps, &wait);
	if (ps_is_python(ps, &wait.at, wait.caller))
		wait.flags |= MPSAN_LF_PYTHON;
	if (thread->call.state == PROC_IN_CALL)
		add_holder(ps, &wait, thread);
	*found = (struct ps_thread){.tid = thread->own_tid,
				    .state = state_of(thread, &wait, &kernel)};
	if (thread->call.state == PROC_IN_CALL && thread->runs)
		found->still_ns = thread->still_ns;
	found->stack = before ? json_incref(before->stack) : native_stack(ps, &wait.at, thread);
	if (wait.kind == MPSAN_WAIT_FUTEX && is_python_lock(found->stack))
		wait.flags |= MPSAN_LF_PYTHON;
	found->python = before ? json_incref(before->python) : python_stack(ps, thread);
	found->name = before ? copy_of(before->name) : live_name(ps, thread);
	wait.name = found->lock = before ? copy_of(before->lock) : live_lock(ps, thread, &wait);
	found->handling = before ? json_incref(before->handling) : live_handling(ps, thread);
	found->raised = raised_text(found->handling);
	if (found->state != PS_RUNNING && (wait.kind || wait.call))
		found->waits = ps_wait_awaited(ps, &wait, found);
	found->at = ps_wait_place(ps, &wait, found);
	ps_wait_holds(ps, &wait, found);
	ps_kind_look(ps, found, index, &wait, &kernel);
	free(wait.call);
}

bool ps_thread_recall(struct ps *ps, uint32_t slot, const struct mpsan_thread *record,
		      struct ps_thread *found)
{
	uint32_t used = record->holds_used <= MPSAN_HOLDS ? record->holds_used : 0;
	uint64_t end_ns = ps->reader->session.table[slot].end_ns;
	struct ps_wait wait = {.at = {.slot = slot,
				      .by = slot,
				      .tid = record->tid,
				      .time_ns = end_ns ? end_ns : ps->now_ns},
			       .record = record};

	if (used && record->hold[used - 1].tag & MPSAN_TAG_WANTED) {
		wait.claim = record->hold[used - 1];
		take_claim(&wait);
		if (record->wait_ns >= record->start_ns)
			wait.since_ns = record->wait_ns;
	}
	ps_wait_events(ps, &wait);
	add_claimant(ps, &wait);
	add_joined(ps, &wait);
	if (ps_is_python(ps, &wait.at, wait.caller))
		wait.flags |= MPSAN_LF_PYTHON;
	*found = (struct ps_thread){.tid = record->tid, .state = PS_UNKNOWN};
	ps_wait_holds(ps, &wait, found);
	if (!wait.kind && !found->holds.count)
		return false;
	if (wait.kind) {
		found->waits = ps_wait_awaited(ps, &wait, found);
		found->at = ps_wait_place(ps, &wait, found);
	}
	found->name = name_of(ps, slot, record->tid, NULL);
	return true;
}
