/*
 * Under a filter of system calls (seccomp), which of them end who makes them: children of our own try. Neighbours:
 * calls.def has the supervisor's, ../include/mpsan_calls.def the library's.
 */
#ifndef MPSAN_FILTERED_H
#define MPSAN_FILTERED_H

#include <stdbool.h>

/* Tries, where there is a filter. The name of a call that the supervisor cannot do without and may not make, or NULL. */
const char *filtered_try(void);

/* True where there is no filter, or this call of calls.def was tried and did no harm. */
bool filtered_may(long number);

/* Makes one that libc may lack: -1 and errno (ENOSYS where it may not be made). */
long filtered_call(long number, long a, long b, long c, long d, long e);

/* A socket, closed on exec, where it and what is sent and received may be made; -1 and errno. */
int filtered_socket(int family, int type, int protocol);

/* The calls that do harm, a list for people; owned by the caller, empty: none. */
char *filtered_names(void);

/* What the library is to know, for its setting `calls`; owned by the caller. NULL: there is no filter. */
char *filtered_for_library(void);

#endif
