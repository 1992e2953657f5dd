/* SPDX-License-Identifier: Apache-2.0 */
/* Texts for system calls in which threads wait. Neighbour: proc.h reads the call of a thread. */
#pragma once

#include "proc.h"

/*
 * "read(fd 3: pipe:[1234])", "nanosleep()", "open(/tmp/a), until a process opens the FIFO for writing",
 * "system call 281", which the caller frees; NULL for a running thread.
 */
char *call_text(uint32_t pid, uint32_t tid, const struct proc_call *call);

/* Whether it is about a descriptor, its first argument, or about a path. */
bool call_is_on_descriptor(const struct proc_call *call);
bool call_is_on_path(const struct proc_call *call);

/* Whether it waits for room to write. */
bool call_writes(const struct proc_call *call);

/* Whether it returns after a time limit of its own. */
bool call_has_limit(const struct proc_call *call);

/* How long a wait for descriptors lasts at most, from its start; 0: unknown, or no such call. */
uint64_t call_limit_ns(uint32_t pid, const struct proc_call *call);

/* When the time limit of a call that began then runs out, or its sleep ends; 0: unknown, or it has none. */
uint64_t call_ends_ns(uint32_t pid, const struct proc_call *call, uint64_t began_ns);

/* Whether it waits for one of several descriptors. */
bool call_is_poll(const struct proc_call *call);
/* Whether it is that of an event loop, as a rule: epoll. */
bool call_is_loop(const struct proc_call *call);

/* Whether it only lets time pass. */
bool call_is_sleep(const struct proc_call *call);
/* Whether it waits for a signal. */
bool call_awaits_signal(const struct proc_call *call);

/* Whether it waits for something outside the job: time, a terminal, a network, a device. */
bool call_is_outside(uint32_t pid, const struct proc_call *call);

/* Whether it waits for what comes to a descriptor that its thread has no more: another thread has closed it meanwhile. */
bool call_is_on_closed(uint32_t tid, const struct proc_call *call);

/* The signals that could end a wait for signals, as bits: those of its set, or that are handled; 0: none, or another call. */
uint64_t call_signals(uint32_t pid, uint32_t tid, const struct proc_call *call);

/* Whether it opens a FIFO whose other end nobody has opened. */
bool call_opens_fifo(uint32_t pid, uint32_t tid, const struct proc_call *call);
/* Whether it opens a FIFO to write to it, which nobody has opened for reading. */
bool call_wants_reader(uint32_t pid, uint32_t tid, const struct proc_call *call);
/* Whether it is such a call, or reads from a FIFO, and nothing was ever written to that. */
bool call_fifo_is_new(uint32_t pid, uint32_t tid, const struct proc_call *call);
