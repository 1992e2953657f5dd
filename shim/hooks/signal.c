/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks of signal actions: the library's own fault handler may stand before the program's, and
 * every answer is the program's own action. And hooks of what makes faults possible: madvise and
 * RDMA registration, which exclude memory from forks.
 */
#include <signal.h>
#include <sys/mman.h>

#include "../intercept/hook.h"
#include "../locks/signal_actions.h"
#include "../resources/dontfork.h"
#include "../resources/fault.h"
#include "../workers/cow.h"

/* Old programs call deprecated functions. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

int __sigaction(int number, const struct sigaction *restrict new, struct sigaction *restrict old);
__sighandler_t bsd_signal(int number, __sighandler_t handler);

static bool ignores(const struct sigaction *action)
{
	return action->sa_handler == SIG_IGN || action->sa_flags & SA_NOCLDWAIT;
}

#define ACTION(name)                                                                           \
	EXPORT int name(int number, const struct sigaction *restrict new,                      \
			struct sigaction *restrict old)                                        \
	{                                                                                      \
		ENTER(name);                                                                   \
		int result = REAL(name)(number, new, old);                                     \
                                                                                               \
		if (UNLIKELY(fault_may_watch(number)) && result == 0)                          \
			fault_asked(number, new != NULL, old);                                 \
		if (new &&result == 0 && UNLIKELY(signal_action_counts(number, ignores(new)))) \
			signal_action_changed(number);                                         \
		cow_acts();                                                                    \
		return result;                                                                 \
	}
ACTION(sigaction)
ACTION(__sigaction)

#define HANDLER(name)                                                           \
	EXPORT __sighandler_t name(int number, __sighandler_t handler)          \
	{                                                                       \
		ENTER(name);                                                    \
		__sighandler_t old = REAL(name)(number, handler);               \
                                                                                \
		if (UNLIKELY(fault_may_watch(number)) && old != SIG_ERR)        \
			old = fault_answered(number, true, old);                \
		if (UNLIKELY(signal_action_counts(number, handler == SIG_IGN))) \
			signal_action_changed(number);                          \
		return old;                                                     \
	}
HANDLER(signal)
HANDLER(ssignal)
HANDLER(bsd_signal)
HANDLER(sysv_signal)
HANDLER(__sysv_signal)
HANDLER(sigset)

/* siginterrupt gets the action and sets it again with another flag. */
EXPORT int siginterrupt(int number, int interrupts)
{
	ENTER(siginterrupt);
	bool watched = fault_may_watch(number);
	int result;

	if (UNLIKELY(watched))
		fault_aside(number);
	result = REAL(siginterrupt)(number, interrupts);
	if (UNLIKELY(watched))
		fault_back(number);
	return result;
}

EXPORT int madvise(void *address, size_t bytes, int advice)
{
	ENTER(madvise);
	int result;

	if (LIKELY(advice != MADV_DONTFORK && advice != MADV_DOFORK))
		return REAL(madvise)(address, bytes, advice);
	result = REAL(madvise)(address, bytes, advice);
	if (result != 0)
		return result;
	if (advice == MADV_DONTFORK)
		dontfork_add((uint64_t)(uintptr_t)address, bytes, CALLER);
	else
		dontfork_drop((uint64_t)(uintptr_t)address, bytes);
	return result;
}

/* libibverbs (RDMA), as it declares them. */
struct ibv_pd;
struct ibv_mr;
struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *address, size_t bytes, int access);
int ibv_fork_init(void);

EXPORT struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *address, size_t bytes, int access)
{
	ENTER(ibv_reg_mr);
	__typeof__(&ibv_reg_mr) real = REAL_OF(ibv_reg_mr, CALLER);
	struct ibv_mr *region;

	if (!real) {
		errno = ENOSYS;
		return NULL;
	}
	region = real(pd, address, bytes, access);
	if (region)
		dontfork_registered((uint64_t)(uintptr_t)address, bytes, CALLER);
	return region;
}

EXPORT int ibv_fork_init(void)
{
	ENTER(ibv_fork_init);
	__typeof__(&ibv_fork_init) real = REAL_OF(ibv_fork_init, CALLER);
	int error = real ? real() : ENOSYS;

	if (!error)
		dontfork_supported(CALLER);
	return error;
}
