/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides whether dlsym and cuGetProcAddress return a hook. Called by hooks/loader.c and the hooks
 * of cuGetProcAddress.
 */
#include "cuda_entry.h"

#include <dlfcn.h>
#include <link.h>

#include "../intercept/elf.h"
#include "../intercept/scope.h"
#include "../intercept/sys.h"

typedef void *look_up(void *handle, const char *name, const char *version);

/*
 * In a program without CUDA, or NCCL, the name must not resolve to this library. The real function is then
 * called with a name that does not exist, so that its result and dlerror are right.
 */
static void *look_in_scope(struct pass_regs *regs, enum hook_id id, uint64_t caller, void *real)
{
	const struct link_map *in;
	void *there;

	if (!scope_has(hook_name(id), caller, &there, &in))
		regs->arg[1] = (uint64_t)(uintptr_t)hook_absent_name(id);
	else if (there && (void *)regs->arg[0] != RTLD_NEXT && !hook_give(id, regs->back, there))
		regs->arg[0] = (uint64_t)(uintptr_t)in; /* for which the hook does not stand */
	return real;
}

void *cuda_entry_ask(struct pass_regs *regs, enum hook_id id, void *real)
{
	void *handle = (void *)regs->arg[0], *found, *hook;

	if (handle == RTLD_DEFAULT || handle == RTLD_NEXT)
		return look_in_scope(regs, id, regs->back, real);
	if (handle == elf_program())
		return look_in_scope(regs, id, 0, real);
	found = ((look_up *)real)(handle, (const char *)regs->arg[1], (const char *)regs->arg[2]);
	hook = found ? hook_give(id, regs->back, found) : NULL;
	regs->result = (uint64_t)(hook ? hook : found);
	return NULL;
}

/* The driver's own addresses of the rows, read once: programs query hundreds of functions. */
#define ROWS (HOOK_cudaMalloc - HOOK_cuInit)
static struct {
	const struct link_map *in;
	uint64_t base;
	void *real[ROWS];
} driver LARGE;

static int row_at(const struct link_map *in, const void *f)
{
	if (__atomic_load_n(&driver.in, __ATOMIC_ACQUIRE) != in || driver.base != in->l_addr) {
		for (unsigned i = 0; i < ROWS; i++)
			driver.real[i] = elf_find_in(in, hook_name(HOOK_cuInit + i), NULL);
		driver.base = in->l_addr;
		__atomic_store_n(&driver.in, in, __ATOMIC_RELEASE);
	}
	for (unsigned i = 0; i < ROWS; i++)
		if (driver.real[i] == f)
			return (int)(HOOK_cuInit + i);
	return -1;
}

/*
 * Whether all functions that this caller would be bound to are in one object. Interposers of the
 * driver have at least these.
 */
static bool is_plain(const struct link_map *in, uint64_t caller)
{
	static const enum hook_id sample[] = {HOOK_cuInit, HOOK_cuMemAlloc_v2, HOOK_cuLaunchKernel};
	const struct link_map *there;

	for (unsigned i = 0; i < sizeof(sample) / sizeof(*sample); i++)
		if (!hook_real_of(sample[i], caller, &there) || there != in)
			return false;
	return true;
}

void cuda_entry_found(void **f, uint64_t caller)
{
	const struct link_map *in = NULL;
	void *hook;
	int id;

	if (hook_off || !f || !*f || !hook_real_of(HOOK_cuInit, caller, &in))
		return;
	id = row_at(in, *f);
	if (id < 0)
		return;
	if (is_plain(in, caller))
		hook_bind((enum hook_id)id, HOOK_cuInit, caller, *f);
	hook = hook_give((enum hook_id)id, caller, *f);
	if (hook)
		*f = hook;
}

bool cuda_entry_is_runtime(uint64_t caller)
{
	const struct link_map *map = scope_owner(caller);

	return map && text_starts(elf_soname(map), "libcudart");
}
