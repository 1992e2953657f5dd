/* SPDX-License-Identifier: Apache-2.0 */
/* Time limits of sockets, which the kernel shows to their holders only. */
#ifndef MPSAN_SOCKET_LIMIT_H
#define MPSAN_SOCKET_LIMIT_H

#include <stdint.h>

#define SOCKET_LIMIT_UNKNOWN UINT64_MAX

/*
 * The limit `option` (SO_RCVTIMEO, SO_SNDTIMEO) of a socket in nanoseconds; 0: none. Takes a copy of
 * the descriptor (pidfd_getfd) for the time of one call.
 */
uint64_t socket_limit_ns(uint32_t pid, int fd, uint64_t inode, int option);

#endif
