/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The session's table of processes. It starts small and doubles when it is full; a slot never moves. session.c
 * maps it, life.c has the own slot.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "../../include/mpsan_log.h"

#define TABLE_NO_SLOT UINT32_MAX

struct mpsan_process *table_of(struct mpsan_session *session);

/* Size of a file with that many slots. */
static inline uint64_t table_file_bytes(uint32_t slots)
{
	return MPSAN_PAGE + (uint64_t)slots * sizeof(struct mpsan_process);
}

bool table_is_sound(const struct mpsan_session *session, uint64_t file_bytes);

/*
 * Sets the table for the functions below. `path` is its file, whose first `slots` slots are mapped,
 * or will be once they exist. Slots beyond are not used here.
 */
void table_mapped(const struct mpsan_session *session, const char *path, uint64_t device,
		  uint64_t inode, uint32_t slots);

/* How many slots may be read: the number in the file, if it is not more than what is mapped. */
uint32_t table_there(const struct mpsan_session *session);

/* Called before the head is read, which will be written, too. */
void table_touch(struct mpsan_session *session);

/* Whether the address lies in that mapping, and where it ends. */
bool table_owns(uint64_t address, uint64_t *end);

/* This process was the first without a free slot. */
extern bool table_is_full;
/* Counts a process that has none. */
void table_count_unrecorded(struct mpsan_session *session);

/* Takes the next slot, for a process whose PID is not known yet; TABLE_NO_SLOT: the table is full. */
uint32_t table_reserve(struct mpsan_session *session);
/* Lets others find a slot that was reserved, by the PID that it has now. */
void table_enter(struct mpsan_session *session, uint32_t slot);

/*
 * Claims a slot for a process. A process and its parent may both do so: a slot of the same PID
 * without any of the flags `unless` is used instead of a second one, if the process was born since
 * `since_ns`: that of its first image, if it has called exec meanwhile (0: the newest, if it has not ended).
 */
uint32_t table_claim(struct mpsan_session *session, uint32_t pid, uint64_t pid_ns,
		     uint64_t since_ns, uint16_t unless);

/* The newest slot of a process with this PID that has not ended; TABLE_NO_SLOT: none. */
uint32_t table_find(struct mpsan_session *session, uint32_t pid, uint64_t pid_ns);
/* As table_find, including ended processes. */
uint32_t table_find_last(struct mpsan_session *session, uint32_t pid, uint64_t pid_ns);
