/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of next definitions: an entry is filled when it is first used. hook.h explains it; elf.c does
 * the look-up.
 */
#include "hook.h"

#include <string.h>

#include "../../include/mpsan_log.h"
#include "elf.h"
#include "scope.h"
#include "sys.h"

TLS volatile uintptr_t hook_guard;
STATE bool hook_off;
STATE void (*guard_next)(void);

void guard_call_next(void)
{
	void (*next)(void) = __atomic_exchange_n(&guard_next, NULL, __ATOMIC_ACQ_REL);

	if (next)
		next();
}

#ifdef MPSAN_COUNT_HOOKS
uint64_t *mpsan_hook_counts;
#endif

extern char hook_absent[];

#define HOOK(library, name, kind) extern char lazy_##name[];
#include "../hooks.def"
#undef HOOK

void *hook_real[HOOK_COUNT] = {
#define HOOK(library, name, kind) \
	[HOOK_##name] = HOOK_##name < HOOK_FIRST_LATER ? lazy_##name : NULL,
#include "../hooks.def"
#undef HOOK
};
void *hook_next[HOOK_FIRST_LATER];

/*
 * Names and addresses of the library's exports, for the answers of dlsym: without pointers, each of
 * which the loader would have to relocate at the start of every program. The second table is in
 * arch/.
 */
static const struct {
#define HOOK(library, name, kind) char name[sizeof(#name)];
#include "../hooks.def"
#undef HOOK
} text = {
#define HOOK(library, name, kind) #name,
#include "../hooks.def"
#undef HOOK
};

static const uint16_t name_at[HOOK_COUNT] = {
#define HOOK(library, name, kind) offsetof(__typeof__(text), name),
#include "../hooks.def"
#undef HOOK
};

extern const int32_t hook_exports[HOOK_COUNT]; /* from the table's own address */

const char *hook_name(enum hook_id id)
{
	return (const char *)&text + name_at[id];
}

void *hook_export(enum hook_id id)
{
	return (char *)(uintptr_t)hook_exports + hook_exports[id];
}

/* Names that no library defines and that resemble those of the rows, one after the other. */
static const char absent[] =
#define HOOK(library, name, kind) #name " \0"
#include "../hooks.def"
#undef HOOK
	;

const char *hook_absent_name(enum hook_id id)
{
	const char *at = absent;

	for (unsigned i = 0; i < id; i++)
		at += strlen(at) + 1;
	return at;
}

static struct elf_after objects_there;
static bool objects_known;

static const struct elf_after *objects_after(void)
{
	if (!__atomic_load_n(&objects_known, __ATOMIC_ACQUIRE)) {
		objects_there = elf_after();
		__atomic_store_n(&objects_known, true, __ATOMIC_RELEASE);
	}
	return &objects_there;
}

void *hook_resolve(enum hook_id id)
{
	const struct elf_after *after = objects_after();
	void *real = elf_next_in(after, hook_name(id), NULL);

	if (!real) /* some functions exist for old binaries only: pthread_atfork */
		real = elf_next_in(after, hook_name(id), ARCH_OLDEST_VERSION);
	if (!real) /* or came with libpthread, before glibc 2.34, which may be loaded later */
		real = elf_next(hook_name(id), NULL);
	if (!real)
		return hook_absent;
	__atomic_store_n(&hook_next[id], real, __ATOMIC_RELEASE);
	__atomic_store_n(&hook_real[id], real, __ATOMIC_RELEASE);
	return real;
}

void hook_resolve_for_children(void)
{
	static const uint16_t rows[] = {
		HOOK__exit,	  HOOK_exit,   HOOK_execve, HOOK_execv, HOOK_execvp, HOOK_close,
		HOOK_dup2,	  HOOK_open,   HOOK_read,   HOOK_write, HOOK_signal, HOOK_sigaction,
		HOOK___sigaction, HOOK_setsid, HOOK_kill,   HOOK_prctl, HOOK_fcntl,  HOOK_dlsym,
	};
	static bool done;

	if (done)
		return;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		hook_resolve(rows[i]);
	done = true;
}

void *hook_oldest(enum hook_id id, void **known)
{
	if (!*known)
		*known = elf_next_in(objects_after(), hook_name(id), ARCH_OLDEST_VERSION);
	return *known;
}

/* Where not all of them are remembered, the loader's list has to be walked while it does not change. */
void hook_start(void)
{
	/* Written before it is read: one page fault, not two. */
	__atomic_store_n(&objects_known, false, __ATOMIC_RELAXED);
	for (unsigned id = 0; objects_after()->rest && id < HOOK_FIRST_LATER; id++)
		hook_resolve(id);
}

/*
 * A cache of the bindings of callers: by call site, which is one look-up, and by row and object,
 * because some objects have thousands of call sites. A thread writes an entry that it finds free or
 * outdated. `state` says whether the entry may be read: the era in which it was written, and a
 * number that grows with each write and is odd meanwhile. A look-up that finds no entry is merely
 * slow.
 */
#define SITES 512u
#define OBJECTS 128u /* that call what a C++ or OpenMP runtime has: many do */
#define USERS 16u /* objects that call the same function of CUDA or NCCL */

#define ERA 32 /* the bits above are the era */

struct binding {
	uint64_t state;
	uint32_t id;
	uint64_t start, end; /* of the callers */
	void *real;
	const struct link_map *in;
};
static struct binding sites[SITES] LARGE, objects[OBJECTS] LARGE;
static struct binding users[HOOK_COUNT - HOOK_FIRST_BY_NAME][USERS] LARGE;
static uint32_t era = 1;

/* The next definitions for hooks that were returned as pointers. */
static struct {
	void *real;
	const struct link_map *in;
} given[HOOK_COUNT - HOOK_FIRST_BY_NAME] LARGE;

void hook_forget(void)
{
	const struct link_map *there = NULL;

	for (unsigned i = 0; i < HOOK_COUNT - HOOK_FIRST_BY_NAME; i++) {
		if (!given[i].real || !given[i].in || given[i].in == there)
			continue;
		if (elf_is_loaded(given[i].in))
			there = given[i].in;
		else
			__atomic_store_n(&given[i].real, NULL, __ATOMIC_RELEASE);
	}
	__atomic_fetch_add(&era, 1, __ATOMIC_ACQ_REL);
}

/* Code without a reference to the name got a pointer from dlsym: its scope says nothing. */
static void take_given(struct scope_answer *answer, enum hook_id id, uint64_t caller)
{
	void *real = HOOK_IS_BY_NAME(id) ? __atomic_load_n(&given[id - HOOK_FIRST_BY_NAME].real,
							   __ATOMIC_ACQUIRE) :
					   NULL;
	const struct link_map *owner;

	if (!real || real == answer->real)
		return;
	owner = scope_owner(caller);
	if (owner && elf_imports(owner, hook_name(id)))
		return;
	answer->real = real;
	answer->in = given[id - HOOK_FIRST_BY_NAME].in;
}

static inline bool is_of_era(uint64_t state, uint32_t now)
{
	return state >> ERA == now && !(state & 1);
}

static inline bool recall(const struct binding *at, uint32_t now, enum hook_id id, uint64_t caller,
			  struct binding *to)
{
	uint64_t state = __atomic_load_n(&at->state, __ATOMIC_ACQUIRE);

	if (!is_of_era(state, now) || at->id != id)
		return false;
	*to = *at;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&at->state, __ATOMIC_RELAXED) == state && caller >= to->start &&
	       caller < to->end && to->id == id;
}

