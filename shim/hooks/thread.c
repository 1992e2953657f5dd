/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks of threads: created with an entry function and a creator, joined, ended. */
#include <pthread.h>
#include <threads.h>

#include "../intercept/hook.h"
#include "../locks/wait_proof.h"
#include "../record/log.h"
#include "../record/stack.h"
#include "../record/thread.h"
#include "../workers/group.h"

#define STARTS_KEPT 64u /* threads of a process whose creation is recorded with Python frames */

/* The Python frames of the calling thread, for the line where it started another one. */
static uint64_t creation_frames(void)
{
	static struct {
		uint32_t pid, count;
	} kept;
	uint64_t python = 0;

	if (kept.pid != life.pid) {
		kept.pid = life.pid;
		kept.count = 0;
	}
	if (__atomic_fetch_add(&kept.count, 1, __ATOMIC_RELAXED) < STARTS_KEPT)
		GUARDED {
			python = stack_python(0);
		}
	return python;
}

static struct thread_parcel *pack(void *(*start)(void *), void *argument, uint64_t caller)
{
	struct thread_parcel *parcel = thread_pack(start, argument, caller);

	if (parcel)
		thread_came_from(parcel, creation_frames());
	return parcel;
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
			  void *argument)
{
	ENTER(pthread_create);
	struct thread_parcel *parcel;
	int result;

	group_thread_made();
	parcel = pack(start, argument, CALLER);
	sys_threaded = true; /* not before: until then memory is read by probes */
	if (!parcel)
		return REAL(pthread_create)(thread, attr, start, argument);
	result = REAL(pthread_create)(thread, attr, arch_thread_start, parcel);
	if (result)
		thread_unpack(parcel);
	return result;
}

/* The start routine returns an int, in the same register. */
EXPORT int thrd_create(thrd_t *thread, thrd_start_t start, void *argument)
{
	ENTER(thrd_create);
	struct thread_parcel *parcel;
	int result;

	group_thread_made();
	parcel = pack((void *(*)(void *))(void *)start, argument, CALLER);
	sys_threaded = true;
	if (!parcel)
		return REAL(thrd_create)(thread, start, argument);
	result = REAL(thrd_create)(thread, (thrd_start_t)(void *)arch_thread_start, parcel);
	if (result != thrd_success)
		thread_unpack(parcel);
	return result;
}

PASS(pthread_exit)
{
	ENTER(pthread_exit);
	if (thread_hot && log_head())
		EMIT(thread_exit, .by = regs->back);
	return (void *)REAL(pthread_exit);
}

PASS(thrd_exit)
{
	ENTER(thrd_exit);
	if (thread_hot && log_head())
		EMIT(thread_exit, .by = regs->back);
	return (void *)REAL(thrd_exit);
}

/* The address of a join is the thread's handle, as that of a lock. */
#define WAIT_JOIN(thread, tags, call)                                                         \
	do {                                                                                  \
		int result;                                                                   \
                                                                                              \
		hold_push_tag(MPSAN_TAG(thread, MPSAN_WAIT_JOIN) | MPSAN_TAG_WANTED | (tags), \
			      CALLER);                                                        \
		thread_waits(true);                                                           \
		result = call;                                                                \
		thread_waits(false);                                                          \
		hold_pop((const void *)(thread));                                             \
		return result;                                                                \
	} while (0)

/* Nobody parks in a handler of exit(). The end of main() is not seen. */
static uint64_t exit_tag(void)
{
	return life_code() == -1 ? 0 : MPSAN_TAG_EXIT;
}

EXPORT int pthread_join(pthread_t thread, void **value)
{
	ENTER(pthread_join);
	group_look();
	WAIT_JOIN(thread, prove_tags() | exit_tag(), REAL(pthread_join)(thread, value));
}

EXPORT int pthread_tryjoin_np(pthread_t thread, void **value)
{
	ENTER(pthread_tryjoin_np);
	int result = REAL(pthread_tryjoin_np)(thread, value);

	if (result == EBUSY)
		thread_tried((const void *)thread, MPSAN_WAIT_JOIN, CALLER);
	return result;
}

EXPORT int pthread_timedjoin_np(pthread_t thread, void **value, const struct timespec *until)
{
	ENTER(pthread_timedjoin_np);
	WAIT_JOIN(thread, MPSAN_TAG_TIMED, REAL(pthread_timedjoin_np)(thread, value, until));
}

EXPORT int pthread_clockjoin_np(pthread_t thread, void **value, clockid_t clock,
				const struct timespec *until)
{
	ENTER(pthread_clockjoin_np);
	WAIT_JOIN(thread, MPSAN_TAG_TIMED, REAL(pthread_clockjoin_np)(thread, value, clock, until));
}

EXPORT int thrd_join(thrd_t thread, int *value)
{
	ENTER(thrd_join);
	WAIT_JOIN(thread, prove_tags() | exit_tag(), REAL(thrd_join)(thread, value));
}
