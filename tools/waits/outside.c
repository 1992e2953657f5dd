/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads descriptors and stacks of threads that the library does not follow. The functions of the C
 * library through which a thread came into its wait say what kind of object it is for; the layouts of
 * these objects (glibc 2.31 and later, x86-64: sysdeps/nptl/bits) say where it begins.
 */
#include "outside.h"

#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../base/filtered.h"
#include "../proc/procfs.h"
#include "../proc/timers.h"
#include "../symbolizer/origin.h"
#include "../symbols/symbols.h"
#include "native.h"
#include "pythreads.h"

#define FRAMES 12u /* from the system call to the program's own code, at most */
#define FRAMES_MAIN 64u /* to the end of the program that is under way, if it is */
#define FRAMES_WHOLE 256u /* of a whole stack */

struct outside {
	struct native *native;
	struct alarms alarms;
	uint64_t alarms_ns; /* when they were last looked for */
	struct pyview_range runtime; /* of this process, in the look of that time */
	uint32_t runtime_pid;
	uint64_t runtime_ns;
};

struct outside *outside_create(const struct reader *reader)
{
	struct outside *outside = memory_get(sizeof(*outside));

	*outside = (struct outside){.native = native_create(reader)};
	return outside;
}

void outside_destroy(struct outside *outside)
{
	if (!outside)
		return;
	native_destroy(outside->native);
	free(outside);
}

/* ---- alarms ---- */

#define LATE_NS 1000000000ull /* until a thread that stands has been looked at twice */

void outside_note_alarms(struct outside *outside, uint64_t now_ns)
{
	if (outside->alarms_ns != now_ns)
		alarms_look(&outside->alarms, now_ns);
	outside->alarms_ns = now_ns;
}

bool outside_has_alarm(struct outside *outside, const struct snapshot_thread *thread,
		       uint64_t within_ns)
{
	return alarms_are_due(&outside->alarms, thread->still_ns + LATE_NS, within_ns);
}

/* ---- descriptors ---- */

/*
 * The thread's descriptor, struct pthread, is what pthread_self() returns. The kernel does not tell that of
 * a thread that is not stopped, but where its list of robust mutexes is, a part of the descriptor.
 */
#if defined(__x86_64__)
#define DESCRIPTOR_BEFORE 1024u /* bytes by which that list follows the start, at most */

/* Whether a descriptor is there: it begins with pointers to itself (tcbhead_t: tcb at 0, self at 16). */
static bool is_descriptor(const uint64_t word[3], uint64_t at)
{
	return word[0] == at && word[2] == at;
}

static uint64_t descriptor_at(uint32_t pid, uint64_t pointer)
{
	uint64_t word[3];

	return pointer && proc_peek(pid, pointer, word, sizeof(word)) &&
			       is_descriptor(word, pointer) ?
		       pointer :
		       0;
}

static uint64_t descriptor_around(uint32_t pid, uint64_t robust)
{
	uint64_t words[DESCRIPTOR_BEFORE / 8], base = robust - sizeof(words);

	if (!proc_peek(pid, base, words, sizeof(words)))
		return 0;
	for (size_t i = sizeof(words) / 8 - 2; i-- > 0;)
		if (is_descriptor(words + i, base + 8 * i))
			return words[i];
	return 0;
}

#define DESCRIPTOR_BELOW 4096u
static uint64_t descriptor_here(const uint64_t word[3], uint64_t at)
{
	return is_descriptor(word, at) ? at : 0;
}
#else
#define DESCRIPTOR_BEFORE 224u /* a header of 24 words, a list, the TID, a pointer */
#define FUTEX_BEFORE (-32l) /* from the link of a robust mutex to its futex; musl has another one */

/* Of a core file: not known, as the thread pointer follows the descriptor, whose size depends on glibc. */
static uint64_t descriptor_at(uint32_t pid, uint64_t pointer)
{
	(void)pid;
	(void)pointer;
	return 0;
}

static uint64_t descriptor_around(uint32_t pid, uint64_t robust)
{
	struct robust_list_head head;

	return proc_peek(pid, robust, &head, sizeof(head)) && head.futex_offset == FUTEX_BEFORE ?
		       robust - DESCRIPTOR_BEFORE :
		       0;
}

