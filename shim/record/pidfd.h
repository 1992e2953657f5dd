/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors that stand for processes. */
#ifndef MPSAN_PIDFD_H
#define MPSAN_PIDFD_H

#include <stdint.h>

/* The process that a pidfd stands for; 0: it has ended, or this is none. */
uint32_t pidfd_process(int pidfd);

#endif
