/*
 * What people call things of shared memory. Neighbours: text_cuda.h for sizes, evidence_shm.h.
 */
#ifndef MPSAN_TEXT_SHM_H
#define MPSAN_TEXT_SHM_H

#include "../reader/reader.h"

/* For dumps: enums by name, NULL for a field that is none. */
const char *shm_field_name(uint16_t type, const char *field, uint64_t value);
/* The same for sums of flags: names of the bits, ended by NULL. */
const char *const *shm_field_bits(uint16_t type, const char *field);

/* The others are owned by the caller. Segments are index + 1. */
char *segment_text(const struct reader *reader, uint32_t segment); /* "torch_1 (4 MiB)" */
/* The name under which it was made; NULL: none. Borrowed. */
const char *segment_name(const struct reader *reader, uint32_t segment);
/* All names that it was opened under, at most a few. */
char *segment_names(const struct reader *reader, uint32_t segment);
/* Who had it mapped then: "Process-2 (pid 7) and 3 more". */
char *segment_mappers(const struct reader *reader, uint32_t segment, uint64_t time_ns);
/* Tensors that were ready to be fetched: "3 tensors (12 MiB)". */
char *kept_text(uint64_t count, uint64_t bytes);
/* "nothing was", "2 MiB were": a sentence goes on with "free". */
char *free_text(uint64_t bytes);
/* What became of a connection: "nobody answered (Connection refused)". */
char *connect_text(uint64_t result);

#endif
