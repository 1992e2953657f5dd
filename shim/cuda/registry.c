/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Enters this process's exports. Handles are created at the allocation, when the driver is at work
 * anyway; a descriptor that serves as a handle is kept at a high number, until its memory is freed.
 */
#include "registry.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../abi/cuda.h"
#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "../record/identity.h"
#include "../record/setting.h"
#include "../record/stack.h"
#include "../record/state.h"
#include "../record/table.h"
#include "export_table.h"

#define FD_WORDS 64u /* 4096 descriptors */
#define FD_HIGHEST 16384u /* their lowest number at most: the kernel's table grows up to them */
#define POOLS 16u

static uint64_t least_bytes;
static bool is_auto;

STATE static bool owns; /* this process has, or had, an entry in the file */
static struct {
	uint32_t first; /* descriptor */
	uint64_t fds[FD_WORDS]; /* bit n: descriptor first + n is the library's */
	uint64_t pool[POOLS]; /* address << 16 | descriptor */
	uint64_t pool_born[POOLS]; /* when it was created; 0: free */
} mine;

void registry_start(void)
{
	char value[8];

	is_auto = setting("auto-export", value, sizeof(value));
	if (is_auto)
		least_bytes = setting_bytes("auto-export", 0);
}

bool registry_auto(void)
{
	return is_auto;
}

bool registry_wants(uint64_t bytes)
{
	return is_auto && bytes >= least_bytes;
}

void registry_owns(void)
{
	owns = true;
}

/* ---- descriptors ---- */

static uint32_t first_fd(void)
{
	struct rlimit limit = {.rlim_cur = 0};
	uint64_t first;

	if (!mine.first) {
		SYS4(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, &limit);
		first = limit.rlim_cur / 2 < FD_HIGHEST ? limit.rlim_cur / 2 : FD_HIGHEST;
		mine.first = first > 3 ? (uint32_t)first : 3;
	}
	return mine.first;
}

static uint64_t *fd_word(uint32_t fd, uint64_t *bit)
{
	uint32_t at = fd - mine.first;

	*bit = 1ull << (at & 63);
	return mine.first && fd >= mine.first && at / 64 < FD_WORDS ? &mine.fds[at / 64] : NULL;
}

/*
 * The file of each kept descriptor: a program that closes everything, as daemons do, may have files
 * of its own there later.
 */
static uint32_t kept[64 * FD_WORDS] LARGE; /* which file each descriptor of ours is of */

static uint32_t file_of(uint32_t fd)
{
	struct stat file;
	uint64_t parts[3];

	if (SYS2(SYS_fstat, fd, &file) < 0)
		return 0;
	parts[0] = file.st_dev;
	parts[1] = file.st_ino;
	parts[2] = file.st_rdev;
	return (uint32_t)cuda_handle(parts, sizeof(parts)) | 1;
}

static void close_fd(uint32_t fd)
{
	if (file_of(fd) == kept[fd - mine.first])
		SYS1(SYS_close, fd);
}

/* Moves a descriptor to a high number; negative: none is free. */
static int keep_fd(int fd)
{
	long high = SYS3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, first_fd());
	uint64_t bit, *word;

	SYS1(SYS_close, fd);
	if (high < 0)
		return -1;
	word = fd_word((uint32_t)high, &bit);
	if (!word) {
		SYS1(SYS_close, high);
		return -1;
	}
	kept[(uint32_t)high - mine.first] = file_of((uint32_t)high);
	__atomic_fetch_or(word, bit, __ATOMIC_RELEASE);
	return (int)high;
}

static void drop_fd(int fd)
{
	uint64_t bit, *word = fd < 0 ? NULL : fd_word((uint32_t)fd, &bit);

	if (word && __atomic_fetch_and(word, ~bit, __ATOMIC_ACQUIRE) & bit)
		close_fd((uint32_t)fd);
}