#define DESCRIPTOR_BELOW 32768u /* thread-local storage is above it */
/* By its list of robust mutexes, which is empty. */
static uint64_t descriptor_here(const uint64_t word[3], uint64_t at)
{
	return word[0] == at && (int64_t)word[1] == FUTEX_BEFORE && !word[2] ?
		       at - DESCRIPTOR_BEFORE :
		       0;
}
#endif

uint64_t outside_descriptor_below(uint32_t pid, uint64_t end)
{
	uint64_t words[DESCRIPTOR_BELOW / 8], base = end - sizeof(words), found = 0;

	if (!proc_peek(pid, base, words, sizeof(words)))
		return 0;
	for (size_t i = 0; i + 2 < sizeof(words) / 8 && !found; i++)
		found = descriptor_here(words + i, base + 8 * i);
	return found;
}

uint64_t outside_descriptor(uint32_t pid, uint32_t tid)
{
	void *robust = NULL;
	size_t length;

	if (procfs_source())
		return descriptor_at(pid, procfs_source()->thread_pointer(pid, tid));
	if (filtered_call(SYS_get_robust_list, tid, (long)&robust, (long)&length, 0, 0) || !robust)
		return 0;
	return descriptor_around(pid, (uint64_t)(uintptr_t)robust);
}

struct mpsan_thread *outside_record(const struct snapshot_thread *thread)
{
	struct mpsan_thread *record = memory_get(sizeof(*record));

	record->tid = thread->own_tid;
	record->pthread = outside_descriptor(thread->pid, thread->tid);
	return record;
}

/* ---- waits ---- */

/* The functions of the C library that wait, without leading underscores. */
static const struct waiter {
	const char *function; /* or what its name begins with */
	enum mpsan_lock_kind kind;
} waiters[] = {
	{"pthread_mutex_", MPSAN_LOCK_MUTEX},
	{"pthread_cond_destroy", MPSAN_WAIT_FUTEX}, /* until the last waiter has gone */
	{"pthread_cond_", MPSAN_WAIT_COND},
	{"sem_", MPSAN_LOCK_SEMAPHORE},
	{"new_sem_wait", MPSAN_LOCK_SEMAPHORE},
	{"pthread_rwlock_rdlock", MPSAN_LOCK_RWLOCK_READ},
	{"pthread_rwlock_timedrdlock", MPSAN_LOCK_RWLOCK_READ},
	{"pthread_rwlock_clockrdlock", MPSAN_LOCK_RWLOCK_READ},
	{"pthread_rwlock_", MPSAN_LOCK_RWLOCK_WRITE},
	{"pthread_join", MPSAN_WAIT_JOIN},
	{"pthread_timedjoin", MPSAN_WAIT_JOIN},
	{"pthread_clockjoin", MPSAN_WAIT_JOIN},
	{"pthread_barrier_wait", MPSAN_WAIT_BARRIER},
	{"cxa_guard_acquire", MPSAN_LOCK_GUARD},
};

static enum mpsan_lock_kind kind_of_function(const char *function)
{
	function += strspn(function, "_");
	for (size_t i = 0; i < sizeof(waiters) / sizeof(*waiters); i++)
		if (!strncmp(function, waiters[i].function, strlen(waiters[i].function)))
			return waiters[i].kind;
	return MPSAN_LOCK_NONE;
}

/* Names of the C library in a program that is linked statically, where no module tells. */
static bool is_library_name(const char *function)
{
	static const char *const begins[] = {"lll_", "futex_", "pthread_", "sem_", "new_sem_"};

	function += strspn(function, "_");
	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		if (!strncmp(function, begins[i], strlen(begins[i])))
			return true;
	return false;
}

/* The C and C++ libraries: whoever called them waits. */
static bool is_plumbing(const char *module)
{
	return module && origin_is_plumbing(module);
}

/* What the stack of a thread says of its wait. */
struct story {
	enum mpsan_lock_kind kind; /* of the object that the C library waits for */
	uint64_t caller; /* who called the C library */
	uint64_t entry; /* code of the function that the thread began with; 0: unknown */
	bool exits; /* in exit() */
};

