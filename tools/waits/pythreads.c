/* SPDX-License-Identifier: Apache-2.0 */
/* Classifies Python waits by their frames. */
#include "pythreads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../facts/awaited.h"
#include "../proc/procfs.h"

#define TEXT 16384u
#define STACK_FRAMES 64u /* which a stack has at most: more are cut off */

static char *pythreads_ask(const struct snapshot_thread *thread,
			   size_t (*what)(struct pyview *, uint64_t, char *, size_t))
{
	AUTO_FREE struct pyview *view = pyview_open((pid_t)thread->pid);
	char *text = memory_get(TEXT);

	if (view)
		what(view, thread->record ? thread->record->pthread : 0, text, TEXT);
	return text;
}

char *pythread_stack(const struct snapshot_thread *thread)
{
	return pythreads_ask(thread, pyview_stack);
}

char *pythread_raised(const struct snapshot_thread *thread)
{
	return pythreads_ask(thread, pyview_raised);
}

uint64_t pythread_cleans(const struct snapshot_thread *thread)
{
	AUTO_FREE struct pyview *view = pyview_open((pid_t)thread->pid);

	return view ? pyview_cleans(view, thread->record ? thread->record->pthread : 0) : 0;
}

struct pyspin pythread_spins(const struct snapshot_thread *thread)
{
	AUTO_FREE struct pyview *view = pyview_open((pid_t)thread->pid);
	uint64_t pthread = thread->record ? thread->record->pthread : 0;

	return view ? pyview_spins(view, pthread) : (struct pyspin){0};
}

uint64_t pythread_gil_switches(const struct snapshot_thread *thread, uint64_t condition)
{
	AUTO_FREE struct pyview *view = pyview_open((pid_t)thread->pid);
	uint64_t pthread = thread->record ? thread->record->pthread : 0;

	return view && pthread ? pyview_gil_switches(view, pthread, condition) : 0;
}

char *pythread_lock_name(const struct snapshot_thread *thread, uint64_t lock, bool holds)
{
	AUTO_FREE struct pyview *view = pyview_open((pid_t)thread->pid);
	char *text = memory_get(TEXT);

	if (view)
		pyview_lock_name(view, thread->record ? thread->record->pthread : 0, lock, holds,
				 text, TEXT);
	return text;
}

char *pythread_awaited_import(const struct snapshot_thread *thread)
{
	AUTO_FREE struct pyview *view = pyview_open((pid_t)thread->pid);
	char *text = memory_get(TEXT);

	if (view && thread->record)
		pyview_awaited_import(view, thread->record->pthread, text, TEXT);
	return text;
}

char *pythread_taken(const struct snapshot_thread *thread, uint64_t lock)
{
	AUTO_FREE struct pyview *view = pyview_open((pid_t)thread->pid);
	char *text = memory_get(TEXT);

	if (view && thread->record)
		pyview_lock_taken(view, thread->record->pthread, lock, text, TEXT);
	return text;
}

static bool awaits_mutex(const struct snapshot_thread *thread, uint64_t mutex)
{
	return thread->python.known && thread->python.mutex == mutex;
}

uint32_t pythread_taker(const struct snapshot *snapshot, const struct snapshot_thread *waiter)
{
	const struct snapshot_process *process = &snapshot->processes.item[waiter->process];
	uint64_t mutex = waiter->python.known ? waiter->python.mutex : 0;
	AUTO_FREE struct pyview *view = mutex ? pyview_open((pid_t)waiter->pid) : NULL;
	uint32_t found = SNAPSHOT_NONE;
	unsigned best, rank;

	if (!view || !waiter->record)
		return SNAPSHOT_NONE;
	best = pyview_taker(view, waiter->record->pthread, mutex, true).rank;
	for (uint32_t i = process->begin; i < process->end; i++) {
		const struct snapshot_thread *thread = &snapshot->threads.item[i];

		if (thread == waiter || !thread->record || awaits_mutex(thread, mutex))
			continue;
		rank = pyview_taker(view, thread->record->pthread, mutex, false).rank;
		found = rank > best ? i : found;
		best = rank > best ? rank : best;
	}
	return found;
}

