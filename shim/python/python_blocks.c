/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that run the same functions have code objects, names and types in common. While one thread
 * looks at the stacks of all others, and the GIL keeps these from running, each block of memory is read
 * once. Without a GIL nothing is kept.
 */
#include <stddef.h>
#include <string.h>

#include "../common/cpython/object.h"
#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "python.h"
#include "python_self.h"

#define BLOCK 512u /* divides a page: readable as a whole or not at all */
#define BLOCKS 128u

STATE static uint64_t owner; /* the thread that looks; 0: none */
static struct blocks {
	struct block {
		uint64_t address; /* 0: empty */
		uint32_t place; /* in `memory`, counted from 1; 0: none yet */
	} index[BLOCKS];
	uint32_t used;
	char memory[BLOCKS][BLOCK]; /* in the order of their first use: few pages are written */
} blocks LARGE;

bool python_blocks_begin(void)
{
	uint64_t expected = 0, self = sys_pthread();
	bool began;

	if (python.py.at.object_type != CPYTHON_HEAD - 8)
		return false;
	began = __atomic_compare_exchange_n(&owner, &expected, self, false, __ATOMIC_ACQUIRE,
					    __ATOMIC_RELAXED);
	if (!began && expected != self)
		return false;
	if (blocks.used)
		memset(&blocks, 0, offsetof(struct blocks, memory));
	return began;
}

void python_blocks_end(void)
{
	if (owner == sys_pthread())
		__atomic_store_n(&owner, 0, __ATOMIC_RELEASE);
}

FORKED void python_blocks_drop(void)
{
	if (owner)
		__atomic_store_n(&owner, 0, __ATOMIC_RELEASE);
}

/* The block that begins there; NULL: not readable. */
static const char *block_at(uint64_t address)
{
	unsigned i = (unsigned)(address / BLOCK * 0x9e3779b97f4a7c15ull >> 32) % BLOCKS;
	struct block *block = &blocks.index[i];
	char *memory;

	if (!block->place)
		block->place = ++blocks.used;
	memory = blocks.memory[block->place - 1];
	if (block->address == address)
		return memory;
	block->address = 0;
	if (sys_peek(memory, (const void *)address, BLOCK) != BLOCK)
		return NULL;
	block->address = address;
	return memory;
}

long python_blocks_peek(const struct cpython *py, void *to, uint64_t from, size_t bytes)
{
	const char *block;
	size_t done, part;

	(void)py;
	if (owner != sys_pthread() || bytes > BLOCK)
		return sys_peek(to, (const void *)from, bytes);
	for (done = 0; done < bytes; done += part) {
		uint64_t at = from + done, offset = at % BLOCK;

		part = BLOCK - offset < bytes - done ? BLOCK - offset : bytes - done;
		block = block_at(at - offset);
		if (!block) /* the kernel says how much of it can be read */
			return sys_peek(to, (const void *)from, bytes);
		memcpy((char *)to + done, block + offset, part);
	}
	return (long)bytes;
}
