/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies the frames of other threads at a fork. Objects that a frame refers to outlive it in the child,
 * since nobody gives up the references of a thread that was not copied; the frames themselves lie in
 * memory that the interpreter gives back.
 */
#include "python_glance.h"

#include <sys/uio.h>

#include "../common/cpython/at_hand.h"
#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "python_self.h"

#define GLANCES 64u /* threads */
#define BEFORE 2560u /* bytes of its callers' frames, */
#define BEHIND 512u /* and of the innermost one */
#define PAGE 4096u
#define ENTRY_ADDRESS \
	8 /* bytes before the semaphore of a parked thread; see ../common/cpython/lock.c */

struct glance {
	uint64_t pthread, top, hash;
	uint64_t from; /* the copy begins with this address */
	uint64_t awaited; /* the PyMutex for which it was parked, or any word */
	uint64_t state,
		link; /* its PyThreadState, and the word of the interpreter's list that points to it */
	uint32_t tid, pid, have;
	bool whole; /* all its Python frames are in the copy */
	char bytes[BEFORE + BEHIND];
};

static struct glance glances[GLANCES];
static uint32_t used;
STATE static uint64_t
	seen; /* at the last fork of its process: a bit for each; it changes at every fork */
_Static_assert(GLANCES <= 64, "a bit each");

static bool is_seen(const struct glance *g)
{
	return seen >> (g - glances) & 1;
}

static void see(const struct glance *g)
{
	seen |= 1ull << (g - glances);
}

static char *copied(struct glance *g)
{
	return g->bytes + (g->from - (g->top - BEFORE));
}

/* ---- at a fork ---- */

void python_glances_begin(uint32_t pid)
{
	for (uint32_t i = 0; i < used; i++)
		if (glances[i].pid == pid)
			seen &= ~(1ull << i);
}

static struct glance *known(uint32_t tid, uint32_t pid)
{
	static uint32_t last; /* threads come in the same order at each fork */

	for (uint32_t i = 0; i < used; i++) {
		uint32_t at = (last + 1 + i) % used;

		if (glances[at].tid == tid && glances[at].pid == pid) {
			last = at;
			return &glances[at];
		}
	}
	return NULL;
}

/* That of the thread, or of one that is gone, or a new one. */
static struct glance *glance_of(uint32_t tid, uint32_t pid)
{
	struct glance *g = known(tid, pid);

	for (uint32_t i = 0; !g && i < used; i++)
		g = is_seen(&glances[i]) ? NULL : &glances[i];
	return g ? g : used < GLANCES ? &glances[used++] : NULL;
}

/* The part of a range that lies in one page. */
static struct iovec part(uint64_t begin, uint64_t end, uint64_t page)
{
	begin = begin > page ? begin : page;
	end = end < page + PAGE ? end : page + PAGE;
	return (struct iovec){(void *)(uintptr_t)begin, end > begin ? end - begin : 0};
}

/*
 * Reads around the innermost frame, of which only its own page must exist: the stack of frames may begin or
 * end with it.
 */
static void copy(struct glance *g)
{
	uint64_t page = g->top & ~(uint64_t)(PAGE - 1), begin = g->top - BEFORE,
		 end = g->top + BEHIND;
	struct iovec from[2], to;
	long got;

	from[0] = part(begin, end, page);
	from[1] = begin < page ? part(begin, end, page - PAGE) : part(begin, end, page + PAGE);
	g->from = begin < page ? page : begin;
	to = (struct iovec){copied(g), from[0].iov_len};
	got = sys_peek_many(&to, from, 1);
	g->have = got > 0 ? (uint32_t)got : 0;
	if (!g->have || !from[1].iov_len)
		return;
	to = (struct iovec){g->bytes + ((uint64_t)(uintptr_t)from[1].iov_base - begin),
			    from[1].iov_len};
	if (sys_peek_many(&to, &from[1], 1) != (long)from[1].iov_len)
		return;
	g->have += (uint32_t)from[1].iov_len;
	g->from = begin < page ? begin : g->from;
}

/* Whether the copy has all frames but those of C calls, which have no code. */
static bool has_all(const struct glance *g)
{
	struct frame frame;
	struct walk walk;

	walk_open(&walk, &python.py, g->top);
	while (walk_step(&walk, &frame))
		if (!frame_is_of_c(&frame) &&
		    (frame.at < g->from || frame.at + python.py.frame_bytes > g->from + g->have))
			return false;
	return !walk.next;
}

static void note_state(struct glance *g, uint64_t at)
{
	const struct cpython_layout *of = &python.py.at;
	struct state state;

	g->state = state_read(&python.py, &state, at) ? at : 0;
	g->link = state.prev ? state.prev + of->state_next : state.interp + of->interp_threads;
}

void python_glance(uint32_t pid, uint32_t tid, uint64_t pthread, uint64_t state, uint64_t semaphore,
		   const struct python_place *place)
{
	struct glance *g = place->hash ? glance_of(tid, pid) : NULL;

	if (!g)
		return;
	see(g);
	g->awaited = semaphore ? cpython_peek_word(&python.py, semaphore - ENTRY_ADDRESS) : 0;
	if (g->tid == tid && g->pid == pid && g->pthread == pthread && g->hash == place->hash)
		return;
	g->pid = pid;
	g->tid = tid;
	g->pthread = pthread;
	g->top = place->top;
	g->hash = place->hash;
	copy(g);
	g->whole = g->have && !python.py.at.cframe && has_all(g);
	note_state(g, state);
}