static void drop_all_fds(void)
{
	for (uint32_t i = 0; i < FD_WORDS; i++)
		while (mine.fds[i]) {
			close_fd(mine.first + 64 * i + (uint32_t)__builtin_ctzll(mine.fds[i]));
			mine.fds[i] &= mine.fds[i] - 1;
		}
}

/* ---- handles: each fills in the draft, or says why not ---- */

#define DRIVER(name, memory) CUDA_REAL(name, (memory)->caller)

static int legacy_handle(const struct cuda_memory *memory, struct mpsan_export_place *draft)
{
	__typeof__(&cuIpcGetMemHandle) get = DRIVER(cuIpcGetMemHandle, memory);

	if (!get)
		return -ENODEV;
	if (get((CUipcMemHandle *)(void *)draft->handle_bytes, memory->range.start))
		return -EOPNOTSUPP;
	draft->handle = cuda_handle(draft->handle_bytes, sizeof(draft->handle_bytes));
	return 0;
}

/*
 * The identity of an export by descriptor: that of its entry, because the number means nothing
 * elsewhere.
 */
static uint64_t own_identity(const struct mpsan_export_place *draft)
{
	const uint64_t parts[] = {life.slot, draft->start, draft->born_ns};

	return cuda_handle(parts, sizeof(parts));
}

static int vmm_handle(const struct cuda_memory *memory, struct mpsan_export_place *draft)
{
	__typeof__(&cuMemExportToShareableHandle) export_to =
		DRIVER(cuMemExportToShareableHandle, memory);
	int fd = -1;

	if (!export_to)
		return -ENODEV;
	if (export_to(&fd, memory->object, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0))
		return -EOPNOTSUPP;
	draft->fd = keep_fd(fd);
	draft->handle = own_identity(draft);
	return draft->fd < 0 ? -EMFILE : 0;
}

static int known_pool_fd(uint64_t pool, uint64_t *born)
{
	for (uint32_t i = 0; i < POOLS; i++) {
		uint64_t word = __atomic_load_n(&mine.pool[i], __ATOMIC_ACQUIRE);

		if (!word || word >> 16 != pool)
			continue;
		*born = __atomic_load_n(&mine.pool_born[i], __ATOMIC_ACQUIRE);
		return (int)(word & 0xffff);
	}
	return -1;
}

