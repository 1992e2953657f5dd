/* SPDX-License-Identifier: Apache-2.0 */
/* Records each exception once, by its type and the place where it was raised. */
#include "exceptions.h"

#include <string.h>
#include <sys/stat.h>

#include "../common/cpython/exception.h"
#include "../intercept/sys.h"
#include "../record/log.h"
#include "../record/setting.h"
#include "../record/state.h"
#include "../record/thread.h"
#include "../record/thread_names.h"
#include "proc_events.h"

#define SEEN 256u /* in one process: more than are recorded */
#define KEYS 64u
#define WAKE_BYTES 8u /* None from a SimpleQueue; the number of an eventfd */
#define AGAIN_NS 100000u
#define UNCAUGHT_LOOKS 64u
#define FRAMES_BYTES 2048u
#define BEFORE_BYTES 1024u

/* What was handled where, when it was last looked at: a hint, which threads may spoil for each other. */
static struct {
	uint64_t key, ns;
	uint32_t count;
} known[KEYS] LARGE;

STATE static uint32_t busy, count; /* whether `told` is in use; the number of `seen` */
STATE static exception_seen *watcher;
STATE static bool forked;
STATE static uint64_t parents; /* the exception that the parent was handling at the fork */
static struct {
	uint64_t seen[SEEN];
	char type[CPYTHON_TYPE_BYTES], text[CPYTHON_TEXT_BYTES], frames[FRAMES_BYTES];
	char before_type[CPYTHON_TYPE_BYTES], before[BEFORE_BYTES];
} told LARGE;

void exceptions_start(void)
{
	char value[8];
	bool set = setting("exceptions", value, sizeof(value));

	python_tells(set && text_equal(value, "type") ? CPYTHON_TELL_TYPE :
		     set && text_equal(value, "off")  ? CPYTHON_TELL_NOTHING :
							CPYTHON_TELL_ALL);
	python_watch_handlers(python_told() != CPYTHON_TELL_NOTHING);
}

void exceptions_watch(exception_seen *see)
{
	watcher = see;
}

FORKED void exceptions_forked(void)
{
	struct cpython_exception exception;

	parents = python_present() && python_handler() && python_handled(&exception) ?
			  exception.object :
			  0;
	forked = true;
	count = 0;
	busy = 0;
}

/* Whether one of its type was looked at a moment ago that was handled at the same place. */
static bool is_known(uint64_t key)
{
	unsigned i = key / 2 % KEYS;
	uint64_t now;

	if (known[i].key == key && ++known[i].count % 8)
		return true;
	now = sys_now();
	if (known[i].key == key && now - known[i].ns < AGAIN_NS)
		return true;
	known[i].key = key;
	known[i].ns = now;
	known[i].count = 0;
	return false;
}

/* Whether it is new, and there is room for it. */
static bool is_new(uint64_t place)
{
	for (uint32_t i = 0; i < count; i++)
		if (told.seen[i] == place)
			return false;
	if (count < SEEN)
		told.seen[count++] = place;
	if (count > MPSAN_EXCEPTIONS)
		log_count(exceptions_lost);
	return count <= MPSAN_EXCEPTIONS;
}

static uint64_t inode_of(int fd)
{
	struct stat file;

	return fd >= 0 && SYS2(SYS_fstat, fd, &file) == 0 ? file.st_ino : 0;
}

static void record(const struct cpython_exception *exception, enum mpsan_exception_where where,
		   uint64_t item, uint64_t place)
{
	const struct cpython *py = python_self();
	struct cpython_exception before;
	bool has_before = cpython_exception_before(py, &before, exception);
	uint64_t frames;

	cpython_exception_type(py, exception, told.type, sizeof(told.type));
	cpython_exception_frames(py, exception, told.frames, sizeof(told.frames));
	if (forked && watcher && exception->object != parents && told.frames[0]) {
		cpython_exception_text(py, exception, told.before, sizeof(told.before));
		watcher(told.type, told.before, told.frames);
	}
	told.text[0] = told.before_type[0] = told.before[0] = '\0';
	if (python_told() == CPYTHON_TELL_ALL)
		cpython_exception_text(py, exception, told.text, sizeof(told.text));
	if (has_before) {
		cpython_exception_type(py, &before, told.before_type, sizeof(told.before_type));
		cpython_exception_frames(py, &before, told.before, sizeof(told.before));
	}
	frames = told.frames[0] ? log_text(told.frames) : 0;
	thread_name_own();
	if (where == MPSAN_WHERE_WORKER)
		proc_events.failed = frames;
	EMIT(exception, .where = where, .type = log_text(told.type),
	     .text = told.text[0] ? log_text(told.text) : 0, .python = frames,
	     .before_type = has_before ? log_text(told.before_type) : 0,
	     .before = told.before[0] ? log_text(told.before) : 0, .item = item, .place = place);
}

/*
 * Of threads that end, and of queues that lose items, each is one. Two threads at once are rare: one of them may get another
 * chance by its next write.
 */
static bool note(const struct cpython_exception *exception, enum mpsan_exception_where where)
{
	uint64_t item = 0, apart, place = cpython_exception_place(python_self(), exception);
	int fd;

	if (where == MPSAN_WHERE_FEEDER && python_drops(&fd))
		item = inode_of(fd);
	else if (where == MPSAN_WHERE_FEEDER)
		where = MPSAN_WHERE_OTHER;
	apart = where == MPSAN_WHERE_THREAD ? thread_tid() : item;
	if (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
		return false;
	if (is_new(log_key(EV_exception, place, apart << 3 | where)))
		record(exception, where, item, place);
	__atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
	return true;
}

static NOINLINE void look(uint64_t handler)
{
	struct cpython_exception exception;
	uint64_t key = handler ^ (uint64_t)thread_tid() << 32;

	if (is_known(key) || !life_may_change())
		return;
	GUARDED {
		if (python_handled(&exception) &&
		    !note(&exception, cpython_exception_caught(python_self(), &exception)))
			known[key / 2 % KEYS].key = 0;
	}
}

/*
 * The main thread writes to standard error. What nobody caught is printed when its code is over: then no frame is left, or
 * only those of a function that prints.
 */
static void look_for_uncaught(void)
{
	static uint64_t its_code;
	static uint32_t looks;
	struct cpython_exception exception;
	uint64_t code = python_outermost();

	if (LIKELY(code == its_code) || !code || (code == 1 && looks >= UNCAUGHT_LOOKS) ||
	    thread_tid() != life.pid || !life_may_change())
		return;
	GUARDED {
		looks++;
		if (python_uncaught(&exception))
			note(&exception, MPSAN_WHERE_MAIN);
		if (code != 1)
			its_code = code;
	}
}

/*
 * What is only to wake its reader tells it nothing: Pool.close(), an executor's shutdown() and a loop's close() write that
 * much.
 */
static bool only_wakes(int fd, size_t bytes)
{
	return fd > 2 && bytes <= WAKE_BYTES;
}

void exceptions_at_write(int fd, size_t bytes)
{
	uint64_t handler = python_handler();

	if (handler && !only_wakes(fd, bytes))
		look(handler);
	else if (fd == 2)
		look_for_uncaught();
}

/*
 * A source whose lines a traceback shows, and linecache reads. Other files are often opened because an earlier one was not
 * found.
 */
void exceptions_at_open(const char *path)
{
	size_t length = strlen(path);

	if (length > 3 && !memcmp(path + length - 3, ".py", 3) &&
	    python_calls("updatecache", "linecache.py"))
		look(python_handler());
}
