/* See pythreads.h. */
#include "pythreads.h"

#include <stdlib.h>
#include <string.h>

#include "pyview.h"

#define TEXT 16384u

static char *ask(const struct census_thread *thread,
		 size_t (*what)(struct pyview *, uint64_t, char *, size_t))
{
	struct pyview *view = pyview_open((pid_t)thread->pid);
	char *text = memory_get(TEXT);

	if (view)
		what(view, thread->record ? thread->record->pthread : 0, text, TEXT);
	pyview_close(view);
	return text;
}

char *pythread_stack(const struct census_thread *thread)
{
	return ask(thread, pyview_stack);
}

bool pythread_is_code(uint32_t pid, uint64_t code)
{
	struct proc_mapping mapping;
	const char *base;

	if (!code || !proc_mapping(pid, code, &mapping))
		return false;
	base = path_base(mapping.path);
	return !strncmp(base, "python3", 7) || !strncmp(base, "libpython3", 10) ||
	       !strncmp(base, "_multiprocessing", 16);
}

char *pythread_name(const struct census_thread *thread)
{
	char *name = ask(thread, pyview_name);

	if (!*name)
		proc_thread_name(thread->pid, thread->tid, name);
	if (!*name && thread->record && pythread_is_code(thread->pid, thread->record->entry)) {
		free(name);
		name = ask(thread, pyview_function);
	}
	return name;
}

/* The line is of threading.py, in a function of that name, with its class or without. */
static bool is_threading_wait(const char *line)
{
	const char *tab = strchr(line, '\t'), *end = tab ? strchr(tab + 1, '\t') : NULL;
	size_t length = tab ? (size_t)(tab - line) : 0;

	return end && length >= 4 && !memcmp(tab - 4, "wait", 4) &&
	       (length == 4 || tab[-5] == '.') && end - tab > 12 &&
	       !memcmp(end - 12, "threading.py", 12);
}

bool pythread_waits_for_event(const struct census_thread *thread)
{
	char *stack = pythread_stack(thread), *second = strchr(stack, '\n'),
	     *third = second ? strchr(second + 1, '\n') : NULL;
	bool found = third && is_threading_wait(stack) && is_threading_wait(second + 1) &&
		     !is_threading_wait(third + 1);

	free(stack);
	return found;
}

enum cross_part pythread_part(const struct census_thread *thread)
{
	char *stack = pythread_stack(thread);
	enum cross_part part = cross_part(stack);

	free(stack);
	return part;
}
