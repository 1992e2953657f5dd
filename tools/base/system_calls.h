/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of system calls, and which of them wait for descriptors. Those that newer architectures never had get numbers that no
 * call has, so that code which looks for them finds none.
 */
#pragma once

#include <stdbool.h>
#include <sys/syscall.h>

#ifndef SYS_open /* aarch64 and all architectures since */
enum {
	SYS_access = 0x7fff0000,
	SYS_alarm,
	SYS_epoll_wait,
	SYS_fork,
	SYS_mkdir,
	SYS_open,
	SYS_pause,
	SYS_poll,
	SYS_readlink,
	SYS_rename,
	SYS_rmdir,
	SYS_select,
	SYS_unlink,
	SYS_vfork,
};
#endif

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* An event loop's, as a rule. */
static inline bool system_call_is_epoll(long number)
{
	return number == SYS_epoll_wait || number == SYS_epoll_pwait;
}

/* Whether it waits for one of several descriptors. */
static inline bool system_call_is_poll(long number)
{
	return number == SYS_poll || number == SYS_ppoll || number == SYS_select ||
	       number == SYS_pselect6 || system_call_is_epoll(number);
}
