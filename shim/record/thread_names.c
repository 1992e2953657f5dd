/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up threads' names in Python's frames and /proc/self/task/TID/comm, and records new ones. */
#include "thread_names.h"

#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "../python/python.h"
#include "log.h"
#include "modules.h"
#include "state.h"
#include "thread.h"

#define LOOK_AGAIN_NS 10000000u /* least time between two look-ups of another thread */
#define NAME_BYTES 128
#define COMM_BYTES 20

/* The kernel's name of a thread of this process; "": none. It ends with a line feed in /proc. */
static void comm_of(uint32_t tid, char *name)
{
	char path[48], *end = path + sizeof(path), *at = text_put(path, end, "/proc/self/task/");
	long n;

	at = text_put_number(at, end, tid, 10);
	text_put(at, end, "/comm");
	n = sys_read_line(path, name, COMM_BYTES);
	name[n > 0 ? n - 1 : 0] = '\0';
}

/*
 * Reads the kernel's name. A new thread has that of its creator, usually that of the process, which
 * is no information.
 */
static bool look_at_comm(uint32_t tid, char *name)
{
	char process[COMM_BYTES];

	comm_of(tid, name);
	comm_of(life.pid, process);
	if (text_equal(name, process))
		name[0] = '\0';
	return name[0];
}

static bool look(struct mpsan_thread *t, bool python)
{
	char name[NAME_BYTES];
	uint64_t position;

	if (!(python && python_thread_name(t->pthread, name, sizeof(name))) &&
	    !look_at_comm(t->tid, name) &&
	    !(python && modules_is_python(t->entry) &&
	      python_thread_function(t->pthread, name, sizeof(name))))
		return false;
	position = log_text(name);
	if (position && position != t->name_pos) {
		t->name_pos = position;
		EMIT(thread_name, .thread = t->tid, .start = t->start_ns, .name = position);
	}
	return true;
}

/*
 * Whether a name is current. Threads are named early if at all: one is looked up again when it is
 * twice as old.
 */
static bool name_is_known(const struct mpsan_thread *t, uint64_t now)
{
	uint64_t age = t->name_ns - t->start_ns;

	return t->name_ns && now - t->name_ns < (age > LOOK_AGAIN_NS ? age : LOOK_AGAIN_NS);
}

bool thread_name_look(struct mpsan_thread *t, bool python)
{
	uint64_t now = sys_now();

	if (t->tid == life.pid || (t != thread_hot && name_is_known(t, now)))
		return false;
	/* A Python thread that has just started has no frames yet: it is looked up again. */
	if (look(t, python) || !modules_is_python(t->entry))
		t->name_ns = now;
	return true;
}

void thread_name_first(void)
{
	if (thread_hot && !thread_hot->name_ns)
		thread_name_own();
}

void thread_name_own(void)
{
	struct mpsan_thread *t = thread_hot;

	if (t && t != &thread_none && log_open())
		thread_name_look(t, python_present());
}
