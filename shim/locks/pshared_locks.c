/* SPDX-License-Identifier: Apache-2.0 */
/* Records process-shared locks by the file and offset of their memory. */
#include "pshared_locks.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "../record/log.h"
#include "../record/modules.h"
#include "../record/stack.h"
#include "../record/state.h"
#include "../record/thread.h"

#define STATED_MAX 20000u /* per process: a log must have room for other records */

STATE static bool has_locks; /* mutexes or read-write locks */
STATE static uint32_t stated;

/* The file of the semaphore NAME or /NAME (sem_open(3)); it may be unlinked at any time. */
static bool find_file(const char *name, struct stat *file)
{
	char path[288], *end = path + sizeof(path), *at = text_put(path, end, "/dev/shm/sem.");

	while (*name == '/')
		name++;
	text_put(at, end, name);
	return SYS4(SYS_newfstatat, AT_FDCWD, path, file, 0) == 0;
}

/* Out of line: the hooks' own frames stay small. */
static NOINLINE void pshared_locks_state(const void *lock, unsigned kind, const char *name,
					 uint64_t value, uint64_t caller)
{
	struct stat file = {0};
	bool found = name && find_file(name, &file);
	uint32_t number = __atomic_fetch_add(&stated, 1, __ATOMIC_RELAXED);

	if (number >= STATED_MAX) {
		if (number == STATED_MAX)
			EMIT(limit,
			     .what = log_text("process-shared locks made after the first 20000"),
			     .count = 1);
		return;
	}
	modules_update();
	EMIT(shared_lock, .lock = (uint64_t)(uintptr_t)lock, .kind = kind,
	     .device = found ? file.st_dev : 0, .inode = found ? file.st_ino : 0, .value = value,
	     .name = log_text(name), .caller = caller, .python = stack_python(0));
}

static void pshared_locks_share(const void *lock, unsigned kind, const char *name, uint64_t value,
				uint64_t caller)
{
	if (!life.attached || hook_off || life_is_guest())
		return;
	GUARDED {
		pshared_locks_state(lock, kind, name, value, caller);
		thread_moved();
	}
}

void pshared_semaphore(const void *semaphore, const char *name, uint64_t value, uint64_t caller)
{
	pshared_locks_share(semaphore, MPSAN_LOCK_SEMAPHORE, name, value, caller);
}

void pshared_lock(const void *lock, unsigned kind, uint64_t caller)
{
	has_locks = true;
	pshared_locks_share(lock, kind, NULL, PSHARED_VALUE_UNKNOWN, caller);
}

void pshared_gone(const void *semaphore)
{
	if (!life.attached || hook_off || !log_head() || log_is_inherited() || life_is_guest())
		return;
	GUARDED {
		EMIT(lock_gone, .lock = (uint64_t)(uintptr_t)semaphore);
	}
}

void pshared_born(void)
{
	if (has_locks)
		thread_publish();
}
