/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel tells the holders of a descriptor only. Each call takes a copy of the descriptor
 * (pidfd_getfd) for the time of one question.
 */
#pragma once

#include <stdint.h>

#define SOCKET_LIMIT_UNKNOWN UINT64_MAX

/* The limit `option` (SO_RCVTIMEO, SO_SNDTIMEO) of a socket in nanoseconds; 0: none. */
uint64_t fd_copy_socket_limit_ns(uint32_t pid, int fd, uint64_t inode, int option);

/* How many bytes wait in a pipe; -1: unknown. */
int fd_copy_pipe_bytes(uint32_t pid, int fd, uint64_t inode);
