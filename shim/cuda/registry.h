/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This process's entries in the session's registry of exported device memory (export_table.h),
 * which other processes find by address or name, and open. cuda.h knows this process's memory,
 * ipc.c is the program's interface.
 */
#pragma once

#include "cuda.h"

/* Reads --auto-export: allocations of at least that size are exported. */
void registry_start(void);
bool registry_auto(void);
/* Whether an allocation of that size is exported. */
bool registry_wants(uint64_t bytes);

/*
 * Exports new memory: creates its handle and enters it. Sets its `registry` and `handle`. Memory
 * without a handle is counted and skipped.
 */
void registry_born(struct cuda_memory *memory);

/* Exports one allocation on request: 0, -EOPNOTSUPP, -ENOSPC, -ENODEV. */
int registry_enter(struct cuda_memory *memory);

/*
 * The program itself created this handle. Only handles of device memory are kept, which are
 * self-contained: a pool's descriptor belongs to the program, which may close it. For a pool's
 * memory the registry is made all the same: those who open it enter that they do.
 */
void registry_exported(struct cuda_memory *memory, const void *handle, uint32_t bytes);

/*
 * Before a free, whether or not the memory is entered. True if another process has opened it since
 * its allocation.
 */
bool registry_gone(const struct cuda_memory *memory);

/*
 * The PID of another process that has this memory open and lives; 0: the registry knows of none. For
 * a free that was announced: whoever is still entered then has its close recorded after it.
 */
uint32_t registry_user(const struct cuda_memory *memory);

/*
 * The program itself opened another process's memory, and closed it: for the list of importers.
 * Does nothing if no process has exported anything.
 */
void registry_imported(const struct cuda_memory *memory, uint64_t handle);
void registry_unimported(uint64_t handle);

/* A pool was destroyed: its address may be reused. */
void registry_pool_gone(uint64_t pool);

/* This process has entries that must be removed at its end. */
void registry_owns(void);

/*
 * registry_forked: after a fork the parent's exports are not the child's. registry_end: removes
 * this process's own.
 */
void registry_forked(void);
void registry_exit(void);
/* Removes them before an exec, unless that cannot succeed. */
void registry_exec(const char *path);
