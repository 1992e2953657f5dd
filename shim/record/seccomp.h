/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Seccomp filters, inherited or installed by the program: which of the library's system calls they
 * allow. A filter may kill the process for the others, so sys.c makes none of them.
 * include/mpsan_calls.def has the rows; hooks/process.c and hooks/syscall.c see new filters.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * At the start: asks whether there is a filter. `tried` (NULL: nothing) is what `mpsan run` found
 * out under its own filters: "MASK.FILTERS". It is valid here if no more filters were added.
 */
void seccomp_start(const char *tried);

/* Whether some call of the library is forbidden, or may be. */
bool seccomp_is_felt(void);

/* What a new filter will allow, and what must be queried before it is installed. */
struct seccomp_coming {
	uint64_t calls;
	uint64_t now_ns;
	uint32_t pid, tid;
	bool births; /* of processes and threads, which need getpid and gettid */
	bool clock; /* it is read without a system call */
};

/*
 * Around a call that installs a filter: `program` is its struct sock_fprog, which is read with
 * care; NULL: strict mode. seccomp_came returns false if too little is allowed for the library to
 * continue.
 */
struct seccomp_coming seccomp_comes(const void *program);
bool seccomp_came(const struct seccomp_coming *coming);
