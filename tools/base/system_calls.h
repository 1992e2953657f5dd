/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of system calls. Those that newer architectures never had get numbers that no call has, so
 * that code which looks for them finds none.
 */
#pragma once

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
