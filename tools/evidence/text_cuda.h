/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names in texts about CUDA: kinds of memory, sizes, error numbers, how a process ended.
 * Neighbours: text_locks.h, evidence_cuda.h.
 */
#pragma once

#include "../reader/reader.h"

const char *memory_text(uint64_t memory); /* enum mpsan_memory: "device memory" */
const char *memory_name(uint64_t memory); /* "DEVICE", for dumps */

/* The caller frees the following texts. */
char *bytes_text(uint64_t bytes); /* "2 MiB" */
char *device_text(uint64_t device); /* "device 0" */
char *duration_text(uint64_t ns); /* "1.5 s" */
char *result_text(const char *function, uint64_t result); /* "error 3 (not initialized)" */
char *end_text(const struct facts *facts,
	       uint32_t slot); /* "was killed by signal 9 (SIGKILL: Killed)" */
const char *cause_text(uint64_t cause); /* enum mpsan_ipc_cause */
const char *cause_advice(uint64_t cause);
