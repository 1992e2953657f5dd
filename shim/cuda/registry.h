/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this process enters into the session's registry of exported device memory (export_table.h), for
 * other processes to find by address or name, and open. Neighbours: cuda.h knows this process's
 * memory, ipc.c is the program's side.
 */
#ifndef MPSAN_REGISTRY_H
#define MPSAN_REGISTRY_H

#include "cuda.h"

/* Reads --auto-export: memory of at least so many bytes is exported when it is allocated. */
void registry_start(void);
bool registry_auto(void);
/* Whether a piece of so many bytes is. */
bool registry_wants(uint64_t bytes);

/*
 * New memory that registry_wants: makes its handle and enters it. Sets `registry` and `handle` in
 * it. Memory that has no handle is counted and left alone.
 */
void registry_born(struct cuda_memory *memory);

/* The same for one piece on request: 0, -EOPNOTSUPP, -ENOSPC, -ENODEV. */
int registry_enter(struct cuda_memory *memory);

/*
 * The program itself made this handle of that memory. Only handles of 64 bytes that say all are
 * kept: descriptors are the program's own, to be closed when it likes.
 */
void registry_exported(struct cuda_memory *memory, const void *handle, uint32_t bytes);

/*
 * Its end, before the real call, whether it is known to be here or not. True when some other process
 * has opened it since its birth.
 */
bool registry_gone(const struct cuda_memory *memory);

/*
 * The program itself mapped memory of another process, and gave it back: for the list of importers.
 * Nothing happens where nobody has exported anything.
 */
void registry_imported(const struct cuda_memory *memory, uint64_t handle);
void registry_unimported(uint64_t handle);

/* A pool's end: its address may be another's from now on. */
void registry_pool_gone(uint64_t pool);

/* This process has something here that must be taken back. */
void registry_owns(void);

/* After a fork: what the parent exported is the parent's. Before the end: ours goes. */
void registry_forked(void);
void registry_exit(void);
/* The same before it becomes another program, unless that cannot succeed. */
void registry_exec(const char *path);

#endif