/* Two threads may both create one at the same time: both are valid, and end with the pool. */
static int remember_pool(uint64_t pool, int fd, uint64_t *born)
{
	*born = sys_now();
	for (uint32_t i = 0; i < POOLS; i++) {
		uint64_t free = 0;

		if (!__atomic_compare_exchange_n(&mine.pool_born[i], &free, *born, false,
						 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		__atomic_store_n(&mine.pool[i], pool << 16 | (uint32_t)fd, __ATOMIC_RELEASE);
		return fd;
	}
	drop_fd(fd);
	return -1;
}

static int pool_fd(const struct cuda_memory *memory, uint64_t *born)
{
	__typeof__(&cuMemPoolExportToShareableHandle) export_to =
		DRIVER(cuMemPoolExportToShareableHandle, memory);
	CUmemoryPool pool = (void *)(uintptr_t)memory->object;
	int fd = known_pool_fd(memory->object, born);

	if (fd >= 0)
		return fd;
	if (!export_to)
		return -ENODEV;
	if (!pool || export_to(&fd, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0))
		return -EOPNOTSUPP;
	fd = keep_fd(fd);
	fd = fd < 0 ? fd : remember_pool(memory->object, fd, born);
	return fd < 0 ? -EMFILE : fd;
}

static int pool_handle(const struct cuda_memory *memory, struct mpsan_export_place *draft)
{
	__typeof__(&cuMemPoolExportPointer) export_pointer = DRIVER(cuMemPoolExportPointer, memory);
	int fd = pool_fd(memory, &draft->of_start);

	if (fd < 0)
		return fd;
	if (!export_pointer)
		return -ENODEV;
	if (export_pointer((CUmemPoolPtrExportData *)(void *)draft->handle_bytes,
			   memory->range.start))
		return -EOPNOTSUPP;
	draft->fd = fd;
	draft->handle = cuda_handle(draft->handle_bytes, sizeof(draft->handle_bytes));
	return 0;
}

static int make_handle(const struct cuda_memory *memory, struct mpsan_export_place *draft)
{
	switch (memory->memory) {
	case MPSAN_MEMORY_DEVICE:
		return legacy_handle(memory, draft);
	case MPSAN_MEMORY_VMM:
		return vmm_handle(memory, draft);
	case MPSAN_MEMORY_POOL:
	case MPSAN_MEMORY_POOL_POINTER:
		return pool_handle(memory, draft);
	default:
		return -EOPNOTSUPP;
	}
}

/* ---- entries ---- */

static struct mpsan_export_place draft_of(struct cuda_memory *memory)
{
	cuda_memory_device(memory, memory->range.start, memory->caller);
	return (struct mpsan_export_place){
		.start = memory->range.start,
		.bytes = memory->range.bytes,
		.memory = memory->memory == MPSAN_MEMORY_POOL ? MPSAN_MEMORY_POOL_POINTER :
								memory->memory,
		.device = memory->device,
		.gpu = memory->gpu,
		.fd = -1,
		.born_ns = sys_now(),
		.stack = stack_own(),
		.python = stack_python(0),
		.caller = memory->caller,
	};
}

static bool enter(struct cuda_memory *memory, const struct mpsan_export_place *draft)
{
	struct mpsan_export_place *place =
		export_table_claim(life.slot, memory->range.start, memory->range.bytes);

	if (!place)
		return false;
	owns = true;
	memcpy((char *)place + sizeof(struct range), (const char *)draft + sizeof(struct range),
	       sizeof(*place) - sizeof(struct range));
	ranges_publish(place);
	memory->registry = 1;
	memory->handle = draft->handle;
	return true;
}

int registry_enter(struct cuda_memory *memory)
{
	struct mpsan_export_place draft = draft_of(memory);
	int result = export_table_table(true) ? make_handle(memory, &draft) : -ENOSPC;

	draft.flags = MPSAN_EXPORT_AUTO;
	if (!result && !enter(memory, &draft)) {
		if (draft.memory == MPSAN_MEMORY_VMM)
			drop_fd(draft.fd);
		result = -ENOSPC;
	}
	return result;
}

static bool has_handles(uint32_t memory)
{
	return memory == MPSAN_MEMORY_DEVICE || memory == MPSAN_MEMORY_VMM ||
	       memory == MPSAN_MEMORY_POOL || memory == MPSAN_MEMORY_POOL_POINTER;
}

void registry_born(struct cuda_memory *memory)
{
	int result = registry_enter(memory);

	if (result)
		export_table_refused(!has_handles(memory->memory) ? MPSAN_REFUSED_MEMORY :
				     result == -EMFILE		  ? MPSAN_REFUSED_DESCRIPTOR :
				     result == -ENOSPC		  ? MPSAN_REFUSED_FULL :
								    MPSAN_REFUSED_DRIVER);
}

static struct mpsan_export_place *own_place(const struct cuda_memory *memory,
					    struct mpsan_export_place *copy)
{
	struct mpsan_export_place *place = NULL;
	struct ranges *table = owns ? export_table_table(false) : NULL;

	if (table)
		place = ranges_find(table, life.slot, memory->range.start, copy);
	return place && copy->start == memory->range.start ? place : NULL;
}

void registry_exported(struct cuda_memory *memory, const void *handle, uint32_t bytes)
{
	struct mpsan_export_place draft, copy;

	if (!export_table_table(true) || memory->memory != MPSAN_MEMORY_DEVICE ||
	    bytes != sizeof(draft.handle_bytes) || own_place(memory, &copy))
		return;
	draft = draft_of(memory);
	memcpy(draft.handle_bytes, handle, bytes);
	draft.handle = cuda_handle(handle, bytes);
	enter(memory, &draft);
}

bool registry_gone(const struct cuda_memory *memory)
{
	struct mpsan_export_place copy, *place = own_place(memory, &copy);

	if (!place || !export_table_drop(place, &copy))
		return false;
	if (copy.memory == MPSAN_MEMORY_VMM)
		drop_fd(copy.fd);
	return copy.flags & MPSAN_EXPORT_OPENED;
}

/*
 * Separate from those of mpsan_ipc_open, whose users are counted: these are closed by the program.
 */
#define OWN_IMPORT (life.slot | MPSAN_EXPORT_IMPORT)
#define IMPORT_KEY(handle) (~(handle))

/*
 * Both kinds of mappings: those of mpsan_ipc_open, whose last user may just have left, and the
 * program's own.
 */
static bool has_mapped(struct ranges *table, uint32_t slot, uint64_t handle)
{
	struct mpsan_export_place copy;

	slot |= MPSAN_EXPORT_IMPORT;
	return (ranges_find(table, slot, handle, &copy) && copy.count) ||
	       ranges_find(table, slot, IMPORT_KEY(handle), &copy);
}

uint32_t registry_user(const struct cuda_memory *memory)
{
	struct ranges *table = memory->handle ? export_table_table(false) : NULL;
	uint32_t slots = table ? table_there(life.session) : 0;

	for (uint32_t slot = 0; slot < slots; slot++)
		if (slot != life.slot && has_mapped(table, slot, memory->handle) &&
		    identity_stays(&life.table[slot], life.pid_ns))
			return life.table[slot].pid;
	return 0;
}

void registry_imported(const struct cuda_memory *memory, uint64_t handle)
{
	struct mpsan_export_place *place, copy;
	struct ranges *table = handle ? export_table_table(false) : NULL;

	if (!table || ranges_find(table, OWN_IMPORT, IMPORT_KEY(handle), &copy))
		return;
	place = export_table_claim(OWN_IMPORT, IMPORT_KEY(handle), 1);
	if (!place)
		return;
	owns = true;
	place->memory = memory->memory;
	place->device = memory->device;
	place->gpu = memory->gpu;
	place->handle = handle;
	place->fd = -1;
	place->born_ns = sys_now();
	place->mapped = memory->range.start;
	place->bytes_mapped = memory->range.bytes;
	ranges_publish(place);
}

void registry_unimported(uint64_t handle)
{
	struct mpsan_export_place copy, *place = NULL;
	struct ranges *table = owns && handle ? export_table_table(false) : NULL;

	if (table)
		place = ranges_find(table, OWN_IMPORT, IMPORT_KEY(handle), &copy);
	if (place)
		export_table_drop(place, &copy);
}

void registry_pool_gone(uint64_t pool)
{
	for (uint32_t i = 0; i < POOLS; i++) {
		uint64_t word = __atomic_load_n(&mine.pool[i], __ATOMIC_ACQUIRE);

		if (word && word >> 16 == pool &&
		    __atomic_compare_exchange_n(&mine.pool[i], &word, 0, false, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED)) {
			drop_fd((int)(word & 0xffff));
			__atomic_store_n(&mine.pool_born[i], 0, __ATOMIC_RELEASE);
		}
	}
}

FORKED void registry_forked(void)
{
	if (!owns)
		return;
	drop_all_fds();
	owns = false;
	memset(mine.pool, 0, sizeof(mine.pool));
	memset(mine.pool_born, 0, sizeof(mine.pool_born));
}

FORKED void registry_exit(void)
{
	if (owns)
		export_table_withdraw();
	owns = false;
}

/*
 * Does nothing if the program does not exist: a caller that searches several directories continues
 * then.
 */
FORKED void registry_exec(const char *path)
{
	if (owns && (!path || *path != '/' || !SYS3(SYS_faccessat, AT_FDCWD, path, X_OK)))
		registry_exit();
}
