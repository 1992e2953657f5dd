/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors that refer to processes. */
#pragma once

#include <stdint.h>

/* The PID that a pidfd refers to; 0: it has ended, or this is no pidfd. */
uint32_t pidfd_process(int pidfd);
