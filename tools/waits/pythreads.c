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
#define STACK_LINES 64u /* which a stack has at most */

static char *pythreads_ask(const struct snapshot_thread *thread,
			   size_t (*what)(struct pyview *, uint64_t, char *, size_t))
{
	struct pyview *view = pyview_open((pid_t)thread->pid);
	char *text = memory_get(TEXT);

	if (view)
		what(view, thread->record ? thread->record->pthread : 0, text, TEXT);
	pyview_close(view);
	return text;
}

char *pythread_stack(const struct snapshot_thread *thread)
{
	return pythreads_ask(thread, pyview_stack);
}

char *pythread_lock_name(const struct snapshot_thread *thread, uint64_t lock, bool holds)
{
	struct pyview *view = pyview_open((pid_t)thread->pid);
	char *text = memory_get(TEXT);

	if (view)
		pyview_lock_name(view, thread->record ? thread->record->pthread : 0, lock, holds,
				 text, TEXT);
	pyview_close(view);
	return text;
}

char *pythread_awaited_import(const struct snapshot_thread *thread)
{
	struct pyview *view = pyview_open((pid_t)thread->pid);
	char *text = memory_get(TEXT);

	if (view && thread->record)
		pyview_awaited_import(view, thread->record->pthread, text, TEXT);
	pyview_close(view);
	return text;
}

char *pythread_taken(const struct snapshot_thread *thread, uint64_t lock)
{
	struct pyview *view = pyview_open((pid_t)thread->pid);
	char *text = memory_get(TEXT);

	if (view && thread->record)
		pyview_lock_taken(view, thread->record->pthread, lock, text, TEXT);
	pyview_close(view);
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
	struct pyview *view = mutex ? pyview_open((pid_t)waiter->pid) : NULL;
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
	pyview_close(view);
	return found;
}

char *pythread_handler(uint32_t pid, int number)
{
	struct pyview *view = pyview_open((pid_t)pid);
	char *text = memory_get(TEXT);

	if (view)
		pyview_handler(view, number, text, TEXT);
	pyview_close(view);
	return text;
}