char *pythread_handler(uint32_t pid, int number)
{
	AUTO_FREE struct pyview *view = pyview_open((pid_t)pid);
	char *text = memory_get(TEXT);

	if (view)
		pyview_handler(view, number, text, TEXT);
	return text;
}

uint64_t pythread_handles(const struct snapshot_thread *thread, uint64_t signals)
{
	AUTO_FREE struct pyview *view = thread->record ? pyview_open((pid_t)thread->pid) : NULL;

	return view ? pyview_handles(view, thread->record->pthread, signals) : 0;
}

bool pythread_enters_shared(const struct snapshot_thread *thread, uint64_t lock)
{
	AUTO_FREE struct pyview *view = pyview_open((pid_t)thread->pid);

	return view && thread->record &&
	       pyview_lock_enters_shared(view, thread->record->pthread, lock);
}

bool pythread_names_release(const struct snapshot_thread *thread)
{
	AUTO_FREE struct pyview *view = thread->record ? pyview_open((pid_t)thread->pid) : NULL;

	return view && pyview_names_release(view, thread->record->pthread);
}

bool pythread_is_code(uint32_t pid, uint64_t code)
{
	struct proc_mapping mapping;
	const char *base;

	if (!code || !proc_mapping_lately(pid, code, &mapping))
		return false;
	base = path_base(mapping.path);
	return !strncmp(base, "python3", 7) || !strncmp(base, "libpython3", 10) ||
	       !strncmp(base, "_multiprocessing", 16);
}

static unsigned long long interpreter_of(const struct snapshot_thread *thread)
{
	AUTO_FREE struct pyview *view = thread->record ? pyview_open((pid_t)thread->pid) : NULL;
	unsigned long long number = view ? pyview_interpreter(view, thread->record->pthread) : 0;

	return number;
}

char *pythread_name(const struct snapshot_thread *thread)
{
	unsigned long long interpreter = interpreter_of(thread);
	char *name = pythreads_ask(thread, pyview_name);

	if (!*name)
		proc_thread_name(thread->pid, thread->tid, name);
	if (!*name && thread->record && pythread_is_code(thread->pid, thread->record->entry)) {
		free(name);
		name = pythreads_ask(thread, pyview_function);
	}
	if (*name && interpreter)
		snprintf(name + strlen(name), TEXT - strlen(name), " (interpreter %llu)",
			 interpreter);
	return name;
}

/* Event.wait is two waits of threading, one in the other. */
bool pythread_waits_for_event(const struct snapshot_thread *thread)
{
	AUTO_FREE char *stack = pythread_stack(thread);
	const char *text = stack;
	struct pyframe frame;
	unsigned waits = 0;
	bool more;

	while ((more = pyframe_next(&text, &frame)) && pyframe_is(&frame, "wait", "threading.py"))
		waits++;
	return more && waits == 2;
}

/* Whether it is the program itself, the import at its start, a hub of gevent, or waits for threads and children. */
static bool is_start(const struct pyframe *frame)
{
	return (frame->file.length > 8 && !memcmp(frame->file.text, "<frozen ", 8)) ||
	       pytext_is(frame->function, "<module>") ||
	       pyframe_is(frame, "_run_module_as_main", "runpy.py") ||
	       pyframe_is(frame, "_bootstrap", "threading.py") ||
	       pyframe_is(frame, "run", "gevent/hub.py") ||
	       pyframe_is(frame, "_shutdown", "threading.py") ||
	       pyframe_is(frame, "_exit_function", "util.py");
}

/* Whether the outermost frame is known, and is no start. */
static bool is_called_back(const char *stack)
{
	struct pyframe frame;
	unsigned frames = 0;

	while (pyframe_next(&stack, &frame))
		frames++;
	return frames && frames < STACK_FRAMES && !is_start(&frame);
}

/* Another program with an interpreter in it calls what it likes. */
static bool runs_python(uint32_t pid)
{
	char target[256];

	procfs_link(target, sizeof(target), "%u/exe", pid);
	return !strncmp(path_base(target), "python", 6);
}

