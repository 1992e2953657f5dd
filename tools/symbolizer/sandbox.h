/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks this process in, for good: it may read files and answer on one descriptor, with bounded memory and processor time.
 * Where the kernel lacks a part of that, or a filter forbids it, the others hold.
 */
#pragma once

/* Processor time after which the kernel ends the process. */
#define SANDBOX_CPU_S 300u

/* Keeps `fd` alone, as SANDBOX_FD. */
#define SANDBOX_FD 0
void sandbox_enter(int fd);
