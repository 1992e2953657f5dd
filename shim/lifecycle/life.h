/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Birth, exec and end of this process. session.c finds the session and the slot, fork.c handles
 * forks, hooks/process.c calls.
 */
#pragma once

#include "../record/state.h"

/*
 * A new process, forked at `since` (0: unknown), is running: called first thing in the child. `slot`: as
 * slot_expect() returned it; 0: it was not called.
 */
void life_child(uint32_t slot, enum mpsan_how how, uint64_t fork_pos, uint64_t since);

/* Copies as much of the argument list as the slot holds. */
void life_copy_argv(struct mpsan_process *p, const char *const *argv);

/* exec.c: exec was called. `searched`, `envp`: see exec_reach.h. */
void life_exec(const char *path, bool searched, const char *const *argv, const char *const *envp);
/* As life_exec, for a child created by posix_spawn. */
void life_exec_of(uint32_t slot, const char *path, bool searched, const char *const *argv,
		  const char *const *envp);
void life_exit(int code);
/* A wait call returned a child. `reaped`: it cannot be waited for again. */
void life_ended(uint32_t pid, int status, bool reaped);