static bool is_at_end(const struct snapshot_thread *thread, const char *stack)
{
	return thread->tid == thread->pid &&
	       (is_called_back(stack) ||
		pyframe_among(stack, "_python_exit", "concurrent/futures/thread.py")) &&
	       runs_python(thread->pid);
}

static bool is_in_test(const struct snapshot_thread *thread, const char *stack)
{
	return thread->tid == thread->pid &&
	       (pyframe_among(stack, "pytest_pyfunc_call", "_pytest/python.py") ||
		pyframe_among(stack, "run", "unittest/case.py"));
}

bool pythread_runs(const struct snapshot_thread *thread, const char *function, const char *file)
{
	AUTO_FREE char *stack = pythread_stack(thread);

	return pyframe_among(stack, function, file);
}

bool pythread_is_legible(const struct snapshot_thread *thread)
{
	AUTO_FREE struct pyview *view = thread->record ? pyview_open((pid_t)thread->pid) : NULL;

	return thread->tid == thread->pid ||
	       (view && pyview_is_foreign(view, thread->record->pthread)) ||
	       pythread_runs(thread, "_bootstrap", "threading.py");
}

bool pythread_has_tasks(const struct snapshot_thread *thread)
{
	AUTO_FREE char *stack = pythread_stack(thread);
	const char *text = stack;
	struct pyframe inmost;

	return (pyframe_among(stack, "_run_once", "asyncio/base_events.py") ||
		pyframe_among(stack, "run", "asyncio/runners.py") ||
		pyframe_among(stack, "run", "gevent/hub.py")) &&
	       pyframe_next(&text, &inmost) && !pyframe_is(&inmost, "select", "selectors.py") &&
	       !pyframe_is(&inmost, "run", "asyncio/runners.py") &&
	       !pyframe_is(&inmost, "run", "gevent/hub.py");
}

bool pythread_loop_consumes(const struct snapshot_thread *thread)
{
	AUTO_FREE char *stack = pythread_stack(thread);
	struct awaited_frames frames = awaited_of(stack);

	return frames.what == AWAITED_ASYNC_ITEM || (frames.in_hub && frames.what != AWAITED_EVENT);
}

enum pytasks_fault pythread_loop_fault(const struct snapshot_thread *thread)
{
	AUTO_FREE struct pyview *view = pyview_open((pid_t)thread->pid);
	uint64_t pthread = thread->record ? thread->record->pthread : 0;

	return view ? pyview_loop_fault(view, pthread) : PYTASKS_NONE;
}

bool pythread_loop_lacks(const struct snapshot_thread *thread)
{
	AUTO_FREE struct pyview *view = pyview_open((pid_t)thread->pid);
	AUTO_FREE char *stack = pythread_stack(thread);
	uint64_t pthread = thread->record ? thread->record->pthread : 0;

	return view && pyview_loop_lacks(view, pthread, awaited_of(stack).what == AWAITED_LOOP);
}

bool pythread_is_queued_for(const struct snapshot_thread *thread)
{
	AUTO_FREE struct pyview *view = pyview_open((pid_t)thread->pid);

	return view && thread->record && pyview_pool_is_queued(view, thread->record->pthread);
}

bool pythread_lacks_item(const struct snapshot_thread *thread)
{
	AUTO_FREE struct pyview *view = pyview_open((pid_t)thread->pid);

	return view && thread->record && pyview_queue_lacks(view, thread->record->pthread);
}

bool pythread_wants_result(const struct snapshot_thread *thread)
{
	AUTO_FREE char *stack = pythread_stack(thread);

	return awaited_of(stack).what == AWAITED_RESULT;
}

bool pythread_awaits_shared_notify(const struct snapshot_thread *thread)
{
	AUTO_FREE char *stack = pythread_stack(thread);
	const char *text = stack;
	struct pyframe frame;

	return pyframe_next(&text, &frame) &&
	       pyframe_is(&frame, "wait", "multiprocessing/synchronize.py") &&
	       pyframe_next(&text, &frame) &&
	       !pyframe_is(&frame, "wait", "multiprocessing/synchronize.py");
}

