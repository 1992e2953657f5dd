/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which system calls the seccomp filter of this process answers by killing the caller: child
 * processes try them. Neighbours: calls.def lists the supervisor's calls,
 * ../include/mpsan_calls.def the library's.
 */
#pragma once

#include <stdbool.h>

/*
 * Tries all calls if there is a filter. Returns the name of a forbidden call that the supervisor
 * needs, or NULL.
 */
const char *filtered_try(void);

/* True if there is no filter, or if this call of calls.def was tried and is harmless. */
bool filtered_may(long number);

/*
 * Makes a system call for which libc may have no wrapper. Returns -1 with errno, ENOSYS if the
 * filter forbids it.
 */
long filtered_call(long number, long a, long b, long c, long d, long e);

/* Returns a close-on-exec socket if sockets can be made and used; else -1 with errno. */
int filtered_socket(int family, int type, int protocol);

/* The forbidden calls as a list to print; empty if there are none. The caller frees it. */
char *filtered_names(void);

/* The value of the library's setting `calls`; NULL if there is no filter. The caller frees it. */
char *filtered_for_library(void);
