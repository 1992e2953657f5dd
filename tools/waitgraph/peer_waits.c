/* SPDX-License-Identifier: Apache-2.0 */
/* Finds waits in which a job's processes seem to wait for each other, though somebody outside could end them. */
#include "peer_waits.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../base/system_calls.h"
#include "../proc/calls.h"
#include "../waits/pythreads.h"
#include "orphans.h"

#define BIT(number) (1ull << ((number)-1))
/* Who waits for one of these is a service, which somebody ends so. */
#define ENDS (BIT(SIGHUP) | BIT(SIGINT) | BIT(SIGQUIT) | BIT(SIGTERM))
/* Which processes send each other: SIGUSR1, SIGUSR2, and those that have no meaning of their own. */
#define SENT (BIT(SIGUSR1) | BIT(SIGUSR2) | ~(BIT(34) - 1))
#define CHILD BIT(SIGCHLD)

static struct snapshot_thread *thread_at(const struct waits *waits, uint32_t i)
{
	return &waits->snapshot->threads.item[i];
}

/* ---- signals ---- */

/* Ctrl-C raises KeyboardInterrupt in any Python program. One that has not logged anything yet does not say that it is one. */
static uint64_t keyboard(const struct waits *waits, uint32_t slot)
{
	const struct session *session = &waits->snapshot->reader->session;
	AUTO_FREE struct pyview *view =
		session->table[slot].python ? NULL : pyview_open((pid_t)session_pid(session, slot));

	return view || session->table[slot].python ? BIT(SIGINT) : 0;
}

bool peer_waits_any_serves(const struct waits *waits)
{
	const struct snapshot *snapshot = waits->snapshot;

	for (uint32_t i = 0; i < snapshot->processes.count; i++) {
		uint32_t slot = snapshot->processes.item[i].slot;

		if (session_handlers(&snapshot->reader->session, slot) & ENDS &
		    ~keyboard(waits, slot))
			return true;
	}
	return false;
}

/* Whether it waits for signals as processes send each other, and for none that ends it, or that a timer sends. */
static bool awaits_signal(const struct waits *waits, uint32_t i)
{
	const struct snapshot_thread *thread = thread_at(waits, i);
	uint64_t signals;

	if (call_has_limit(&thread->call) || !wait_is_apart(&waits->item.item[i]))
		return false;
	signals = call_signals(thread->pid, thread->tid, &thread->call);
	if (thread->call.number != SYS_rt_sigtimedwait)
		signals &= ~keyboard(waits, thread->slot);
	return signals & SENT && !(signals & ~(SENT | CHILD)) && !proc_has_timer(thread->pid);
}

static bool find_signals(struct waits *waits)
{
	bool any = false;

	if (waits->snapshot->threads.count < 2 || peer_waits_any_serves(waits))
		return false;
	for (uint32_t i = 0; i < waits->snapshot->threads.count; i++) {
		if (!awaits_signal(waits, i))
			continue;
		waits->item.item[i].kind = MPSAN_WAIT_SIGNAL;
		waits->item.item[i].lock = 0;
		waits->item.item[i].may_serve = any = true;
	}
	return any;
}

/* ---- FIFOs that nobody has opened for writing ---- */

static char *opened_fifo(const struct waits *waits, uint32_t i)
{
	const struct snapshot_thread *thread = thread_at(waits, i);

	return call_opens_fifo(thread->pid, thread->tid, &thread->call) ?
		       call_text(thread->pid, thread->tid, &thread->call) :
		       NULL;
}

/* Whether a job of its shell has failed that was to write, perhaps: nobody ever has. */
static bool lacks_writer(const struct waits *waits, uint32_t i)
{
	const struct snapshot_thread *thread = thread_at(waits, i);

	return orphans_fifo_lacks(waits->snapshot, thread) != FACT_NONE &&
	       call_fifo_is_new(thread->pid, thread->tid, &thread->call);
}

/* One alone may serve whoever opens its FIFO, or two that share one; two at different ones hardly do. */
static bool find_opened(struct waits *waits)
{
	uint32_t count = waits->snapshot->threads.count, others = 0, first = count;
	AUTO_FREE char **opened = memory_get((count + 1) * sizeof(*opened));
	bool any = false;

	for (uint32_t i = 0; i < count; i++) {
		opened[i] = opened_fifo(waits, i);
		if (opened[i] && first == count)
			first = i;
		others += opened[i] && strcmp(opened[i], opened[first]);
	}
	for (uint32_t i = 0; i < count; i++) {
		if (opened[i] && waits->item.item[i].kind != MPSAN_WAIT_FIFO &&
		    (others || lacks_writer(waits, i))) {
			waits->item.item[i].kind = MPSAN_WAIT_FIFO;
			waits->item.item[i].lock = 0;
			waits->item.item[i].may_serve = any = true;
		}
		free(opened[i]);
	}
	return any;
}

/* ---- FIFOs that are read ---- */

/* Of one process: the main thread that reads from a FIFO, and who has it open for writing. */
struct reader_of_fifo {
	uint32_t thread; /* SNAPSHOT_NONE: it does not */
	bool lacks; /* see lacks_writer() */
	ARRAY(uint32_t) writers; /* processes of the snapshot */
};

static void see_writer(uint32_t process, void *context)
{
	struct reader_of_fifo *reader = context;

	*ARRAY_ADD(&reader->writers) = process;
}

