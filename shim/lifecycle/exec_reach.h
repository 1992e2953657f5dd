/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the library will be loaded after an exec. Only what is certain is said: the reason is
 * kept in the slot, and counts if the new image does not attach. life.c records execs.
 */
#ifndef MPSAN_EXEC_REACH_H
#define MPSAN_EXEC_REACH_H

#include <stdbool.h>

#include "../../include/mpsan_log.h"

/* At the start of this image. */
void exec_reach_start(void);

/*
 * The reason; MPSAN_OFF_NOT: none found. `path`: of the program, NULL: unknown; `searched`: the
 * call searches PATH. `envp` NULL: the environment of this process. About ten system calls, few
 * compared with an exec.
 */
enum mpsan_off exec_reach_after_exec(const char *path, bool searched, const char *const *envp);

#endif
