/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which processes around one belong to its job: not the shell, terminal or CI agent above it, nor the pipeline in which
 * this command runs. Neighbour: target.h has the processes.
 */
#pragma once

#include "target.h"

#define JOB_DEPTH 64u /* of a tree, at most */

/* A shell as its arguments show it, which are separated by NUL: with a script or command to run, or without. */
enum job_shell { JOB_NO_SHELL, JOB_BARE_SHELL, JOB_SCRIPT };
enum job_shell job_shell_of(const char *argv, size_t bytes);

/* The process at the top of the job that a process belongs to. */
uint32_t job_root(const struct target *target, uint32_t pid);

/* Whether a process is above this command: its ancestor. */
bool job_is_above_us(const struct target *target, uint32_t pid);

/* Whether it only serves this command: timeout or sudo above it, or a part of its pipeline, as `| head`. */
bool job_serves_us(const struct target *target, const struct target_process *process);