static bool is_exit(const struct symbol *symbol)
{
	return symbol->function && !strcmp(symbol->function, "exit");
}

/* Whether a frame is the C library's; `is_static`: that is part of the program. */
static bool is_of_libc(const struct symbol *symbol, bool is_static)
{
	return is_static ? symbol->function && is_library_name(symbol->function) :
			   is_plumbing(symbol->module);
}

static struct story read_story(struct outside *outside, const struct snapshot_thread *thread)
{
	bool is_main = thread->tid == thread->pid, called = false, is_static = false, libc;
	size_t most = is_main ? FRAMES_MAIN : FRAMES, count;
	struct story story = {.kind = MPSAN_LOCK_NONE};
	const struct modules *modules;
	uint64_t pcs[FRAMES_MAIN];

	count = native_stack(outside->native, thread, pcs, NULL, most, &modules);
	for (size_t i = 0; i < count && (!called || is_main || count < most); i++) {
		struct symbol symbol = {0};
		bool named = native_name(outside->native, modules, pcs[i], i > 0, &symbol);

		is_static |= !i && named && !is_plumbing(symbol.module);
		libc = named && is_of_libc(&symbol, is_static);
		if (!called)
			story.caller = pcs[i];
		called |= !libc;
		if (!called && symbol.function && story.kind == MPSAN_LOCK_NONE)
			story.kind = kind_of_function(symbol.function);
		if (!libc && count < most)
			story.entry = pcs[i];
		story.exits |= is_main && is_exit(&symbol);
	}
	return story;
}

bool outside_in_handler(struct outside *outside, const struct snapshot_thread *thread)
{
	const struct modules *modules;
	uint8_t signals[FRAMES_MAIN] = {0};
	uint64_t pcs[FRAMES_MAIN];
	size_t count = native_stack(outside->native, thread, pcs, signals, FRAMES_MAIN, &modules);

	for (size_t i = 0; i < count; i++)
		if (signals[i])
			return true;
	return !count || count == FRAMES_MAIN;
}

/* ---- pools of threads ---- */

/* What the names of these libraries begin with. */
static const char *library_of(const char *path)
{
	static const char *const names[] = {"libgomp", "libiomp", "libomp", "libopenblas",
					    "libmkl",  "libtbb",  "libblis"};

	for (size_t i = 0; path && i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(path_base(path), names[i], strlen(names[i])))
			return names[i];
	return NULL;
}

const char *outside_pool(uint32_t pid, uint64_t address)
{
	struct proc_mapping mapping;

	return address && proc_mapping(pid, address, &mapping) ? library_of(mapping.path) : NULL;
}

/* The function of the C library in which threads begin, or the two that have no name there. */
static bool is_start(const struct symbol *last, const struct symbol *before)
{
	const char *name = last->function;

	if (!origin_is_plumbing(last->module))
		return false;
	if (!name)
		return before->module && origin_is_plumbing(before->module);
	name += strspn(name, "_");
	return !strncmp(name, "clone", 5) || !strcmp(name, "start_thread") ||
	       !strcmp(name, "thread_start"); /* in clone, on aarch64 */
}

bool outside_is_apart(struct outside *outside, const struct snapshot_thread *thread,
		      const char *library)
{
	struct symbol last = {0}, before = {0};
	const struct modules *modules;
	uint64_t pcs[FRAMES_WHOLE];
	size_t count = native_stack(outside->native, thread, pcs, NULL, FRAMES_WHOLE, &modules);

	for (size_t i = 0; i < count; i++) {
		before = last;
		last = (struct symbol){0};
		if (!native_name(outside->native, modules, pcs[i], i > 0, &last) || !last.module ||
		    library_of(last.module) == library)
			return false;
	}
	return count > 2 && count < FRAMES_WHOLE && is_start(&last, &before);
}

/* ---- objects ---- */

/* glibc's semaphore: value, waiters, and whether it is private (0) or shared (128). */
static bool is_semaphore(const struct snapshot_thread *thread)
{
	uint32_t word[4];

	return !thread->call.arg[2] &&
	       proc_peek(thread->pid, thread->call.arg[0], word, sizeof(word)) && !word[0] &&
	       word[1] && word[1] < 1u << 16 && (!word[2] || word[2] == FUTEX_PRIVATE_FLAG);
}

