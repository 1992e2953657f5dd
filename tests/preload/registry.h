/*
 * For programs whose consumer finds memory in the registry (--auto-export). Neighbour: cuda.h has the two
 * processes and the three ways of making memory.
 */
#ifndef MPSAN_TESTS_PRELOAD_REGISTRY_H
#define MPSAN_TESTS_PRELOAD_REGISTRY_H

#include "cuda.h"

#include "../../include/mpsan.h"

/* The consumer knows the producer's pid and an address: no handle, no descriptor goes over. */
static NOINLINE void announce(const struct piece *piece, int peer)
{
	int pid = getpid();

	put(peer, &pid, sizeof(pid));
	put(peer, &piece->address, sizeof(piece->address));
}

/* NULL: there is no registry, as in a run without mpsan. */
static NOINLINE char *look_up(int peer)
{
	struct mpsan_export found;
	CUdeviceptr address;
	void *pointer;
	int pid, result;

	get(peer, &pid, sizeof(pid));
	get(peer, &address, sizeof(address));
	result = mpsan_ipc_find(pid, (char *)(uintptr_t)address + 5, &found);
	if (result == -ENOSYS)
		return NULL;
	must(result == 0);
	must(found.bytes >= BYTES && found.offset == 5);
	must(mpsan_ipc_open(&found, &pointer) == 0);
	return pointer;
}

static NOINLINE void read_at(const char *pointer)
{
	unsigned char byte = 0;

	must(cuMemcpyDtoH_v2(&byte, (CUdeviceptr)(uintptr_t)pointer, 1) == 0);
	must(byte == 7);
}

#endif
