/*
 * Questions that the rules about CUDA ask: what was open at some time, how a process ended, whose
 * initialised driver a forked child inherited. Neighbours: cuda.h has the facts, facts.h the rest.
 */
#ifndef MPSAN_CORE_IPC_H
#define MPSAN_CORE_IPC_H

#include "facts.h"

/* How a process, with all that it had mapped, came to its end. */
enum cuda_end {
	CUDA_END_NOT, /* not before the session's */
	CUDA_END_EXIT,
	CUDA_END_EXEC, /* it became another program */
	CUDA_END_KILLED,
	CUDA_END_SILENT, /* it is gone, and nobody saw how */
};

enum cuda_end cuda_end(const struct facts *facts, uint32_t slot);
/* When that was; 0: it has not ended. */
uint64_t cuda_end_ns(const struct facts *facts, uint32_t slot);

/* The first initialisation in that process, or in one that it is a copy of, before `time_ns`: index + 1. */
uint32_t cuda_init_before(const struct facts *facts, uint32_t slot, uint64_t time_ns);
/* The fork through which process `slot` inherited it; FACT_NONE. */
uint32_t cuda_fork_after(const struct facts *facts, uint32_t init, uint32_t slot);

/* When a process first started another program, or became one, after `time_ns`; 0: it did not. */
uint64_t cuda_launch_ns(const struct facts *facts, uint32_t slot, uint64_t time_ns);

/*
 * How many processes hold a context on device 0 besides one on another device, where all have the
 * same device 0; `first` gets the index + 1 of the first such context.
 */
uint32_t cuda_crowd(const struct facts *facts, uint32_t *first);

/*
 * Whether memory was mapped then. Where its process died without a word the time of its end is not
 * exact, and where its log was full its closes may be missing: `ipc_is_surely_open` leaves out what may
 * have been closed that way.
 */
bool ipc_is_open(const struct facts *facts, const struct ipc_import *import, uint64_t time_ns);
bool ipc_is_surely_open(const struct facts *facts, const struct ipc_import *import,
			uint64_t time_ns);
/* When it was closed, by call or by the end of its process; 0: not before the session's. */
uint64_t ipc_close_ns(const struct facts *facts, const struct ipc_import *import);

/* The piece that was opened; NULL: nobody was seen to export it. */
const struct ipc_piece *ipc_piece_of(const struct facts *facts, const struct ipc_import *import);

/*
 * Whether it was still open at the end of its process, and the first such: however often a process has
 * a piece open, it leaves it once.
 */
bool ipc_was_left(const struct facts *facts, const struct ipc_import *import);

/* Whether somebody had opened it by then, or tried to. */
bool ipc_was_tried(const struct facts *facts, const struct ipc_piece *piece, uint64_t time_ns);

/* Whether somebody else than the owner had it surely open: index + 1 of the first such import. */
uint32_t ipc_user(const struct facts *facts, const struct ipc_piece *piece, uint64_t time_ns);

/* Importers of this kind of memory keep it alive when its owner frees it or ends. */
bool ipc_outlives(const struct ipc_piece *piece);

/* Rules speak of memory, not of the pool that it comes from. */
bool ipc_counts(const struct ipc_piece *piece);

/* The newest import of process `slot` by then that contains the address: index + 1. */
uint32_t ipc_import_around(const struct facts *facts, uint32_t slot, uint64_t address,
			   uint64_t time_ns);

/* The pieces that a process lent, and what it opened, newest first. */
#define EACH_PIECE(facts, slot, at)                                                            \
	for (uint32_t at = (facts)->cuda.parties ? (facts)->cuda.parties[slot].pieces : 0; at; \
	     at = (facts)->cuda.pieces[at - 1].party_before)
#define EACH_IMPORT(facts, slot, at)                                                            \
	for (uint32_t at = (facts)->cuda.parties ? (facts)->cuda.parties[slot].imports : 0; at; \
	     at = (facts)->cuda.imports[at - 1].party_before)
/* All imports of a piece, newest first. */
#define EACH_USE(facts, piece, at) \
	for (uint32_t at = (piece)->imports; at; at = (facts)->cuda.imports[at - 1].before)

#endif