/*
 * Where the object begins in which the thread waits for `word`: a condition has two such words, at 40
 * and 44; a read-write lock has them at 0, 8 and 12.
 */
static uint64_t object_at(enum mpsan_lock_kind kind, uint64_t word, uint64_t expected)
{
	switch (kind) {
	case MPSAN_WAIT_COND:
	case MPSAN_WAIT_GIL:
		return word - (word % 8 ? 44 : 40);
	case MPSAN_LOCK_RWLOCK_READ:
	case MPSAN_LOCK_RWLOCK_WRITE:
		return word % 8 ? word - 12 : expected > 3 ? word : word - 8;
	default:
		return word;
	}
}

static bool lies_in_libc(const struct snapshot_thread *thread, uint64_t address)
{
	struct proc_mapping mapping;

	return proc_mapping_lately(thread->pid, address, &mapping) && mapping.in_libc;
}

void outside_begin(struct outside *outside, const struct snapshot_thread *thread,
		   struct mpsan_thread *record)
{
	record->entry = read_story(outside, thread).entry;
}

/* Asked once for the threads of a process, which are looked at one after the other. */
static struct pyview_range runtime_of(struct outside *outside, const struct snapshot_thread *thread)
{
	AUTO_FREE struct pyview *view = NULL;

	if (outside->runtime_pid == thread->pid && outside->runtime_ns == thread->still_ns)
		return outside->runtime;
	view = pyview_open((pid_t)thread->pid);
	outside->runtime = view ? pyview_runtime(view) : (struct pyview_range){0};
	outside->runtime_pid = thread->pid;
	outside->runtime_ns = thread->still_ns;
	return outside->runtime;
}

void outside_claim_gil(struct outside *outside, const struct snapshot_thread *thread,
		       struct mpsan_thread *record)
{
	const struct proc_call *call = &thread->call;
	struct pyview_range runtime;

	if (thread->call.state != PROC_IN_CALL || call->number != SYS_futex || !call->arg[3])
		return;
	runtime = runtime_of(outside, thread);
	if (call->arg[0] < runtime.begin || call->arg[0] >= runtime.end)
		return;
	record->hold[0] = (struct mpsan_hold){
		MPSAN_TAG(object_at(MPSAN_WAIT_GIL, call->arg[0], 0), MPSAN_WAIT_GIL) |
			MPSAN_TAG_WANTED | MPSAN_TAG_TIMED,
		0};
	record->holds_used = 1;
}

void outside_claim(struct outside *outside, const struct snapshot_thread *thread,
		   struct mpsan_thread *record)
{
	const struct proc_call *call = &thread->call;
	struct story story = read_story(outside, thread);
	enum mpsan_lock_kind kind = story.kind;
	uint64_t object;

	record->entry = story.entry;
	record->holds_used = 0;
	/* woken up, it waits for its mutex again */
	if (kind == MPSAN_WAIT_COND && (call->arg[1] & FUTEX_CMD_MASK) == FUTEX_WAIT &&
	    call->arg[2] == 2)
		kind = MPSAN_LOCK_MUTEX;
	/* the interpreter has no other condition for which it waits with a limit */
	if (kind == MPSAN_WAIT_COND && call->arg[3] && pythread_is_code(thread->pid, story.caller))
		kind = MPSAN_WAIT_GIL;
	if (kind == MPSAN_LOCK_NONE && is_semaphore(thread))
		kind = MPSAN_LOCK_SEMAPHORE;
	if (lies_in_libc(thread, call->arg[0])) {
		if (kind != MPSAN_LOCK_MUTEX)
			return;
		kind = MPSAN_LOCK_LIBC;
	}
	if (kind == MPSAN_LOCK_NONE)
		kind = MPSAN_WAIT_FUTEX;
	object = object_at(kind, call->arg[0], call->arg[2]);
	record->hold[0] = (struct mpsan_hold){MPSAN_TAG(object, kind) | MPSAN_TAG_WANTED |
						      (call->arg[3] ? MPSAN_TAG_TIMED : 0) |
						      (story.exits ? MPSAN_TAG_EXIT : 0),
					      story.caller};
	record->holds_used = 1;
}
