/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The private table of device memory: created at the first allocation, cleared in a forked child.
 * ranges.h is the table; cuda_ipc.c records what other processes may see.
 */
#include <string.h>
#include <sys/stat.h>

#include "../common/hash.h"
#include "../intercept/sys.h"
#include "../record/log.h"
#include "../record/state.h"
#include "../resources/range_table.h"
#include "cuda.h"

#define PLACES (128u << 10)
#define RECEIVED 64u
#define LOOKS 4u

STATE static struct ranges *table;

void cuda_memory_add(const struct cuda_memory *memory)
{
	struct ranges *t = range_table(&table, PLACES, sizeof(struct cuda_memory));
	const uint32_t head = sizeof(struct range);
	static uint32_t entries;
	char *place;

	place = t ? ranges_claim(t, memory->range.owner, memory->range.start, memory->range.bytes) :
		    NULL;
	if (!place)
		return;
	memcpy(place + head, (const char *)memory + head, sizeof(*memory) - head);
	((struct cuda_memory *)(void *)place)->entry =
		__atomic_add_fetch(&entries, 1, __ATOMIC_RELAXED);
	ranges_publish(place);
}

struct cuda_memory *cuda_memory_at(enum cuda_space space, uint64_t key, struct cuda_memory *copy)
{
	struct ranges *t = __atomic_load_n(&table, __ATOMIC_ACQUIRE);

	return t ? ranges_find(t, space, key, copy) : NULL;
}

bool cuda_memory_take(enum cuda_space space, uint64_t key, struct cuda_memory *copy)
{
	struct cuda_memory *place = cuda_memory_at(space, key, copy);

	return place && copy->range.start == key && ranges_drop(table, place, copy);
}

struct cuda_memory *cuda_memory_next(uint64_t *at, struct cuda_memory *copy)
{
	struct ranges *t = __atomic_load_n(&table, __ATOMIC_ACQUIRE);

	return t ? ranges_next(t, at, copy) : NULL;
}

/*
 * Clears the table in a child: a copy of the parent's that may have been changing, and must not be
 * read.
 */
FORKED void cuda_memory_forget_all(void)
{
	if (table)
		SYS2(SYS_munmap, table, ranges_bytes(PLACES, sizeof(struct cuda_memory)));
	table = NULL;
}

bool cuda_memory_find(uint64_t address, struct cuda_memory *copy)
{
	return cuda_memory_at(CUDA_ADDRESSES, address, copy);
}

/*
 * The count of an entry, because threads open and close the same memory at the same time. A count
 * that has reached 0 is not raised again: its entry is removed. There may be two entries for one
 * address, which count together.
 */
typedef uint64_t __attribute__((may_alias)) count_word;

/*
 * Changes a count; returns the previous one. 0, unchanged: it was 0, or of another user of the
 * entry.
 */
static uint32_t change_count(struct cuda_memory *place, uint32_t entry, int by)
{
	count_word *word = (count_word *)(void *)&place->references;
	uint64_t old = __atomic_load_n(word, __ATOMIC_ACQUIRE), changed;

	do {
		if ((uint32_t)(old >> 32) != entry || !(uint32_t)old)
			return 0;
		changed = old >> 32 << 32 | (uint32_t)((int64_t)(uint32_t)old + by);
	} while (!__atomic_compare_exchange_n(word, &old, changed, false, __ATOMIC_ACQ_REL,
					      __ATOMIC_ACQUIRE));
	return (uint32_t)old;
}

bool cuda_memory_join(struct cuda_memory *place, const struct cuda_memory *copy)
{
	return change_count(place, copy->entry, 1);
}

bool cuda_memory_leave(struct cuda_memory *place, const struct cuda_memory *copy)
{
	return change_count(place, copy->entry, -1) > 1 || ranges_drop(table, place, copy);
}

void cuda_memory_imported(uint64_t address, uint64_t bytes, uint64_t handle, uint64_t caller)
{
	struct cuda_memory memory = {
		.range = {.owner = CUDA_ADDRESSES, .start = address, .bytes = bytes ? bytes : 1},
		.memory = MPSAN_MEMORY_IMPORTED,
		.device = -1,
		.handle = handle,
		.caller = caller,
		.references = 1,
	};
	struct cuda_memory known, *place = cuda_memory_at(CUDA_ADDRESSES, address, &known);

	if (!place || known.memory != MPSAN_MEMORY_IMPORTED || known.range.start != address ||
	    !cuda_memory_join(place, &known))
		cuda_memory_add(&memory);
}

/*
 * May miss, once, an entry that one thread removes and another adds again at the same time, behind
 * the position of the scan.
 */
bool cuda_memory_gone_from(enum cuda_space space, uint64_t key, struct cuda_memory *copy)
{
	struct cuda_memory *place;

	for (unsigned looks = 0; looks < LOOKS; looks++) {
		place = cuda_memory_at(space, key, copy);
		if (place && copy->range.start == key && cuda_memory_leave(place, copy))
			return true;
	}
	return false;
}

bool cuda_memory_gone(uint64_t address, struct cuda_memory *copy)
{
	return cuda_memory_gone_from(CUDA_ADDRESSES, address, copy);
}

uint64_t cuda_handle(const void *bytes, uint32_t count)
{
	uint64_t hash = hash_bytes(HASH_EMPTY, bytes, count);

	hash ^= hash >> 32;
	return hash ? hash : 1;
}

/*
 * Descriptors that were taken from other processes. The real driver's descriptors are all of one
 * device file, which identifies nothing: the number in the exporting process stands for the memory,
 * and another process knows it if it took the descriptor by that number.
 */
static struct received {
	int fd; /* + 1; 0: free */
	uint32_t pid;
	int number;
} received[RECEIVED];
static uint32_t next_received;

void cuda_fd_received(int fd, uint32_t pid, int number)
{
	uint32_t at = __atomic_fetch_add(&next_received, 1, __ATOMIC_RELAXED) % RECEIVED;

	for (uint32_t i = 0; i < RECEIVED; i++)
		if (received[i].fd == fd + 1)
			at = i;
	received[at] = (struct received){.fd = fd + 1, .pid = pid, .number = number};
}

static uint64_t hash_pair(uint64_t a, uint64_t b)
{
	uint64_t pair[2] = {a, b};

	return cuda_handle(pair, sizeof(pair));
}

static uint64_t handle_of_fd(int fd, bool given)
{
	struct stat file;

	if (SYS2(SYS_fstat, fd, &file) < 0)
		return 0;
	if (!S_ISCHR(file.st_mode))
		return hash_pair(file.st_dev, file.st_ino);
	if (given)
		return hash_pair(life.pid, (uint64_t)fd);
	for (uint32_t i = 0; i < RECEIVED; i++)
		if (received[i].fd == fd + 1)
			return hash_pair(received[i].pid, (uint64_t)received[i].number);
	return 0;
}

uint64_t cuda_handle_given(const void *shareable, CUmemAllocationHandleType type)
{
	if (shareable && type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
		return handle_of_fd(*(const int *)shareable, true);
	return shareable && type == CU_MEM_HANDLE_TYPE_FABRIC ?
		       cuda_handle(shareable, CU_IPC_HANDLE_SIZE) :
		       0;
}

uint64_t cuda_handle_taken(const void *shareable, CUmemAllocationHandleType type)
{
	if (type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
		return handle_of_fd((int)(intptr_t)shareable, false);
	return shareable && type == CU_MEM_HANDLE_TYPE_FABRIC ?
		       cuda_handle(shareable, CU_IPC_HANDLE_SIZE) :
		       0;
}
