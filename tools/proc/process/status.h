/* SPDX-License-Identifier: Apache-2.0 */
/* What /proc says of a process as a whole, in words. Neighbour: ../proc.h has the states of its threads. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * /proc/PID/task/TID/status, with the lines of proc(5), cut at PROC_STATUS_BYTES; `tid` 0: /proc/PID/status. False:
 * it cannot be read.
 */
#define PROC_STATUS_BYTES 8192u
bool proc_status(uint32_t pid, uint32_t tid, char text[PROC_STATUS_BYTES]);
/* What follows "KEY:" in it; NULL: the kernel has no such line. */
const char *proc_status_line(const char *text, const char *key);
/* The first number there, of that base; false: unknown. */
bool proc_status_number(uint32_t pid, uint32_t tid, const char *key, int base, uint64_t *number);

/* Its command, without the path, and cut to 15 characters, which may be any; false, and "": unknown. */
#define PROC_COMMAND_BYTES 64u /* the kernel's own threads have longer ones */
bool proc_command(uint32_t pid, char name[PROC_COMMAND_BYTES]);
/* Its arguments, with a NUL behind each, as it may have changed them; how many bytes, 0: unknown. */
size_t proc_arguments(uint32_t pid, char *text, size_t bytes);

/*
 * How often a thread called read, write and the like (proc(5), io: syscr and syscw); TID 0: its process, with the children that it
 * has waited for. False: unknown.
 */
bool proc_transfers(uint32_t pid, uint32_t tid, uint64_t *calls);
/*
 * Bytes of memory of a living process, 0: this one, even while a core file stands in for others, by the field of /proc/PID/statm:
 * mapped, resident, resident of files, or counted for RLIMIT_DATA; 0: unknown.
 */
enum proc_memory { PROC_MAPPED, PROC_RESIDENT, PROC_OF_FILES, PROC_DATA = 5 };
uint64_t proc_memory(uint32_t pid, enum proc_memory which);
