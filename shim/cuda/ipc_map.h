/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps another process's memory, depending on its kind, and takes its descriptor. ipc_open.c
 * decides and counts.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "../../include/mpsan_log.h"
#include "../abi/cuda.h"

/* One open in progress. */
struct opening {
	const struct mpsan_export_place *of; /* a copy of the entry `place` */
	const struct mpsan_export_place *place;
	uint64_t caller;
	uint64_t mapped;
	CUresult result; /* of the driver's call that failed */
};

/*
 * Makes a context current if there is none and the runtime can: call it outside of GUARDED, because
 * it counts as the program's own use of CUDA.
 */
void ipc_map_prepare(uint64_t caller);
bool ipc_map_has_context(uint64_t caller);

/* Maps it: 0, with the address in `mapped`, or a negative errno value. One thread at a time. */
int ipc_map_open(struct opening *o);
CUresult ipc_map_unmap(const struct mpsan_export_place *import, uint64_t caller);

/* The driver's result as a negative errno value of mpsan_ipc_open. */
int ipc_map_errno(CUresult result);
