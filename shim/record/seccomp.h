/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filters of system calls (seccomp), inherited or of the program's own: which calls of ours they let pass. A filter
 * may end the process for the others, so sys.c makes none of them. Neighbours: include/mpsan_calls.def has the rows,
 * hooks/process.c and hooks/syscall.c see a filter come.
 */
#ifndef MPSAN_SECCOMP_H
#define MPSAN_SECCOMP_H

#include <stdbool.h>
#include <stdint.h>

/*
 * At the start: asks whether there is a filter. `tried` (NULL: nothing) is what `mpsan run` found out under its own:
 * "MASK.FILTERS", which holds here as long as no more filters have come.
 */
void seccomp_start(const char *tried);

/* True when something of ours does not pass, or may not. */
bool seccomp_is_felt(void);

/* What a filter will let pass, and what has to be asked before it does. */
struct seccomp_coming {
	uint64_t calls;
	uint64_t now_ns;
	uint32_t pid, tid;
	bool births; /* of processes and threads, which would have to ask who they are */
	bool clock; /* a reading of it needs no system call */
};

/*
 * Around a call that sets a filter: `program` is its struct sock_fprog, which is read with care; NULL: strict mode.
 * False from seccomp_came: too little is left for the library to go on.
 */
struct seccomp_coming seccomp_comes(const void *program);
bool seccomp_came(const struct seccomp_coming *coming);

#endif
