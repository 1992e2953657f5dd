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
#define AT_ONCE 8u
#define PARTS 4u
#define ENTRY_ADDRESS \
	8 /* bytes before the semaphore of a parked thread; see ../common/cpython/lock.c */

struct glance {
	uint64_t pthread, top, hash;
	uint64_t from; /* the copy begins with this address */
	uint64_t semaphore; /* that it waited for; 0: none */
	uint64_t awaited; /* the PyMutex for which it was parked, or any word */
	uint64_t state,
		link; /* its PyThreadState, and the word of the interpreter's list that points to it */
	uint32_t tid, pid, have;
	bool whole; /* all its Python frames are in the copy, and what names the locks that it is inside of */
	struct python_inside inside;
	char bytes[BEFORE + BEHIND];
};

static struct glance glances[GLANCES] LARGE;
static uint32_t used;
/* At the last fork of its process, a bit for each; they change at every fork. */
STATE static uint64_t seen;
STATE static uint64_t looked; /* read again, */
STATE static uint64_t still; /* and as it was */
_Static_assert(GLANCES <= 64, "a bit each");

static uint64_t bit_of(const struct glance *g)
{
	return 1ull << (g - glances);
}

static bool is_in(uint64_t set, const struct glance *g)
{
	return set & bit_of(g);
}

