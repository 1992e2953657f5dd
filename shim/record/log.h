/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Appends records: never blocks, never allocates, may be called from anywhere (signal handlers,
 * atfork handlers, between fork and exec). A process gets its file with its first record; a child
 * that cannot create one (chroot, no descriptors, another user) writes to the inherited one.
 * Records that do not fit are counted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../include/mpsan_event.h"
#include "../../include/mpsan_log.h"

/* EMIT(fork, .how = …) writes an event; its value is the record's position, 0 if it was dropped. */
#define EMIT(name, ...) \
	log_append(EV_##name, &(struct ev_##name){__VA_ARGS__}, sizeof(struct ev_##name))

uint64_t log_append(enum mpsan_event_type type, const void *payload, size_t bytes);

/* As log_append, for an event that happened at `time_ns`. */
uint64_t log_append_of(uint64_t time_ns, enum mpsan_event_type type, const void *payload,
		       size_t bytes);

/* The position of a `text` record of this string; equal strings are written once. */
uint64_t log_text(const char *text);

/*
 * Records an event before its call, because other threads or processes may act on the call's
 * effect: recorded afterwards it would come too late for readers of their actions, or never if they
 * end this process. A call that fails revokes it (log_take_back). `key` (log_key) identifies an
 * attempt that is repeated: its failures share one record, with the time of the first. Without a
 * key, where the order of attempts matters, each has its own. Returns a position, 0: not written.
 */
uint64_t log_announce(uint64_t key, enum mpsan_event_type type, const void *payload, size_t bytes);
void log_settle(uint64_t key, uint64_t position, bool happened);
void log_take_back(uint64_t position);
uint64_t log_key(enum mpsan_event_type type, uint64_t a, uint64_t b);
/* Whether an announcement with that key was written and not revoked. */
bool log_is_stated(uint64_t key);
#define ANNOUNCE(key, name, ...) \
	log_announce(key, EV_##name, &(struct ev_##name){__VA_ARGS__}, sizeof(struct ev_##name))

/*
 * Reserves a record of `bytes` to be filled in place and completed by log_commit, with the same type and size. NULL: no
 * room.
 */
void *log_reserve(enum mpsan_event_type type, size_t bytes, uint64_t *position);
void log_commit(void *payload, enum mpsan_event_type type, size_t bytes);

/* The position of an earlier record with this content hash, or 0; log_remember adds one. */
uint64_t log_recall(uint64_t hash);
void log_remember(uint64_t hash, uint64_t position);
/* This process has a new log, with nothing in it. */
void log_forget(void);

/* Sets `later` of a record in a process's log, which is mapped for that if it has to be. */
void log_mark(uint32_t slot, uint64_t position, uint64_t later);

/* Whether this is a forked child that still uses its parent's log. */
bool log_is_inherited(void);

/* The address of a record of this process's own log; NULL: not mapped. */
void *log_at(uint64_t position);
/* The same for a position that was read from the log, and so may be any: so many bytes of a record lie there. */
static inline void *log_record_at(uint64_t position, uint64_t bytes)
{
	bool whole = position >= MPSAN_LOG_START && position % MPSAN_UNIT == 0 &&
		     bytes <= MPSAN_CHUNK - position % MPSAN_CHUNK;

	return whole ? log_at(position) : NULL;
}
/* The text of a record there; NULL: it has no end. */
static inline const char *log_text_at(uint64_t position)
{
	const char *text = (const char *)log_record_at(position, MPSAN_UNIT);
	uint64_t most = MPSAN_CHUNK - position % MPSAN_CHUNK;

	for (uint64_t i = sizeof(struct mpsan_record); text && i < most; i++)
		if (!text[i])
			return text + sizeof(struct mpsan_record);
	return NULL;
}
/* Whether the address lies in a mapping of the log, and where that mapping ends. */
bool log_owns(uint64_t address, uint64_t *end);

/* The head of the current log; NULL before the first record (log_open creates it). */
struct mpsan_log *log_head(void);
bool log_open(void);
/* Called when this process has opened its log, to move records there. Set by thread.c. */
extern void (*log_opened)(void);
uint32_t *log_thread_index(void);

/* log_count(dropped) increments a counter of the head, whatever the state of the log. */
#define log_count(counter)                                                         \
	do {                                                                       \
		struct mpsan_log *head__ = log_head();                             \
		if (head__)                                                        \
			__atomic_fetch_add(&head__->counter, 1, __ATOMIC_RELAXED); \
	} while (0)

/* Sets the directory and the maximum size of logs. */
void log_start(const char *directory, uint64_t cap);
const char *log_directory(void);
/* After a fork: the current log is the parent's. */
void log_forked(void);