static void see_job(void *context)
{
	(void)context;
}

static void look_at_reader(struct waits *waits, uint32_t i, struct reader_of_fifo *reader)
{
	const struct snapshot_thread *thread = thread_at(waits, i);
	const struct wakers_eye eye = {see_writer, see_job, reader};
	struct pipe_id id;

	if (thread->tid != thread->pid ||
	    (thread->call.number != SYS_read && thread->call.number != SYS_readv))
		return;
	id = pipe_of(thread->tid, (int)thread->call.arg[0]);
	if (id.kind == PIPE_NAMED &&
	    wakers_of_pipe(&waits->wakers, thread, &id, PIPE_END_WRITE, &eye)) {
		reader->thread = i;
		reader->lacks = lacks_writer(waits, i);
	}
}

/* Whether each process that could write reads as well, one other at least, or nobody; `own`: it could write itself. */
static bool is_from_readers(const struct reader_of_fifo *readers, uint32_t process, bool *own)
{
	bool other = readers[process].lacks;

	*own = false;
	for (uint32_t k = 0; k < readers[process].writers.count; k++) {
		uint32_t writer = readers[process].writers.item[k];

		if (readers[writer].thread == SNAPSHOT_NONE)
			return false;
		*own |= writer == process;
		other |= writer != process;
	}
	return other;
}

static void leave_rings(struct reader_of_fifo *readers, uint32_t count)
{
	bool more = true, own;

	while (more) {
		more = false;
		for (uint32_t i = 0; i < count; i++) {
			if (readers[i].thread == SNAPSHOT_NONE || is_from_readers(readers, i, &own))
				continue;
			readers[i].thread = SNAPSHOT_NONE;
			more = true;
		}
	}
}

static void note_reader(struct wait *wait, bool own, bool lacks)
{
	wait->kind = MPSAN_WAIT_FIFO;
	wait->lock = 0;
	wait->flags |= lacks ? 0 : MPSAN_LF_READERS;
	wait->may_serve = own;
}

/* Who keeps its own FIFO open for writing, so that no end of file comes, may serve whoever writes to it. */
static bool find_readers(struct waits *waits)
{
	uint32_t count = waits->snapshot->processes.count;
	AUTO_FREE struct reader_of_fifo *readers = memory_get((count + 1) * sizeof(*readers));
	bool any = false;

	for (uint32_t i = 0; i < count; i++)
		readers[i] = (struct reader_of_fifo){.thread = SNAPSHOT_NONE};
	for (uint32_t i = 0; i < waits->snapshot->threads.count; i++)
		look_at_reader(waits, i, &readers[thread_at(waits, i)->process]);
	leave_rings(readers, count);
	for (uint32_t i = 0; i < count; i++) {
		bool own;

		if (readers[i].thread != SNAPSHOT_NONE) {
			is_from_readers(readers, i, &own);
			note_reader(&waits->item.item[readers[i].thread], own, readers[i].lacks);
			any |= own;
		}
		free(readers[i].writers.item);
	}
	return any;
}

/* ---- Unix sockets to which nobody connects ---- */

/* A loop whose coroutine waits for another one, since the only child failed, which was to connect, perhaps. */
static bool lacks_client(struct waits *waits, uint32_t index)
{
	const struct snapshot_thread *thread = thread_at(waits, index);

	return orphans_wait_lacks(waits, index) != FACT_NONE &&
	       ready_sets_find(&waits->wakers.ready, waits->snapshot, thread)->ends.listens &&
	       awaited_is_async(pythread_wait(thread, 0).frames.what);
}

static bool find_lonely(struct waits *waits)
{
	bool any = false;

	for (uint32_t i = 0; i < waits->snapshot->threads.count; i++) {
		if (!lacks_client(waits, i) || peer_waits_any_serves(waits))
			continue;
		waits->item.item[i].kind = MPSAN_WAIT_READY;
		waits->item.item[i].lock = 0;
		waits->item.item[i].may_serve = any = true;
	}
	return any;
}

/* ---- closed descriptors ---- */

/* The call still has what the descriptor stood for, and its close wakes nobody. */
static bool find_closed(struct waits *waits)
{
	bool any = false;

	for (uint32_t i = 0; i < waits->snapshot->threads.count; i++) {
		const struct snapshot_thread *thread = thread_at(waits, i);
		struct wait *wait = &waits->item.item[i];

		if (thread->call.state != PROC_IN_CALL ||
		    !call_is_on_closed(thread->tid, &thread->call))
			continue;
		wait->kind = MPSAN_WAIT_READY;
		wait->flags |= MPSAN_LF_CLOSED;
		any = true;
	}
	return any;
}

bool peer_waits_serve_hub(const struct waits *waits, uint32_t thread)
{
	const struct wait *wait = &waits->item.item[thread];

	return wait->end == WAIT_OPEN &&
	       pythread_wait(thread_at(waits, thread), wait->lock).frames.in_hub;
}

unsigned peer_waits_find(struct waits *waits)
{
	bool serve = find_signals(waits);

	serve |= find_opened(waits);
	serve |= find_readers(waits);
	serve |= find_lonely(waits);
	return (serve ? PEER_WAITS_SERVE : 0) | (find_closed(waits) ? PEER_WAITS_CLOSED : 0);
}
