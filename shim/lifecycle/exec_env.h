/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The setting restore-preload: programs that start others with an environment of their own making
 * (`env -i`, env={}) get back the variables that load the library and name the session.
 */
#pragma once

#include <stdint.h>

/* At the start of this image. */
void exec_env_start(void);

/*
 * How many pointers a completed copy of the environment has, its null pointer among them; 0: nothing
 * is to be put back, as the setting is off, the variables are there, or the environment cannot be
 * read or is too large.
 */
uint32_t exec_env_room(const char *const *envp);
/* Writes that copy, which has so much room. */
void exec_env_fill(const char **to, uint32_t room, const char *const *envp);
