/* The session's registry of exported memory. Nothing is kept yet. */
#include "registry.h"

__attribute__((weak)) bool registry_auto(void)
{
	return false;
}

__attribute__((weak)) bool registry_wants(uint64_t bytes)
{
	(void)bytes;
	return false;
}

__attribute__((weak)) void registry_born(struct cuda_memory *memory)
{
	(void)memory;
}

__attribute__((weak)) void registry_exported(struct cuda_memory *memory, const void *handle,
					     uint32_t bytes)
{
	(void)memory;
	(void)handle;
	(void)bytes;
}

__attribute__((weak)) bool registry_gone(const struct cuda_memory *memory)
{
	(void)memory;
	return false;
}

__attribute__((weak)) void registry_forked(void)
{
}

__attribute__((weak)) void registry_exit(void)
{
}
