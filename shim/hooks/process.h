/* SPDX-License-Identifier: Apache-2.0 */
/* Functions shared by the hooks of process.c and syscall.c. */
#pragma once

#include <stdint.h>

#include "../record/seccomp.h"

/* Ends the hook of a call that installed a seccomp filter; returns its result. */
uint64_t process_filtered(const struct seccomp_coming *coming, int64_t result);

/* Records PR_SET_PDEATHSIG with that signal; 0: none. */
void process_follows(uint64_t signal);
