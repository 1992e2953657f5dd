/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs this command once more, as a process of its own: what it reads of a session is what lies in
 * files. Neighbours: interim.h and rescue.h.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/*
 * Starts `mpsan ARGV[1]…`, with blocked signals as they are here. Its standard output is dropped, its
 * standard error too unless it is loud. Returns its PID; 0: not started. Async-signal-safe.
 */
pid_t own_command_start(char **argv, bool is_loud);