bool pythread_enters_shared(const struct snapshot_thread *thread, uint64_t lock)
{
	struct pyview *view = pyview_open((pid_t)thread->pid);
	bool enters = view && thread->record &&
		      pyview_lock_enters_shared(view, thread->record->pthread, lock);

	pyview_close(view);
	return enters;
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
	struct pyview *view = thread->record ? pyview_open((pid_t)thread->pid) : NULL;
	unsigned long long number = view ? pyview_interpreter(view, thread->record->pthread) : 0;

	pyview_close(view);
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

/*
 * Library functions, by suffixes of their names and files; of a wait's frames the worst counts. NULL:
 * all others of that file.
 */
static const struct {
	int what;
	const char *function, *file;
} waits[] = {
	{PYTHREAD_RESULT, "result", "concurrent/futures/_base.py"},
	{PYTHREAD_RESULT, "exception", "concurrent/futures/_base.py"},
	{PYTHREAD_RESULT, "wait", "concurrent/futures/_base.py"},
	{PYTHREAD_RESULT, "as_completed", "concurrent/futures/_base.py"},
	{PYTHREAD_ANSWER, "get", "pool.py"},
	{PYTHREAD_ANSWER, "wait", "pool.py"},
	{PYTHREAD_ANSWER, "next", "pool.py"},
	{PYTHREAD_ANSWER, "join", "queue.py"},
	{PYTHREAD_ANSWER, "join", "queues.py"},
	{PYTHREAD_ANSWER, "put", "queue.py"},
	{PYTHREAD_ANSWER, "put", "queues.py"},
	{PYTHREAD_PEERS, "_wait", "threading.py"}, /* Barrier */
	{PYTHREAD_LOCK, "__enter__", "synchronize.py"},
	{PYTHREAD_ANSWER, "acquire", "asyncio/locks.py"},
	{PYTHREAD_NEWS, "wait", "asyncio/locks.py"},
	{PYTHREAD_ANSWER, "acquire", "managers.py"},
	{PYTHREAD_ANSWER, "__enter__", "managers.py"},
	{PYTHREAD_NEWS, "_callmethod", "managers.py"},
	{PYTHREAD_JOIN, "join", "threading.py"},
	{PYTHREAD_JOIN, "_wait_for_tstate_lock", "threading.py"},
	{PYTHREAD_JOIN, "_shutdown", "threading.py"},
	{PYTHREAD_JOIN, "shutdown_default_executor", "asyncio/base_events.py"},
	{PYTHREAD_NEWS, "wait", "threading.py"},
	{PYTHREAD_NEWS, "wait_for", "threading.py"},
	{PYTHREAD_PERMIT, "acquire", "threading.py"},
	{PYTHREAD_NEWS, "__enter__", "threading.py"},
	{PYTHREAD_NEWS, "get", "queue.py"},
	{PYTHREAD_NEWS, "get", "queues.py"},
	{PYTHREAD_NEWS, "wait", "synchronize.py"},
	{PYTHREAD_NEWS, "wait_for", "synchronize.py"},
	{PYTHREAD_NEWS, "_recv", "connection.py"},
	{PYTHREAD_NEWS, "_recv_bytes", "connection.py"},
	{PYTHREAD_NEWS, "recv", "connection.py"},
	{PYTHREAD_NEWS, "recv_bytes", "connection.py"},
	{PYTHREAD_NEWS, "recv", "torch/distributed/distributed_c10d.py"},
	{PYTHREAD_ANSWER, NULL, "torch/distributed/distributed_c10d.py"}, /* collectives */
};

static bool ends_with(const char *text, size_t length, const char *with)
{
	size_t bytes = strlen(with);

	return length >= bytes && !memcmp(text + length - bytes, with, bytes) &&
	       (!bytes || length == bytes || text[length - bytes - 1] == '.' ||
		text[length - bytes - 1] == '/');
}

/* PYTHREAD_UNKNOWN: a function of the program, or of another library. */
static int part_of_line(const char *line)
{
	const char *tab = strchr(line, '\t'), *end = tab ? strchr(tab + 1, '\t') : NULL;

	for (size_t i = 0; end && i < sizeof(waits) / sizeof(*waits); i++)
		if ((!waits[i].function ||
		     ends_with(line, (size_t)(tab - line), waits[i].function)) &&
		    ends_with(tab + 1, (size_t)(end - tab - 1), waits[i].file))
			return waits[i].what;
	return PYTHREAD_UNKNOWN;
}

/* From the innermost frame outwards, as long as they are the library's. */
static int part_of_stack(const char *stack)
{
	int what = PYTHREAD_UNKNOWN, part;

	while (*stack && (part = part_of_line(stack)) != PYTHREAD_UNKNOWN) {
		what = what == PYTHREAD_UNKNOWN || part < what ? part : what;
		stack = strchr(stack, '\n') ? strchr(stack, '\n') + 1 : "";
	}
	return what == PYTHREAD_LOCK ? PYTHREAD_ANSWER : what;
}

/* The last line of a stack, its outermost frame; NULL: there is none, or it may be cut off. */
static const char *outermost(const char *stack)
{
	const char *last = NULL;
	unsigned lines = 0;

	for (const char *line = stack; line && *line; lines++) {
		last = line;
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return lines < STACK_LINES ? last : NULL;
}

static bool is_function(const char *line, const char *function, const char *file)
{
	const char *tab = strchr(line, '\t'), *end = tab ? strchr(tab + 1, '\t') : NULL;

	return end && ends_with(line, (size_t)(tab - line), function) &&
	       (!file || ends_with(tab + 1, (size_t)(end - tab - 1), file));
}

/* Whether the line is a `wait` of threading.py, with or without its class. */
static bool is_threading_wait(const char *line)
{
	return is_function(line, "wait", "threading.py");
}

static bool is_event_wait(const char *stack)
{
	const char *second = strchr(stack, '\n'), *third = second ? strchr(second + 1, '\n') : NULL;

	return third && is_threading_wait(stack) && is_threading_wait(second + 1) &&
	       !is_threading_wait(third + 1);
}

bool pythread_waits_for_event(const struct snapshot_thread *thread)
{
	char *stack = pythread_stack(thread);
	bool found = is_event_wait(stack);

	free(stack);
	return found;
}

/* Whether it is the program itself, the import at its start, or waits for threads and children. */
static bool is_start(const char *line)
{
	const char *tab = strchr(line, '\t');

	return !tab || !strncmp(tab, "\t<frozen ", 9) || is_function(line, "<module>", NULL) ||
	       is_function(line, "_run_module_as_main", "runpy.py") ||
	       is_function(line, "_bootstrap", "threading.py") ||
	       is_function(line, "_shutdown", "threading.py") ||
	       is_function(line, "_exit_function", "util.py");
}

static bool has_function(const char *stack, const char *function, const char *file)
{
	for (const char *line = stack; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (is_function(line, function, file))
			return true;
	}
	return false;
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
	const char *last = thread->tid == thread->pid ? outermost(stack) : NULL;

	return last &&
	       (!is_start(last) ||
		has_function(stack, "_python_exit", "concurrent/futures/thread.py")) &&
	       runs_python(thread->pid);
}

static bool is_in_test(const char *stack)
{
	return has_function(stack, "pytest_pyfunc_call", "_pytest/python.py") ||
	       has_function(stack, "run", "unittest/case.py");
}

bool pythread_has_tasks(const struct snapshot_thread *thread)
{
	char *stack = pythread_stack(thread);
	bool found = has_function(stack, "_run_once", "asyncio/base_events.py") &&
		     !is_function(stack, "select", "selectors.py");

	free(stack);
	return found;
}

static bool runs(const struct snapshot_thread *thread, const char *function, const char *file)
{
	char *stack = pythread_stack(thread);
	bool found = has_function(stack, function, file);

	free(stack);
	return found;
}

bool pythread_serves_manager(const struct snapshot_thread *thread)
{
	return runs(thread, "serve_forever", "multiprocessing/managers.py");
}

bool pythread_shuts_down(const struct snapshot_thread *thread)
{
	return runs(thread, "_shutdown", "threading.py") ||
	       runs(thread, "shutdown_default_executor", "asyncio/base_events.py");
}

bool pythread_wants_result(const struct snapshot_thread *thread)
{
	char *stack = pythread_stack(thread);
	const char *second = strchr(stack, '\n');
	bool found = second && is_threading_wait(stack) &&
		     (is_function(second + 1, "result", "concurrent/futures/_base.py") ||
		      is_function(second + 1, "exception", "concurrent/futures/_base.py"));

	free(stack);
	return found;
}

bool pythread_awaits_shared_notify(const struct snapshot_thread *thread)
{
	char *stack = pythread_stack(thread);
	const char *second = strchr(stack, '\n');
	bool found = second && is_function(stack, "wait", "multiprocessing/synchronize.py") &&
		     !is_function(second + 1, "wait", "multiprocessing/synchronize.py");

	free(stack);
	return found;
}

bool pythread_is_timer(const struct snapshot_thread *thread)
{
	char *stack = pythread_stack(thread);
	bool found = *stack;

	for (const char *line = stack; line && *line && found; line = strchr(line, '\n')) {
		line += *line == '\n';
		found = !*line || is_function(line, "", "threading.py");
	}
	free(stack);
	return found;
}

bool pythread_feeds(const struct snapshot_thread *thread)
{
	return runs(thread, "_feed", "multiprocessing/queues.py");
}

bool pythread_in_test(const struct snapshot_thread *thread)
{
	char *stack = thread->tid == thread->pid ? pythread_stack(thread) : NULL;
	bool found = stack && is_in_test(stack);

	free(stack);
	return found;
}

/* A number for the line of the program that called threading. */
static uint64_t place_of(const char *stack)
{
	uint64_t place = 14695981039346656037ull;

	while (is_function(stack, "", "threading.py") && strchr(stack, '\n'))
		stack = strchr(stack, '\n') + 1;
	for (; *stack && *stack != '\n'; stack++)
		place = (place ^ (unsigned char)*stack) * 1099511628211ull;
	return place;
}

struct pythread_wait pythread_wait(const struct snapshot_thread *thread, uint64_t lock)
{
	struct pyview *view = pyview_open((pid_t)thread->pid);
	uint64_t pthread = thread->record ? thread->record->pthread : 0;
	struct pythread_wait wait = {.queue = CPYTHON_QUEUE_NONE};
	char *stack = memory_get(TEXT);

	if (view) {
		pyview_stack(view, pthread, stack, TEXT);
		wait.what = part_of_stack(stack);
		wait.is_python = *stack || pyview_limit(view);
		wait.at_end = is_at_end(thread, stack);
		wait.in_loop = has_function(stack, "_run_once", "asyncio/base_events.py");
		wait.of_manager = has_function(stack, "_callmethod", "managers.py");
		wait.in_test = thread->tid == thread->pid && is_in_test(stack);
		if (wait.what == PYTHREAD_UNKNOWN && awaited_of(stack).what == AWAITED_OUTPUT)
			wait.what = PYTHREAD_ANSWER;
		if (wait.what == PYTHREAD_UNKNOWN && pyview_awaits_simple(view, pthread, lock))
			wait.what = PYTHREAD_NEWS;
		wait.pool_is_short = pyview_pool_is_short(view, pthread);
		wait.queue = pyview_awaited_queue(view, pthread);
		if (pyview_awaited_monitor(view, pthread, &wait.condition, &wait.monitor))
			wait.place = place_of(stack);
		wait.joined = pyview_joined(view, pthread);
		if (wait.what == PYTHREAD_PERMIT)
			wait.semaphore = pyview_semaphore(view, pthread);
		wait.had_permits = wait.semaphore && pyview_had_permits(view, wait.semaphore);
		wait.task_count = pyview_task(view, pthread, wait.task, PYTHREAD_OBJECTS);
		if (wait.what == PYTHREAD_RESULT)
			wait.awaited_count =
				pyview_awaited(view, pthread, wait.awaited, PYTHREAD_OBJECTS);
	}
	if (wait.what == PYTHREAD_NEWS && thread->tid == thread->pid &&
	    (is_event_wait(stack) || is_function(stack, "wait", "asyncio/locks.py")))
		wait.what = PYTHREAD_EVENT;
	free(stack);
	pyview_close(view);
	return wait;
}

bool pythread_is_inside(const struct snapshot_thread *thread, uint64_t object)
{
	struct pyview *view = pyview_open((pid_t)thread->pid);
	bool inside = view &&
		      pyview_in_with_of(view, thread->record ? thread->record->pthread : 0, object);

	pyview_close(view);
	return inside;
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
	char *stack = pythread_stack(thread);
	enum cross_process_part part = cross_process_part(stack);

	free(stack);
	return part;
}

bool pythread_replaces_worker(const struct snapshot_thread *thread)
{
	char *stack = pythread_stack(thread);
	struct pyview *view =
		cross_process_replaces_worker(stack) ? pyview_open((pid_t)thread->pid) : NULL;
	bool replaces = view && thread->record &&
			pyview_pool_works_on(view, thread->record->pthread);

	pyview_close(view);
	free(stack);
	return replaces;
}
