/* SPDX-License-Identifier: Apache-2.0 */
/* The process's log file, mapped in windows. log.h has the contract, mpsan_log.h the layout. */
#include "log.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "../common/no_log.h"
#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "room.h"
#include "state.h"
#include "switch_off.h"
#include "thread.h"

#define WINDOWS 68u
#define WINDOW_MAX (16u * MPSAN_CHUNK)
/* an attempt that is repeated within this time has no record of its own */
#define AGAIN_NS 100000000u

enum state { CLOSED, OPENING, OPEN, INHERITED, BORROWED, FAILED };

STATE static struct {
	enum state state;
	enum mpsan_off why; /* FAILED */
	uint64_t cap;
	uint64_t admitted; /* up to there the session has room for it */
	uint32_t newest; /* window */
	bool refused;
	uint8_t *window[WINDOWS];
} file;
/* Apart from what each fork writes. */
static char directory[256], path[288];

void (*log_opened)(void);
static char began_in[sizeof(((struct mpsan_log *)0)->directory)];

/*
 * The window of a position. A short log costs one chunk; windows double up to a limit, because each
 * mapping makes forks slower.
 */
static uint32_t window_of(uint64_t position)
{
	if (position >= WINDOW_MAX)
		return 4 + (uint32_t)(position / WINDOW_MAX);
	return position < MPSAN_CHUNK ? 0 : 64 - (uint32_t)__builtin_clzll(position / MPSAN_CHUNK);
}

static uint64_t window_start(uint32_t number)
{
	return number > 4 ? (uint64_t)(number - 4) * WINDOW_MAX :
	       number	  ? MPSAN_CHUNK << (number - 1) :
			    0;
}

static uint64_t window_bytes(uint32_t number)
{
	return window_start(number + 1) - window_start(number);
}

static struct mpsan_log *head_of(void)
{
	return (struct mpsan_log *)(void *)file.window[0];
}

/* What it says of the windows was stored before it. */
static enum state state_now(void)
{
	return __atomic_load_n(&file.state, __ATOMIC_ACQUIRE);
}

struct mpsan_log *log_head(void)
{
	enum state now = state_now();

	return now == OPEN || now == INHERITED || now == BORROWED ? head_of() : NULL;
}

void log_start(const char *to, uint64_t cap)
{
	long filter;

	text_put(directory, directory + sizeof(directory), to);
	filter = SYS1(SYS_prctl, PR_GET_SECCOMP);
	if (filter == 0 || filter == -EINVAL) /* otherwise the call might kill the program */
		SYS2(SYS_getcwd, began_in, sizeof(began_in));
	file.cap = cap < window_start(WINDOWS) ? cap : window_start(WINDOWS);
	if (file.cap < MPSAN_CHUNK)
		file.cap = MPSAN_CHUNK;
}

const char *log_directory(void)
{
	return directory;
}

void log_forked(void)
{
	if (file.state == OPEN || file.state == BORROWED)
		file.state = INHERITED;
	for (uint32_t i = 1; i + 1 < file.newest; i++)
		file.window[i] = NULL;
}

static void make_path(char made[sizeof(path)], uint32_t slot)
{
	char *end = made + sizeof(path), *at = made;

	at = text_put(at, end, directory);
	at = text_put(at, end, "/");
	at = text_put_number(at, end, slot, 10);
	text_put(at, end, ".log");
}

static void fill_head(struct mpsan_log *head)
{
	head->format = MPSAN_FORMAT;
	head->slot = life.slot;
	head->pid = life.pid;
	head->chunk = MPSAN_CHUNK;
	head->cap = file.cap;
	head->birth_ns = life.self->birth_ns;
	memcpy(head->directory, began_in, sizeof(began_in));
	head->head = MPSAN_LOG_START;
	__atomic_store_n(&head->magic, MPSAN_LOG_MAGIC, __ATOMIC_RELEASE);
}

