/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries of the CUDA rules: what was open at some time, how a process ended, whose initialised
 * driver a forked child inherited. Neighbours: cuda.h has the facts, facts.h the rest.
 */
#pragma once

#include "facts.h"

/* How a process ended, and its mappings with it. */
enum cuda_end {
	CUDA_END_NOT, /* not before the session did */
	CUDA_END_EXIT,
	CUDA_END_EXEC, /* it executed another program */
	CUDA_END_KILLED,
	CUDA_END_SILENT, /* it is gone; how it ended was not seen */
};

enum cuda_end cuda_end(const struct facts *facts, uint32_t slot);
/* When that was; 0: not ended. */
uint64_t cuda_end_ns(const struct facts *facts, uint32_t slot);

/*
 * The first initialisation before `time_ns` in that process or in one that it was forked from:
 * index + 1.
 */
uint32_t cuda_init_before(const struct facts *facts, uint32_t slot, uint64_t time_ns);
/* The fork through which process `slot` inherited that; with 0, that of `slot` itself; FACT_NONE: none. */
uint32_t cuda_fork_after(const struct facts *facts, uint32_t init, uint32_t slot);

/* When a process first started or executed another program after `time_ns`; 0: never. */
uint64_t cuda_launch_ns(const struct facts *facts, uint32_t slot, uint64_t time_ns);

/*
 * How many processes have a context on device 0 and one on another device, if all have the same
 * device 0; `first` becomes index + 1 of the first such context.
 */
uint32_t cuda_crowd(const struct facts *facts, uint32_t *first);

/*
 * Whether the memory was mapped at that time. If its process died silently, the time of its end is
 * inexact, and if its log was full, closes may be missing: `ipc_is_surely_open` is false in such
 * doubtful cases.
 */
bool ipc_is_open(const struct facts *facts, const struct ipc_import *import, uint64_t time_ns);
bool ipc_is_surely_open(const struct facts *facts, const struct ipc_import *import,
			uint64_t time_ns);
/* When it was closed, by a call or by the end of its process; 0: not before the session ended. */
uint64_t ipc_close_ns(const struct facts *facts, const struct ipc_import *import);

/* The piece that was opened; NULL: its export was not seen. */
const struct ipc_piece *ipc_piece_of(const struct facts *facts, const struct ipc_import *import);

/*
 * Whether it was still open at the end of its process. True for one import per piece and process,
 * however often it was opened.
 */
bool ipc_was_left(const struct facts *facts, const struct ipc_import *import);

/* Whether any process had opened it by then, or tried to. */
bool ipc_was_tried(const struct facts *facts, const struct ipc_piece *piece, uint64_t time_ns);

/* Whether a process other than the owner surely had it open: index + 1 of the first such import. */
uint32_t ipc_user(const struct facts *facts, const struct ipc_piece *piece, uint64_t time_ns);

/* Whether importers of this kind of memory keep it alive when its owner frees it or ends. */
bool ipc_outlives(const struct ipc_piece *piece);

/* False for pools: rules report the memory allocated from them. */
bool ipc_counts(const struct ipc_piece *piece);

/* The newest import of process `slot` by that time that contains the address: index + 1. */
uint32_t ipc_import_around(const struct facts *facts, uint32_t slot, uint64_t address,
			   uint64_t time_ns);

/* The pieces that a process exported, and its imports, newest first. */
#define EACH_PIECE(facts, slot, at)                                                            \
	for (uint32_t at = (facts)->cuda.parties ? (facts)->cuda.parties[slot].pieces : 0; at; \
	     at = (facts)->cuda.pieces[at - 1].party_before)
#define EACH_IMPORT(facts, slot, at)                                                            \
	for (uint32_t at = (facts)->cuda.parties ? (facts)->cuda.parties[slot].imports : 0; at; \
	     at = (facts)->cuda.imports[at - 1].party_before)
/* All imports of a piece, newest first. */
#define EACH_USE(facts, piece, at) \
	for (uint32_t at = (piece)->imports; at; at = (facts)->cuda.imports[at - 1].before)