static void see(const struct glance *g)
{
	seen |= bit_of(g);
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
	looked = still = 0;
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
		g = is_in(seen, &glances[i]) ? NULL : &glances[i];
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

/*
 * Where the frames in the copy begin; 0: it lacks one. Those of C calls, which have no code, are not
 * meant.
 */
static uint64_t first_of_all(const struct glance *g)
{
	uint64_t first = g->top;
	struct frame frame;
	struct walk walk;

	walk_open(&walk, &python.py, g->top);
	while (walk_step(&walk, &frame)) {
		if (frame_is_of_c(&frame))
			continue;
		if (frame.at < g->from || frame.at + python.py.frame_bytes > g->from + g->have)
			return 0;
		first = frame.at < first ? frame.at : first;
	}
	return walk.next ? 0 : first;
}

/* Leaves out what lies before the frames. */
static void settle_whole(struct glance *g)
{
	uint64_t first = 0;

	if (g->have && !python.py.at.cframe && g->inside.count <= PYTHON_INSIDE &&
	    g->inside.end <= g->from + g->have)
		first = first_of_all(g);
	g->whole = first;
	if (!first)
		return;
	g->have -= (uint32_t)(first - g->from);
	g->from = first;
}

static void note_state(struct glance *g, uint64_t at)
{
	const struct cpython_layout *of = &python.py.at;
	struct state state;

	g->state = state_read(&python.py, &state, at) ? at : 0;
	g->link = state.prev ? state.prev + of->state_next : state.interp + of->interp_threads;
}

/* Whether it is of this thread as it was: the values of its variables do not matter, nor does a lock that it is inside of. */
static bool is_of(const struct glance *g, const struct python_other *other,
		  const struct python_place *place, const struct python_inside *inside)
{
	return g->tid == other->tid && g->pid == other->pid && g->pthread == other->pthread &&
	       g->hash == place->hash && !g->inside.count && !inside->count;
}

void python_glance(const struct python_other *other, const struct python_place *place,
		   const struct python_inside *inside)
{
	struct glance *g = place->hash ? glance_of(other->tid, other->pid) : NULL;

	if (!g)
		return;
	see(g);
	g->semaphore = other->semaphore;
	g->awaited = other->semaphore ?
			     cpython_peek_word(&python.py, other->semaphore - ENTRY_ADDRESS) :
			     0;
	if (is_of(g, other, place, inside))
		return;
	g->pid = other->pid;
	g->tid = other->tid;
	g->pthread = other->pthread;
	g->top = place->top;
	g->hash = place->hash;
	g->inside = *inside;
	copy(g);
	settle_whole(g);
	note_state(g, other->state);
}

/* Several of them are read by one system call, side by side: a destination is pinned once. */
static struct {
	struct iovec to[PARTS * AT_ONCE], from[PARTS * AT_ONCE];
	size_t count, bytes;
	char memory[2 * PAGE];
} gathered LARGE; /* of the thread that has the GIL */

static const char *gather(uint64_t from, size_t bytes)
{
	char *to = gathered.memory + gathered.bytes;

	gathered.to[gathered.count] = (struct iovec){to, bytes};
	gathered.from[gathered.count++] = (struct iovec){(void *)(uintptr_t)from, bytes};
	gathered.bytes += bytes;
	return to;
}

/* All that would have changed. */
struct now {
	struct glance *glance;
	const char *state, *link, *awaits, *frames;
	size_t end;
};

static bool gather_now(struct now *now, struct glance *g)
{
	if (gathered.bytes + python.py.state_bytes + 8 + 8 + g->have > sizeof(gathered.memory))
		return false;
	now->glance = g;
	now->state = gather(g->state, python.py.state_bytes);
	now->link = gather(g->link, 8);
	now->awaits = g->semaphore ? gather(g->semaphore - ENTRY_ADDRESS, 8) : NULL;
	now->frames = gather(g->from, g->have);
	now->end = gathered.bytes;
	return true;
}

static bool is_still(const struct now *now)
{
	const struct cpython_layout *of = &python.py.at;
	struct glance *g = now->glance;
	uint64_t awaited = now->awaits ? word_at(now->awaits, 0) : 0;

	if (word_at(now->link, 0) != g->state ||
	    word_at(now->state, of->state_thread_id) != g->pthread ||
	    word_at(now->state, of->state_frame) != g->top ||
	    memcmp(now->frames, copied(g), g->have) != 0)
		return false;
	if (g->awaited != awaited) /* a page that is written at a fork is copied */
		g->awaited = awaited;
	return true;
}

/* This one and those behind it, since threads come in the same order at each fork. */
static void look_from(struct glance *first)
{
	struct now now[AT_ONCE];
	unsigned count = 0;
	long got;

	gathered.count = gathered.bytes = 0;
	for (struct glance *g = first; g < glances + used && count < AT_ONCE; g++) {
		if (g->pid != first->pid || !g->whole || !g->state || is_in(looked, g))
			continue;
		if (!gather_now(&now[count], g))
			break;
		count++;
	}
	got = sys_peek_many(gathered.to, gathered.from, gathered.count);
	for (unsigned i = 0; i < count; i++) {
		looked |= bit_of(now[i].glance);
		if (got >= (long)now[i].end && is_still(&now[i]))
			still |= bit_of(now[i].glance);
	}
}

bool python_glance_again(const struct python_other *other, cpython_held_seen *see_lock,
			 void *context)
{
	struct glance *g = known(other->tid, other->pid);

	if (!g || !g->whole || !g->state || g->pthread != other->pthread || python.is_finalizing())
		return false;
	if (g->semaphore != other->semaphore) {
		g->semaphore = other->semaphore;
		looked &= ~bit_of(g);
		still &= ~bit_of(g);
	}
	if (!is_in(looked, g))
		look_from(g);
	if (!is_in(still, g))
		return false;
	see(g);
	for (uint32_t i = 0; i < g->inside.count; i++)
		see_lock(&python.py, &g->inside.lock[i], NULL, NULL, context);
	return true;
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
	return is_in(seen, g) && g->pid != pid && g->have;
}

static const struct glance *owner_of(uint64_t pthread, uint32_t pid)
{
	for (uint32_t i = 0; pthread && i < used; i++)
		if (is_left_behind(&glances[i], pid) && glances[i].pthread == pthread)
			return &glances[i];
	return NULL;
}

typedef void taker_seek(const struct cpython *py, uint64_t top, const struct cpython_lock *lock,
			struct cpython_taker *taker);

/* Asks all threads that were left behind. Whether one calls acquire() or release() of it. */
static bool seek_among(taker_seek *seek, const struct cpython_lock *lock, uint32_t pid,
		       struct python_taker *taker)
{
	struct cpython_taker other;
	bool contested = false;
	struct cpython py;

	for (uint32_t i = 0; i < used; i++) {
		if (!is_left_behind(&glances[i], pid) || glances[i].awaited == lock->address)
			continue;
		py = view_of(&glances[i]);
		seek(&py, glances[i].top, lock, &other);
		contested |= other.called || other.signals;
		if (other.rank <= taker->by.rank)
			continue;
		taker->by = other;
		taker->glance = &glances[i];
	}
	return contested;
}

/*
 * The thread that waits may have taken it, in a frame around the one that waits. It surely seems to have if
 * it has called acquire(), and of the others neither has one, nor is one there to release the lock. If it was locked at the
 * fork and no frame seems to have taken it, a call that has returned did: of the thread that has it nearest at hand.
 */
static void seek_taker(const struct cpython_lock *lock, uint32_t pid, struct python_taker *taker)
{
	struct cpython_taker own = {0};
	struct state state;
	bool contested;

	if (python_own_state(&state))
		cpython_taker_around(&python.py, state.frame, lock, &own);
	taker->by = own;
	contested = seek_among(cpython_taker, lock, pid, taker);
	taker->own = !taker->glance && own.called && !contested;
	if (!taker->by.rank && !contested && python_was_locked(lock->address))
		seek_among(cpython_taker_near, lock, pid, taker);
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
