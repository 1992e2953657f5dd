/* SPDX-License-Identifier: Apache-2.0 */
/* Time limits of sockets, which the kernel shows to their holders only. */
#ifndef MPSAN_SOCKET_LIMIT_H
#define MPSAN_SOCKET_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether a socket has the limit `option` (SO_RCVTIMEO, SO_SNDTIMEO), or cannot be asked. Takes a
 * copy of the descriptor (pidfd_getfd) for the time of one call.
 */
bool socket_has_limit(uint32_t pid, int fd, uint64_t inode, int option);

#endif
