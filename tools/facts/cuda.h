/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts about CUDA: who initialised the driver, and the life of each exported allocation of device
 * memory. Handles are reused, so a fact refers to the allocation that its handle meant at that
 * time; the collector enters events in the order of time. Neighbours: facts.h has places and
 * processes; cuda.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "../../include/mpsan_event.h"

/* The place of a record: in the log of `slot` at `pos`, written by process `by`. */
struct fact_place {
	uint32_t slot;
	uint32_t by;
	/* Packed, as millions of events have a place: a TID of the kernel has 22 bits at most. */
	uint32_t tid : 24;
	uint64_t pos : 40;
	uint64_t time_ns;
};

/* Processes that end within this time of each other count as one shutdown. */
#define CUDA_GRACE_NS 1000000000ull
/* An import open for longer than this is held long. */
#define CUDA_HELD_LONG_NS 5000000000ull
/* A launcher that changes its environment starts the child within this time. */
#define CUDA_LAUNCH_NS 10000000000ull
/* Limits of PyTorch's allocator: interprocess events, and blocks that wait for their consumers. */
#define CUDA_EVENTS_MAX 1000u
#define CUDA_WAITING_MAX 1000u

struct fact_cuda_init {
	struct fact_place at;
	struct ev_cuda_init ev;
	bool asks; /* by torch.cuda, which was asked for devices */
};

struct fact_cuda_context {
	struct fact_place at;
	struct ev_cuda_context ev;
};

struct fact_cuda_call {
	struct fact_place at;
	struct ev_cuda_call ev;
};

struct fact_cuda_env {
	struct fact_place at;
	struct ev_cuda_env ev;
};

/* Indices that end in "+ 1" are 0 if there is none, so that a new fact is all zeroes. */

struct ipc_export {
	struct fact_place at;
	struct ev_ipc_export ev;
	uint32_t piece;
	uint32_t waiting; /* pieces of this process not opened by anyone then, this one included */
};

/* An exported allocation, from its first handle until it is freed. */
struct ipc_piece {
	uint32_t owner; /* slot */
	uint32_t by_export; /* index + 1 of the first export; 0: exported by the library */
	uint32_t
		/* index + 1 of the first open through the registry, if that revealed it */
		by_import;
	uint32_t exports; /* times its handle was requested */
	uint32_t opens; /* attempts to open it by other processes */
	uint32_t imports; /* newest one + 1, see ipc_import.before */
	uint32_t freed; /* index + 1 */
	uint32_t free_more; /* index + 1 of another piece that the same free ended */
	uint64_t handle, base, bytes, gpu; /* base 0: no address, as for VMM handles and pools */
	uint64_t memory, device, flags;
	uint64_t born_ns; /* of the first export, or of the allocation in the registry */
	uint64_t end_ns; /* 0: not freed */
	uint32_t handle_before, base_before; /* earlier ones + 1 in the same list */
	uint32_t party_before; /* the owner's previous one + 1 */
};

/* An attempt to map another process's memory. */
struct ipc_import {
	struct fact_place at;
	struct ev_ipc_open ev;
	uint32_t piece; /* index + 1; 0: its export was not seen */
	uint32_t before; /* the piece's previous import + 1 */
	uint32_t party_before; /* the process's previous import + 1 */
	/* index + 1 of an import of the same piece that this process already had open */
	uint32_t again;
	uint32_t open_before; /* previous one + 1 in the same list, while it is open */
	uint64_t close_ns; /* 0: never closed */
	bool signalled; /* the owner had exported an event since the export */
};

struct ipc_free {
	struct fact_place at;
	struct ev_ipc_free ev;
	uint32_t piece; /* index + 1, and the pieces that follow by free_more */
};

struct ipc_refused {
	struct fact_place at;
	struct ev_ipc_refused ev;
};

struct ipc_event {
	struct fact_place at;
	struct ev_ipc_event ev;
	/* how many its process was known to have made; stated each time that number doubles */
	uint32_t before;
};

/* Facts of one process, by slot. */
struct cuda_party {
	uint32_t init; /* index + 1 */
	uint32_t pieces, imports; /* newest one + 1 */
	uint32_t waiting; /* its pieces that no process has opened yet */
	uint32_t events;
	uint64_t event_ns; /* when it last exported an event */
	bool counts; /* its driver let it open a handle again that was open */
};

#define CUDA_LISTS 65536u

/* The collector owns the arrays; `parties` and the lists are NULL if there are no facts. */
struct cuda_facts {
	struct fact_cuda_init *inits;
	struct fact_cuda_context *contexts;
	struct fact_cuda_call *calls;
	struct fact_cuda_env *envs;
	struct ipc_export *exports;
	struct ipc_piece *pieces;
	struct ipc_import *imports;
	struct ipc_free *frees;
	struct ipc_refused *refuseds;
	struct ipc_event *events;
	uint32_t init_count, context_count, call_count, env_count, export_count, piece_count;
	uint32_t import_count, free_count, refused_count, event_count;
	struct cuda_party *parties; /* by slot */
	/* CUDA_LISTS times index + 1, newest first: pieces by handle, by base; open imports */
	uint32_t *handle_lists, *base_lists, *open_lists;
	uint64_t nameless_ns; /* the newest import whose owner is not known; 0: none */
};

/*
 * Enters the newest event of its kind. An export or import may begin a piece, so `pieces` must have
 * room for one more.
 */
void cuda_enter_init(struct cuda_facts *cuda);
void cuda_enter_export(struct cuda_facts *cuda);
void cuda_enter_import(struct cuda_facts *cuda);
void cuda_enter_close(struct cuda_facts *cuda, const struct fact_place *at,
		      const struct ev_ipc_close *ev);
void cuda_enter_free(struct cuda_facts *cuda);
void cuda_enter_event(struct cuda_facts *cuda);