/* Unmaps the parent's log, once this process has a file of its own. */
static void replace_windows(void *first)
{
	for (uint32_t i = 0; i <= file.newest; i++) {
		void *old = file.window[i];

		file.window[i] = i ? NULL : first;
		if (old)
			SYS2(SYS_munmap, old, window_bytes(i));
	}
	file.newest = 0;
	file.admitted = window_bytes(0);
	file.refused = false;
	log_forget();
}

/* Opens the log. A second thread that tries at the same time finds it closed, and its record is dropped. */
static bool open_own(enum state before)
{
	char before_path[sizeof(path)];
	long error = 0;
	bool has_room;
	void *first;

	if (!__atomic_compare_exchange_n(&file.state, &before, OPENING, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		return false;
	memcpy(before_path, path, sizeof(path));
	make_path(path, life.slot);
	has_room = life.session && room_take(life.session, window_bytes(0), true);
	first = has_room ? sys_map_file(path, 0, window_bytes(0), true, &error) : NULL;
	if (!first) {
		if (has_room)
			room_return(life.session, window_bytes(0));
		memcpy(path, before_path, sizeof(path));
		file.why = has_room || !life.session ? no_log_reason(error) : MPSAN_OFF_LOG_TOTAL;
		life_flag(before == INHERITED ? MPSAN_PROCESS_NO_BOOKS : 0);
		__atomic_store_n(&file.state, before == INHERITED ? BORROWED : FAILED,
				 __ATOMIC_RELEASE);
		return before == INHERITED;
	}
	fill_head(first);
	replace_windows(first);
	__atomic_store_n(&file.state, OPEN, __ATOMIC_RELEASE);
	life_flag(MPSAN_PROCESS_LOG);
	if (log_opened)
		log_opened();
	return true;
}

bool log_open(void)
{
	enum state now = state_now();
	bool open = now == OPEN || now == BORROWED;

	if (!open && life.attached && (now == CLOSED || now == INHERITED)) {
		open = open_own(now);
		if (!open && file.state == FAILED)
			switch_off_for(file.why);
	}
	return open;
}

bool log_is_inherited(void)
{
	enum state now = state_now();

	return now == INHERITED || now == BORROWED;
}

uint32_t *log_thread_index(void)
{
	return state_now() == OPEN ? (uint32_t *)(void *)(file.window[0] + MPSAN_THREAD_INDEX) :
				     NULL;
}

/* Excludes full windows from forks, except the newest two: the child marks records of its fork. */
static void retire_window(uint32_t newest)
{
	if (newest <= file.newest)
		return;
	file.newest = newest;
	if (newest > 2)
		SYS3(SYS_madvise, file.window[newest - 2], window_bytes(newest - 2), MADV_DONTFORK);
}

/* Releases the memory of full chunks; a thread that still writes to one gets it back. */
static void retire_chunk(uint64_t newest)
{
	void *old = newest >= 3 * MPSAN_CHUNK ? log_at(newest - 2 * MPSAN_CHUNK) : NULL;

	if (old)
		SYS3(SYS_madvise, old, MPSAN_CHUNK, MADV_DONTNEED);
}

/* Maps a window. Extending the file is idempotent: threads that need the same window do not wait for each other. */
static uint8_t *window_get(uint32_t number)
{
	uint8_t *have = __atomic_load_n(&file.window[number], __ATOMIC_ACQUIRE), *expected = NULL,
		*made;
	long error;

	if (have)
		return have;
	made = sys_map_file(path, window_start(number), window_bytes(number), false, &error);
	if (made && !__atomic_compare_exchange_n(&file.window[number], &expected, made, false,
						 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		SYS2(SYS_munmap, made, window_bytes(number));
		return expected;
	}
	if (made)
		retire_window(number);
	return made;
}

bool log_owns(uint64_t address, uint64_t *end)
{
	for (uint32_t i = 0; i < WINDOWS; i++) {
		uint64_t start = (uint64_t)(uintptr_t)file.window[i];

		if (!start || address < start || address - start >= window_bytes(i))
			continue;
		*end = start + window_bytes(i);
		return true;
	}
	return false;
}

void *log_at(uint64_t position)
{
	uint32_t number;
	uint8_t *window;

	if (position >= file.cap) /* read from a log that somebody spoilt */
		return NULL;
	number = window_of(position);
	window = __atomic_load_n(&file.window[number], __ATOMIC_ACQUIRE);
	return window ? window + (position - window_start(number)) : NULL;
}

#define PAGE 4096u

static void mark(void *record, uint64_t later)
{
	__atomic_store_n(&((struct mpsan_record *)record)->later, later, __ATOMIC_RELEASE);
}

/* The head of a record does not cross a page: records begin at whole units. */
void log_mark(uint32_t slot, uint64_t position, uint64_t later)
{
	bool own = slot == life.slot || (slot + 1 == life.self->parent && log_is_inherited());
	uint8_t *r = own ? log_at(position) : NULL;
	char of[sizeof(path)];
	long error;

	if (r) {
		mark(r, later);
		return;
	}
	make_path(of, slot);
	r = sys_map_file(of, position / PAGE * PAGE, PAGE, false, &error);
	if (!r)
		return;
	mark(r + position % PAGE, later);
	SYS2(SYS_munmap, r, PAGE);
}

/* The address of a record; maps its window if necessary. */
static void *record_at(uint64_t position)
{
	uint8_t *window = window_get(window_of(position));

	return window ? window + (position - window_start(window_of(position))) : NULL;
}

/* Before the payload, so that a reader can pass the record of a thread that was killed meanwhile. */
static void fill_record(struct mpsan_record *r, enum mpsan_event_type type, uint64_t bytes)
{
	r->type = (uint16_t)type;
	r->units = (uint16_t)(bytes / MPSAN_UNIT);
	r->tid = thread_tid();
	r->slot = life.slot;
	r->time_ns = sys_now();
	__atomic_signal_fence(__ATOMIC_RELEASE);
}

/* Whether the log may grow to that position; other threads may ask at the same time. */
static bool admit(const struct mpsan_log *head, uint64_t end)
{
	uint64_t before = __atomic_load_n(&file.admitted, __ATOMIC_RELAXED), after;
	uint32_t window = window_of(end - 1);

	if (end > head->cap || end <= before)
		return end <= before;
	if (!room_take(life.session, window_bytes(window), false)) {
		if (!__atomic_exchange_n(&file.refused, true, __ATOMIC_RELAXED))
			__atomic_fetch_add(&life.session->logs_refused, 1, __ATOMIC_RELAXED);
		return false;
	}
	after = window_start(window + 1) < head->cap ? window_start(window + 1) : head->cap;
	if (!__atomic_compare_exchange_n(&file.admitted, &before, after, false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED))
		room_return(life.session, window_bytes(window));
	return end <= __atomic_load_n(&file.admitted, __ATOMIC_RELAXED);
}

/*
 * Reserves whole units; if they do not fit into the chunk, its rest becomes a record without a
 * type.
 */
static struct mpsan_record *reserve(uint64_t bytes, uint64_t *position)
{
	struct mpsan_log *head = head_of();
	uint64_t at = __atomic_load_n(&head->head, __ATOMIC_RELAXED), start, rest;
	struct mpsan_record *pad;

	do {
		rest = MPSAN_CHUNK - at % MPSAN_CHUNK;
		start = rest < bytes ? at + rest : at;
		if (at > file.cap || at % MPSAN_UNIT || start + bytes > file.cap)
			return NULL; /* full, or spoilt by somebody */
		if (start + bytes > __atomic_load_n(&file.admitted, __ATOMIC_RELAXED) &&
		    !admit(head, start + bytes))
			return NULL;
	} while (!__atomic_compare_exchange_n(&head->head, &at, start + bytes, false,
					      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
	if (start != at && (pad = record_at(at))) {
		fill_record(pad, EV_none, rest);
		log_commit(pad + 1, EV_none, rest - sizeof(*pad));
	}
	if (start % MPSAN_CHUNK == 0)
		retire_chunk(start);
	*position = start;
	return record_at(start);
}

static uint64_t whole_of(size_t bytes)
{
	return (sizeof(struct mpsan_record) + bytes + MPSAN_UNIT - 1) & ~(uint64_t)(MPSAN_UNIT - 1);
}

void *log_reserve(enum mpsan_event_type type, size_t bytes, uint64_t *position)
{
	uint64_t whole = whole_of(bytes);
	struct mpsan_record *r = NULL;

	*position = 0;
	if (hook_off || !log_open())
		return NULL;
	r = reserve(whole, position);
	if (!r) {
		*position = 0;
		log_count(dropped);
		return NULL;
	}
	fill_record(r, type, whole);
	return r + 1;
}

/*
 * Completes a record. Live records (threads, communicators) change while they are read and have no
 * checksum over their payload. What the record says of its size is not read again: it lies in a file.
 */
void log_commit(void *payload, enum mpsan_event_type type, size_t bytes)
{
	struct mpsan_record *r = (struct mpsan_record *)payload - 1;
	bool live = type == EV_thread || type == EV_comm;
	uint64_t words = live ? 0 : (whole_of(bytes) - sizeof(*r)) / 8;

	__atomic_store_n(&r->commit, MPSAN_RECORD_MAGIC << 16 | mpsan_record_sum(payload, words),
			 __ATOMIC_RELEASE);
}

uint64_t log_append_of(uint64_t time_ns, enum mpsan_event_type type, const void *payload,
		       size_t bytes)
{
	uint64_t position;
	void *to = log_reserve(type, bytes, &position);

	if (!to)
		return 0;
	if (time_ns)
		((struct mpsan_record *)to - 1)->time_ns = time_ns;
	memcpy(to, payload, bytes);
	log_commit(to, type, bytes);
	return position;
}

uint64_t log_append(enum mpsan_event_type type, const void *payload, size_t bytes)
{
	return log_append_of(0, type, payload, bytes);
}

uint64_t log_key(enum mpsan_event_type type, uint64_t a, uint64_t b)
{
	uint64_t who = (uint64_t)life.slot << 16 | type;

	return ((a * 0x9e3779b97f4a7c15ull ^ b) * 0x9e3779b97f4a7c15ull ^ who) | 1;
}

static void put_later(uint64_t position, uint64_t later)
{
	struct mpsan_record *r = position ? log_at(position) : NULL;

	if (r)
		__atomic_store_n(&r->later, later, __ATOMIC_RELEASE);
}

uint64_t log_announce(uint64_t key, enum mpsan_event_type type, const void *payload, size_t bytes)
{
	uint64_t failed = key && log_open() ? log_recall(key) : 0;
	const struct mpsan_record *r = failed ? log_at(failed) : NULL;

	if (!r || r->time_ns + AGAIN_NS < sys_now()) /* a reader has dropped it */
		return log_append(type, payload, bytes);
	put_later(failed, 0);
	return failed;
}

void log_take_back(uint64_t position)
{
	put_later(position, MPSAN_LATER_FAILED);
}

bool log_is_stated(uint64_t key)
{
	uint64_t position = log_open() ? log_recall(key) : 0;
	const struct mpsan_record *r = position ? log_at(position) : NULL;

	return position && !(r && r->later & MPSAN_LATER_FAILED);
}

void log_settle(uint64_t key, uint64_t position, bool happened)
{
	if (!position)
		return;
	if (!happened)
		log_take_back(position);
	if (key && (!happened || log_recall(key) == position))
		log_remember(key, happened ? 0 : position);
}

uint64_t log_text(const char *text)
{
	uint64_t hash = EV_text, at;
	size_t n = 0;

	if (!text || !*text || !log_open())
		return 0;
	for (; text[n]; n++)
		hash = (hash ^ (unsigned char)text[n]) * 0x9e3779b97f4a7c15ull;
	at = log_recall(hash);
	if (!at && (at = log_append(EV_text, text, n + 1)))
		log_remember(hash, at);
	return at;
}
