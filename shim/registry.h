/*
 * The session's registry of exported device memory (file `exports`): what other processes of the
 * session and the user may find by address or name, and open. Neighbours: ranges.h is the table,
 * cuda.h knows this process's memory, ../include/mpsan.h has the program's side.
 */
#ifndef MPSAN_REGISTRY_H
#define MPSAN_REGISTRY_H

#include "cuda.h"

/* Whether memory is to be exported at birth (--auto-export), and a piece of so many bytes. */
bool registry_auto(void);
bool registry_wants(uint64_t bytes);

/*
 * New memory that registry_wants: makes its handle and enters it. Sets `registry` and `handle` in
 * it. Memory that has no handle is counted and left alone.
 */
void registry_born(struct cuda_memory *memory);

/* The program itself made this handle of that memory; nothing happens where there is no registry. */
void registry_exported(struct cuda_memory *memory, const void *handle, uint32_t bytes);

/* Its end, before the real call. True when some other process has opened it since its birth. */
bool registry_gone(const struct cuda_memory *memory);

/* After a fork: what the parent exported is the parent's. Before the end: ours goes. */
void registry_forked(void);
void registry_exit(void);

#endif
