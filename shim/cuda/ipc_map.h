/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How another process's memory is mapped here, each kind in its way, and who may take its descriptor.
 * Neighbours: ipc_open.c decides and keeps the books.
 */
#ifndef MPSAN_IPC_MAP_H
#define MPSAN_IPC_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "../../include/mpsan_log.h"
#include "../abi/cuda.h"

/* What one opening is about. */
struct opening {
	const struct mpsan_export_place *of; /* a copy of what stood at `place` */
	const struct mpsan_export_place *place;
	uint64_t caller;
	uint64_t mapped;
	CUresult result; /* of the driver's call that failed */
};

/*
 * Makes a context current if there is none and the runtime can: to be called outside of GUARDED, since
 * it counts as the program's own use of CUDA.
 */
void ipc_map_prepare(uint64_t caller);
bool ipc_map_has_context(uint64_t caller);

/* 0: `mapped` says where; or a negative errno. One thread at a time. */
int ipc_map_open(struct opening *o);
CUresult ipc_map_unmap(const struct mpsan_export_place *import, uint64_t caller);

/* As mpsan_ipc_open says it. */
int ipc_map_errno(CUresult result);

#endif
