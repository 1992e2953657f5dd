/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the library will be loaded after an exec. Only what is certain is said: the reason is
 * kept in the slot, and counts if the new image does not attach. life.c records execs.
 */
#pragma once

#include <stdbool.h>

#include "../../include/mpsan_log.h"

/* At the start of this image. */
void exec_reach_start(void);

/*
 * Whether a path, and each of the first arguments of a list, can be read to its end. Else the kernel cannot either,
 * and exec fails.
 */
bool exec_reach_text(const char *text);
bool exec_reach_list(const char *const *list);

/* What an environment has: addresses of values, NULL: not set; and how many variables in all. */
struct exec_variables {
	const char *preload, *directory, *options;
	uint32_t count;
};

/* Adds what is there; false: it cannot be read. */
bool exec_reach_look_at(struct exec_variables *found, const char *const *envp);
/* The environment of this process as it is now. */
const char *const *exec_reach_environment(void);

/*
 * The reason; MPSAN_OFF_NOT: none found. `path`: of the program, NULL: unknown; `searched`: the
 * call searches PATH. `envp` NULL: the environment of this process. About ten system calls, few
 * compared with an exec.
 */
enum mpsan_off exec_reach_after_exec(const char *path, bool searched, const char *const *envp);