/* Reads all that would have changed by one system call. */
uint64_t python_glance_again(uint32_t pid, uint32_t tid, uint64_t pthread, uint64_t semaphore)
{
	static char frames[BEFORE + BEHIND]; /* of the thread that has the GIL */
	struct glance *g = known(tid, pid);
	const struct cpython *py = &python.py;
	char state[CPYTHON_STATE_BYTES];
	uint64_t link = 0, awaited = 0;
	struct iovec to[] = {{state, py->state_bytes},
			     {&link, sizeof(link)},
			     {frames, 0},
			     {&awaited, sizeof(awaited)}},
		     from[4];
	size_t count = semaphore ? 4 : 3;

	if (!g || !g->whole || !g->state || g->pthread != pthread || python.is_finalizing())
		return 0;
	to[2].iov_len = g->have;
	from[0] = (struct iovec){(void *)(uintptr_t)g->state, to[0].iov_len};
	from[1] = (struct iovec){(void *)(uintptr_t)g->link, to[1].iov_len};
	from[2] = (struct iovec){(void *)(uintptr_t)g->from, to[2].iov_len};
	from[3] = (struct iovec){(void *)(uintptr_t)(semaphore - ENTRY_ADDRESS), to[3].iov_len};
	if (sys_peek_many(to, from, count) != (long)(py->state_bytes + sizeof(link) + g->have +
						     (semaphore ? sizeof(awaited) : 0)) ||
	    link != g->state || word_at(state, py->at.state_thread_id) != pthread ||
	    word_at(state, py->at.state_frame) != g->top || memcmp(frames, copied(g), g->have) != 0)
		return 0;
	see(g);
	if (g->awaited != awaited) /* a page that is written at a fork is copied */
		g->awaited = awaited;
	return g->hash;
}

/* ---- in the child ---- */

/* Reads the copy where there is one; what lies beside it counts as empty. */
static long peek_glance(const struct cpython *py, void *to, uint64_t from, size_t bytes)
{
	const struct glance *g = &glances[py->pid];
	uint64_t begin = from > g->from ? from : g->from, end = g->from + g->have;

	if (bytes < UINT64_MAX - from && from + bytes < end)
		end = from + bytes;
	if (!g->have || begin >= end)
		return python.py.peek(py, to, from, bytes);
	memset(to, 0, bytes);
	memcpy((char *)to + (begin - from), g->bytes + (begin - (g->top - BEFORE)), end - begin);
	return (long)bytes;
}

static struct cpython view_of(const struct glance *g)
{
	struct cpython py = python.py;

	py.peek = peek_glance;
	py.pid = (int)(g - glances);
	return py;
}

static bool is_left_behind(const struct glance *g, uint32_t pid)
{
	return is_seen(g) && g->pid != pid && g->have;
}

static const struct glance *owner_of(uint64_t pthread, uint32_t pid)
{
	for (uint32_t i = 0; pthread && i < used; i++)
		if (is_left_behind(&glances[i], pid) && glances[i].pthread == pthread)
			return &glances[i];
	return NULL;
}

/*
 * The thread that waits may have taken it, in a frame around the one that waits. It surely seems to have if
 * it has called acquire(), and of the others neither has one, nor is one there to release the lock.
 */
static void seek_taker(const struct cpython_lock *lock, uint32_t pid, struct python_taker *taker)
{
	struct cpython_taker own = {0}, other;
	bool contested = false;
	struct state state;
	struct cpython py;

	if (python_own_state(&state))
		cpython_taker_around(&python.py, state.frame, lock, &own);
	taker->by = own;
	for (uint32_t i = 0; i < used; i++) {
		if (!is_left_behind(&glances[i], pid) || glances[i].awaited == lock->address)
			continue;
		py = view_of(&glances[i]);
		cpython_taker(&py, glances[i].top, lock, &other);
		contested |= other.called || other.signals;
		if (other.rank <= taker->by.rank)
			continue;
		taker->by = other;
		taker->glance = &glances[i];
	}
	taker->own = !taker->glance && own.called && !contested;
}

bool python_glance_taker(uint32_t pid, uint64_t mutex, struct python_taker *taker)
{
	struct cpython_lock lock;
	struct state own;
	bool known = used && cpython_lock_of(&python.py, mutex, &lock);
	uint64_t owner = known ? cpython_lock_owner(&python.py, &lock) :
			 used && python_own_state(&own) ?
				 cpython_file_owner(&python.py, &own, mutex) :
				 0;

	*taker = (struct python_taker){.certain = !known || lock.recursive};
	if (taker->certain)
		taker->glance = owner_of(owner, pid);
	else
		seek_taker(&lock, pid, taker);
	taker->tid = taker->glance ? taker->glance->tid : 0;
	return taker->glance || taker->own;
}

size_t python_taker_text(const struct python_taker *taker, char *text, size_t bytes)
{
	return cpython_taker_text(&python.py, &taker->by, text, bytes);
}

size_t python_glance_stack(const struct glance *g, struct walk *room, char *text, size_t bytes)
{
	struct cpython py = view_of(g);

	return cpython_stack(&py, g->top, room, text, bytes);
}

size_t python_glance_name(const struct glance *g, char *text, size_t bytes)
{
	struct cpython py = view_of(g);

	return cpython_thread_name(&py, g->top, text, bytes);
}
