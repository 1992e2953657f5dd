/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The identity of a process: its PID, its start time, and the PID namespace of that PID. It is
 * unique within one boot, even if PIDs are reused or a time namespace shifts times. session.c names
 * directories by it, table.c identifies processes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct mpsan_process;

struct identity {
	uint32_t pid; /* as in /proc, which may be that of an outer PID namespace */
	uint32_t parent;
	uint64_t start; /* ticks since boot */
	uint64_t pid_ns; /* inode; 0: unknown */
	bool foreign; /* /proc is of another PID namespace */
};

/* The identity of this process, in the namespace `pid_ns`, or in its own for 0; false if /proc does not tell. */
bool identity_self(struct identity *self, uint64_t pid_ns);
/*
 * That of its parent, where /proc is known to be that of the namespace `pid_ns`; false if none is visible. The
 * kernel has a directory in /proc for a parent that was asked for before, and makes one for a process that asks
 * for itself: 20 us.
 */
bool identity_parent(struct identity *parent, uint64_t pid_ns);
/* Moves on to its parent; false if none is visible. */
bool identity_up(struct identity *identity);

/* The identity as text: PID.START.NAMESPACE */
#define IDENTITY_BYTES 64
void identity_name(char name[IDENTITY_BYTES], const struct identity *identity);
/*
 * Whether the process whose identity is at the start of `name` has ended, as far as `self` can
 * tell.
 */
enum identity_state { IDENTITY_UNSURE, IDENTITY_LIVES, IDENTITY_GONE };
enum identity_state identity_state(const char *name, const struct identity *self);

/* Inode of the PID namespace of this process; 0: unknown. */
uint64_t identity_pid_ns(void);
/* mpsan_proc_mount of this process: tells that namespace at a tenth of the cost. */
uint64_t identity_proc_mount(void);

/* Whether CLOCK_REALTIME is ahead of CLOCK_MONOTONIC by that much here, to a millisecond. */
bool identity_has_clocks(uint64_t apart_ns);

/*
 * A note in the directory of the sessions that plain preloading makes: the PID namespace that a mount of /proc
 * shows, and how the clocks of the initial time namespace stand to each other. A process that sees that mount, and
 * whose clocks stand to each other in that way, is in both; asking the kernel costs each process 40 us
 * (decisions/0009).
 */
/* The PID namespace of this process, which is in the initial time namespace; 0: the note does not say so. */
uint64_t identity_noted_pid_ns(const char *base);
/* Leaves the note, unless this process's times are shifted. */
void identity_note(const char *base, uint64_t pid_ns);

/*
 * Whether a process still runs the image of its slot: not ended, not a zombie, not replaced by an
 * exec. A process of another PID namespace counts as alive until its slot says otherwise.
 */
bool identity_lives(const struct mpsan_process *process, uint64_t own_pid_ns);
/*
 * A cheaper form of identity_lives, from the slot and one system call: it does not detect zombies
 * and reused PIDs.
 */
bool identity_has_ended(const struct mpsan_process *process, uint64_t own_pid_ns);

/* Strictly: seen in /proc to run the image of its slot, and its main thread not to be ending. */
bool identity_stays(const struct mpsan_process *process, uint64_t own_pid_ns);

/* Whether this process was started at that time or before. */
bool identity_began_by(uint64_t birth_ns);

/*
 * Whether a user ID stands for one user, and not for all users that a user namespace does not map.
 */
bool identity_is_mapped(uint32_t uid);
