/* SPDX-License-Identifier: Apache-2.0 */
/* Names in texts about shared memory. Neighbours: text_cuda.h for sizes, evidence_shm.h. */
#pragma once

#include "../reader/reader.h"

/* The caller frees the texts. Segments are index + 1. */
char *segment_text(const struct reader *reader, uint32_t segment); /* "torch_1 (4 MiB)" */
/* The name under which it was created; NULL: none. Borrowed. */
const char *segment_name(const struct reader *reader, uint32_t segment);
/* All names under which it was opened, a few at most. */
char *segment_names(const struct reader *reader, uint32_t segment);
/* The processes that had it mapped then: "Process-2 (pid 7) and 3 more". */
char *segment_mappers(const struct reader *reader, uint32_t segment, uint64_t time_ns);
/* Tensors that wait to be received: "3 tensors (12 MiB)". */
char *kept_text(uint64_t count, uint64_t bytes);
/* "nothing was", "2 MiB were": the sentence continues with "free". */
char *free_text(uint64_t bytes);
/* Why a connection failed: "nothing was listening (connection refused)". */
char *connect_text(uint64_t result);