/* Writes an entry; false if another caller has it in this era. */
static bool hook_remember(struct binding *at, uint32_t now, const struct binding *b, bool over)
{
	uint64_t state = __atomic_load_n(&at->state, __ATOMIC_RELAXED);

	if (state & 1 || (is_of_era(state, now) && !over) ||
	    !__atomic_compare_exchange_n(&at->state, &state, state + 1, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return false;
	__atomic_thread_fence(__ATOMIC_RELEASE); /* who sees a change below sees the odd state */
	at->id = b->id;
	at->start = b->start;
	at->end = b->end;
	at->real = b->real;
	at->in = b->in;
	__atomic_store_n(&at->state, (uint64_t)now << ERA | (uint32_t)(state + 2),
			 __ATOMIC_RELEASE);
	return true;
}

/* The entries for callers of a row, by object. */
static struct binding *objects_of(enum hook_id id, unsigned *count)
{
	*count = HOOK_IS_BY_NAME(id) ? USERS : OBJECTS;
	return HOOK_IS_BY_NAME(id) ? users[id - HOOK_FIRST_BY_NAME] : objects;
}

static bool recall_object(uint32_t now, enum hook_id id, uint64_t caller, struct binding *b)
{
	unsigned count;
	const struct binding *at = objects_of(id, &count);

	for (unsigned i = 0; i < count; i++)
		if (recall(&at[i], now, id, caller, b))
			return true;
	return false;
}

static void remember_object(uint32_t now, const struct binding *b)
{
	unsigned count;
	struct binding *at = objects_of(b->id, &count);

	for (unsigned i = 0; b->real && b->end && i < count; i++)
		if (hook_remember(&at[i], now, b, false))
			return;
}

static NOINLINE bool find_binding(uint32_t now, enum hook_id id, uint64_t caller, struct binding *b)
{
	struct scope_answer answer;

	if (recall_object(now, id, caller, b))
		return true;
	answer = scope_find(hook_name(id), caller);
	take_given(&answer, id, caller);
	*b = (struct binding){.id = id,
			      .start = answer.start,
			      .end = answer.end,
			      .real = answer.real,
			      .in = answer.in};
	remember_object(now, b);
	return b->real;
}

static inline struct binding *site_of(enum hook_id id, uint64_t caller)
{
	return &sites[((caller ^ id) * 0x9e3779b97f4a7c15ull) >> 55];
}

void *hook_real_at(enum hook_id id, uint64_t caller)
{
	const struct binding *at = site_of(id, caller);
	uint32_t now = __atomic_load_n(&era, __ATOMIC_ACQUIRE);
	uint64_t state = __atomic_load_n(&at->state, __ATOMIC_ACQUIRE);
	void *real = NULL;

	if (LIKELY(is_of_era(state, now) && at->id == id && at->start == caller))
		real = at->real;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (LIKELY(real && __atomic_load_n(&at->state, __ATOMIC_RELAXED) == state))
		return real;
	return hook_real_of(id, caller, NULL);
}

void *hook_real_of(enum hook_id id, uint64_t caller, const struct link_map **in)
{
	struct binding *at = site_of(id, caller), b;
	uint32_t now = __atomic_load_n(&era, __ATOMIC_ACQUIRE);

	if (!recall(at, now, id, caller, &b) && find_binding(now, id, caller, &b)) {
		b.start = caller;
		b.end = caller + 1;
		hook_remember(at, now, &b, true);
	}
	if (in)
		*in = b.in;
	return b.real;
}

void hook_bind(enum hook_id id, enum hook_id like, uint64_t caller, void *real)
{
	uint32_t now = __atomic_load_n(&era, __ATOMIC_ACQUIRE);
	struct binding b, known;

	if (!recall_object(now, like, caller, &b) || recall_object(now, id, caller, &known))
		return;
	b.id = id;
	b.real = real;
	remember_object(now, &b);
}

void *hook_give(enum hook_id id, uint64_t caller, void *real)
{
	const struct link_map *in;
	void *none = NULL;

	if (hook_real_of(id, caller, &in) != real)
		return NULL;
	if (__atomic_compare_exchange_n(&given[id - HOOK_FIRST_BY_NAME].real, &none, real, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		given[id - HOOK_FIRST_BY_NAME].in = in;
	else if (none != real)
		return NULL;
	return hook_export(id);
}

/*
 * Rows by name, filled at the first query: open addressing. Threads that come while it is being
 * filled fill it, too, with the same numbers in the same places.
 */
#define NAMES 4096u
static uint16_t names[NAMES] LARGE; /* row + 1 */

static uint32_t hook_place_of(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return (hash ^ hash >> 15) % NAMES;
}

static void fill_names(void)
{
	for (uint32_t i = 0; i < HOOK_COUNT; i++) {
		uint32_t at = hook_place_of(hook_name(i));
		uint16_t there;

		while ((there = __atomic_load_n(&names[at], __ATOMIC_RELAXED)) && there != i + 1)
			at = (at + 1) % NAMES;
		__atomic_store_n(&names[at], (uint16_t)(i + 1), __ATOMIC_RELAXED);
	}
}
_Static_assert(HOOK_COUNT * 3 < NAMES, "half empty at least");

int hook_find(const char *name)
{
	static bool filled;
	uint16_t there;

	if (UNLIKELY(!__atomic_load_n(&filled, __ATOMIC_ACQUIRE))) {
		fill_names();
		__atomic_store_n(&filled, true, __ATOMIC_RELEASE);
	}
	for (uint32_t at = hook_place_of(name); (there = names[at]); at = (at + 1) % NAMES)
		if (!strcmp(hook_name(there - 1u), name))
			return there - 1;
	return -1;
}

/* NULL: a row of a library that may be loaded later. */
static const void *next_of(enum hook_id id)
{
	const void *next = NULL;

	if (id < HOOK_FIRST_LATER)
		next = __atomic_load_n(&hook_next[id], __ATOMIC_ACQUIRE) ?: hook_resolve(id);
	return next;
}

bool hook_is_bound(enum hook_id id)
{
	return next_of(id) && next_of(id) != hook_absent;
}

void *hook_answer(enum hook_id id, const void *real)
{
	return next_of(id) == real ? hook_export(id) : NULL;
}
