/* Memory of other processes, mapped here through the registry. Neighbours: ipc.c calls, exported.h. */
#ifndef MPSAN_IMPORT_H
#define MPSAN_IMPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "../include/mpsan.h"

/*
 * Makes a context current if there is none and the runtime can: to be called outside of INSIDE, since
 * it counts as the program's own use of CUDA.
 */
void import_prepare(uint64_t caller);

/* As mpsan_ipc_open and mpsan_ipc_close say. */
int import_open(const struct mpsan_export *exported, uint64_t caller, void **pointer);
int import_close(uint64_t address, uint64_t caller);

#endif
