/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Append a record: never blocks, never allocates, may be called from anywhere (signal handlers,
 * atfork handlers, between fork and exec). A process gets its file at its first record; a child
 * that can make none (chroot, no descriptors, another user) writes into the one that it inherited.
 * What finds no room is counted.
 */
#ifndef MPSAN_SHIM_LOG_H
#define MPSAN_SHIM_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../include/mpsan_event.h"
#include "../../include/mpsan_log.h"

/*
 * EMIT(fork, .how = …) writes an event; its value is the record's position, 0 when it was dropped.
 */
#define EMIT(name, ...) \
	log_append(EV_##name, &(struct ev_##name){__VA_ARGS__}, sizeof(struct ev_##name))

uint64_t log_append(enum mpsan_event_type type, const void *payload, size_t bytes);

/* The same of what began at that time, when more is known of it now. */
uint64_t log_append_of(uint64_t time_ns, enum mpsan_event_type type, const void *payload,
		       size_t bytes);

/* A `text` record of a NUL-terminated string, or the earlier one with the same content. */
uint64_t log_text(const char *text);

/*
 * What other threads or processes can act on is announced before the call that does it: stated afterwards it
 * would come too late for whoever reads of what they did, or never if they end this process. A call that failed
 * takes it back. `key` (log_key) tells an attempt that is made again and again: those that failed have one
 * record, with the time of the first. Without a key, where the order of such attempts matters, each has its own.
 * 0: none was written.
 */
uint64_t log_announce(uint64_t key, enum mpsan_event_type type, const void *payload, size_t bytes);
void log_settle(uint64_t key, uint64_t position, bool happened);
void log_take_back(uint64_t position);
uint64_t log_key(enum mpsan_event_type type, uint64_t a, uint64_t b);
/* Something is remembered under that key, and was not taken back. */
bool log_is_stated(uint64_t key);
#define ANNOUNCE(key, name, ...) \
	log_announce(key, EV_##name, &(struct ev_##name){__VA_ARGS__}, sizeof(struct ev_##name))

/* For records that are filled in place: payload of `bytes`, then log_commit. NULL: no room. */
void *log_reserve(enum mpsan_event_type type, size_t bytes, uint64_t *position);
void log_commit(void *payload);

/* Equal content is written once: an earlier record with this hash, or 0; log_remember adds one. */
uint64_t log_recall(uint64_t hash);
void log_remember(uint64_t hash, uint64_t position);

/* In a forked child that still uses the mappings, and so the positions, of its parent's log. */
bool log_is_inherited(void);

/* Where a record of this process's own log stands in memory; NULL when it is not mapped. */
void *log_at(uint64_t position);
/* Whether a part of it is mapped there, and where that ends. */
bool log_owns(uint64_t address, uint64_t *end);

/* The head of the log in use, NULL before the first record; log_open makes it. */
struct mpsan_log *log_head(void);
bool log_open(void);
/* Called when this process has got a log: records that waited for one move there. Set by thread.c. */
extern void (*log_opened)(void);
uint32_t *log_thread_index(void);

/* One more for a counter of the head, whatever the state of the log: log_count(dropped). */
#define log_count(counter)                                                         \
	do {                                                                       \
		struct mpsan_log *head__ = log_head();                             \
		if (head__)                                                        \
			__atomic_fetch_add(&head__->counter, 1, __ATOMIC_RELAXED); \
	} while (0)

/* Where logs go and how large one may be. */
void log_start(const char *directory, uint64_t cap);
const char *log_directory(void);
/* After a fork: the log in use is the parent's. */
void log_forked(void);

#endif