bool pythread_is_timer(const struct snapshot_thread *thread)
{
	AUTO_FREE char *stack = pythread_stack(thread);
	const char *text = stack;
	struct pyframe frame;
	bool found = *stack;

	while (found && pyframe_next(&text, &frame))
		found = pyframe_in(&frame, "threading.py");
	return found;
}

bool pythread_in_test(const struct snapshot_thread *thread)
{
	AUTO_FREE char *stack = thread->tid == thread->pid ? pythread_stack(thread) : NULL;

	return is_in_test(thread, stack);
}

/* A number for the line of the program that called threading. */
static uint64_t place_of(const char *stack)
{
	uint64_t place = 14695981039346656037ull;
	const char *line = stack, *text = stack;
	struct pyframe frame;

	while (pyframe_next(&text, &frame) && pyframe_in(&frame, "threading.py"))
		line = text;
	for (; *line && *line != '\n'; line++)
		place = (place ^ (unsigned char)*line) * 1099511628211ull;
	return place;
}

struct pythread_wait pythread_wait(const struct snapshot_thread *thread, uint64_t lock)
{
	AUTO_FREE struct pyview *view = pyview_open((pid_t)thread->pid);
	uint64_t pthread = thread->record ? thread->record->pthread : 0;
	struct pythread_wait wait = {.queue = CPYTHON_QUEUE_NONE};
	AUTO_FREE char *stack = memory_get(TEXT);

	if (view) {
		pyview_stack(view, pthread, stack, TEXT);
		wait.frames = awaited_of(stack);
		wait.is_python = *stack || pyview_limit(view);
		wait.at_end = is_at_end(thread, stack);
		wait.in_loop = pyframe_among(stack, "_run_once", "asyncio/base_events.py");
		wait.of_manager = pyframe_among(stack, "_callmethod", "managers.py");
		wait.in_test = is_in_test(thread, stack);
		if (!wait.frames.meant && pyview_awaits_simple(view, pthread, lock))
			wait.frames.meant = PARKED_IDLE;
		wait.pool_is_short = pyview_pool_is_short(view, pthread);
		wait.queue = pyview_awaited_queue(view, pthread);
		if (pyview_awaited_monitor(view, pthread, &wait.condition, &wait.monitor))
			wait.place = place_of(stack);
		wait.joined = pyview_joined(view, pthread);
		if (wait.frames.what == AWAITED_PERMIT)
			wait.semaphore = pyview_semaphore(view, pthread);
		wait.had_permits = wait.semaphore && pyview_had_permits(view, wait.semaphore);
		wait.task_count = pyview_task(view, pthread, wait.task, PYTHREAD_OBJECTS);
		if (awaited_is_result(wait.frames))
			wait.awaited_count =
				pyview_awaited(view, pthread, wait.awaited, PYTHREAD_OBJECTS);
	}
	return wait;
}

bool pythread_is_inside(const struct snapshot_thread *thread, uint64_t object)
{
	AUTO_FREE struct pyview *view = pyview_open((pid_t)thread->pid);

	return view &&
	       pyview_in_with_of(view, thread->record ? thread->record->pthread : 0, object);
}

bool pythread_awaits(const struct pythread_wait *wait, const struct pythread_wait *of)
{
	for (unsigned i = 0; i < wait->awaited_count; i++)
		for (unsigned k = 0; wait->awaited[i] && k < of->task_count; k++)
			if (wait->awaited[i] == of->task[k])
				return true;
	return false;
}

enum cross_process_part pythread_part(const struct snapshot_thread *thread)
{
	AUTO_FREE char *stack = pythread_stack(thread);

	return cross_process_part(stack);
}

bool pythread_replaces_worker(const struct snapshot_thread *thread)
{
	AUTO_FREE char *stack = pythread_stack(thread);
	AUTO_FREE struct pyview *view =
		cross_process_replaces_worker(stack) ? pyview_open((pid_t)thread->pid) : NULL;

	return view && thread->record && pyview_pool_works_on(view, thread->record->pthread);
}
