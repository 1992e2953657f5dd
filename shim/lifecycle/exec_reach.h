/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the library will come along through an exec. Only what is seen is said: the reason is
 * kept in the slot, and counts when nothing is heard of the new image. Neighbour: life.c notes
 * execs.
 */
#ifndef MPSAN_EXEC_REACH_H
#define MPSAN_EXEC_REACH_H

#include <stdbool.h>

#include "../../include/mpsan_log.h"

/* When this image begins. */
void exec_reach_start(void);

/*
 * MPSAN_OFF_NOT: nothing speaks against it. `path`: of the program, NULL: not known; `searched`:
 * the call looks for it in PATH. `envp` NULL: the environment of this process. About ten system
 * calls, few beside those that an exec makes.
 */
enum mpsan_off exec_reach_after_exec(const char *path, bool searched, const char *const *envp);

#endif
