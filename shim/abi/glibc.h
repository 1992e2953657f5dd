/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Definitions that only newer headers of glibc and the kernel have, so that the library builds with
 * older ones (Debian 11 has glibc 2.31 and Linux 5.10). Whether a function exists at run time is
 * shown by the table of next definitions: a missing one is hook_absent.
 */
#pragma once

#include <link.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/types.h>

/* These numbers are the same on all architectures. */
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1u << 2) /* linux/close_range.h */
#endif

pid_t _Fork(void);
int execveat(int at, const char *path, char *const argv[], char *const envp[], int flags);
int close_range(unsigned first, unsigned last, int flags);
void closefrom(int first);
int pidfd_send_signal(int pidfd, int signal, siginfo_t *info, unsigned flags);

/* struct dl_find_object of glibc 2.35 on x86-64 and aarch64, whose unwinders rely on it. */
struct found_object {
	unsigned long long flags;
	void *start, *end;
	struct link_map *map;
	void *frames;
	unsigned long long reserved[7];
};
typedef int find_object_function(void *address, struct found_object *result); /* -1: not found */
