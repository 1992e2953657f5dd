/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of this process among others: the names that Python gives to the processes that it starts,
 * whether a started child runs its main module again, signals and exits. life.h has birth and end;
 * hooks/proc_events.c and hooks/process.c call; cpython/process.h reads multiprocessing's frames.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "../../include/mpsan_event.h"

/*
 * Whether this image is a child of multiprocessing's spawn or forkserver, by its arguments, or the
 * fork server itself. `unnamed` is set until its Python name is known, which is after its main
 * module has run again.
 */
struct proc_events {
	bool started;
	bool unnamed;
	bool told_end;
	uint64_t
		/* the traceback of the exception that ends this process: a text of its log */
		failed;
	uint32_t again; /* a bit for each enum mpsan_main_how that was recorded */
};
extern struct proc_events proc_events;

/* At the start of an image, and in a forked child. */
void proc_events_start(void);
void proc_events_forked(void);

/*
 * In an `unnamed` child that opens a file: the bootstrap of all of them opens /dev/null, and its
 * frames have the name.
 */
void proc_events_opened(const char *path);

/*
 * The calling thread creates a process, whose event is at `fork`: records the child's name, a model
 * that it is passed while no memory of torch is shared, and whether this happens while the main
 * module runs again. `copies`: the child is a fork of this process.
 */
void proc_events_forks(uint64_t fork, bool copies);

/*
 * Records that the calling thread does, while the main module runs again, what only its first run
 * should do.
 */
void proc_events_main_again(enum mpsan_main_how how, uint64_t caller);

/*
 * proc_events_kills records that a call is about to send a signal to a process, a group (pid <= 0)
 * or this process: returns the event, 0: nothing new. proc_events_kill_failed revokes it.
 */
uint64_t proc_events_kills(int64_t pid, int signal, uint64_t caller);
void proc_events_kill_failed(uint64_t stated);
/* Whether this process has sent that process a signal; true if it is not known any more. */
bool proc_events_has_signalled(uint32_t pid);
/*
 * The target of a signal sent by pidfd, for proc_events_kills; PROC_EVENTS_NOBODY if it is unknown,
 * or nothing is sent.
 */
#define PROC_EVENTS_NOBODY INT64_MIN
int64_t proc_events_target(int pidfd, int signal);
void proc_events_raised(int signal, uint64_t caller);

/* A wait call returned a child's end. `taken`: the caller took the status. */
void proc_events_reaped(uint32_t pid, int status, bool taken, uint64_t caller);

/*
 * proc_events_processors returns the number of processors that a thread (0: the calling one) may
 * run on; the other records a change of affinity.
 */
uint64_t proc_events_processors(int tid);
void proc_events_bound(int tid, uint64_t before, uint64_t caller);

/*
 * This process, or its vfork child, is about to request to outlive its parent, or to end with it:
 * returns whether it had done so before. The other function revokes it after a failure.
 */
bool proc_events_flag(uint16_t flag);
void proc_events_unflag(uint16_t flag);

/* The program ends this process with this status. */
void proc_events_left(int code, uint64_t caller);
