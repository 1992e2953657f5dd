/* What processes do to each other and to themselves: signals, processors, sessions. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include "../abi/glibc.h"
#include "../cuda_fetch.h"
#include "../hook.h"
#include "../manners.h"
#include "../sys.h"

/* What may end the caller, a group may contain it, is stated before it is done. */
EXPORT int kill(pid_t pid, int signal)
{
	ENTER(kill);
	bool before = pid <= 0 || manners_is_self(pid);
	bool after = !before && manners_reaches(pid, signal);
	int result;

	if (before)
		manners_killed(pid, signal, CALLER);
	result = REAL(kill)(pid, signal);
	if (!result && after)
		manners_killed(pid, signal, CALLER);
	return result;
}

/* Since glibc 2.36; before that, and by Python, it is called by its number (syscall.c). */
EXPORT int pidfd_send_signal(int pidfd, int signal, siginfo_t *info, unsigned flags)
{
	ENTER(pidfd_send_signal);
	uint32_t pid = signal ? cuda_fetch_pid(pidfd) : 0;
	bool reaches = pid && manners_reaches(pid, signal);
	int result = REAL(pidfd_send_signal)(pidfd, signal, info, flags);

	if (!result && reaches)
		manners_killed(pid, signal, CALLER);
	return result;
}

PASS(raise)
{
	ENTER(raise);
	manners_raised((int)regs->arg[0], regs->back);
	return (void *)REAL(raise);
}

EXPORT int killpg(pid_t group, int signal)
{
	ENTER(killpg);
	manners_killed(-(int64_t)group, signal, CALLER);
	return REAL(killpg)(group, signal);
}

EXPORT int sigqueue(pid_t pid, int signal, union sigval value)
{
	ENTER(sigqueue);
	bool reaches = manners_reaches(pid, signal);
	int result = REAL(sigqueue)(pid, signal, value);

	if (!result && reaches)
		manners_killed(pid, signal, CALLER);
	return result;
}

EXPORT int sched_setaffinity(pid_t tid, size_t bytes, const cpu_set_t *set)
{
	ENTER(sched_setaffinity);
	uint64_t before = manners_processors(tid);
	int result = REAL(sched_setaffinity)(tid, bytes, set);

	if (!result)
		manners_bound(tid, before, CALLER);
	return result;
}

/* What another thread may do is that thread's, whose number is not known here. */
EXPORT int pthread_setaffinity_np(pthread_t thread, size_t bytes, const cpu_set_t *set)
{
	ENTER(pthread_setaffinity_np);
	bool own = (uint64_t)thread == sys_thread_pointer();
	uint64_t before = own ? manners_processors(0) : 0;
	int result = REAL(pthread_setaffinity_np)(thread, bytes, set);

	if (own && !result)
		manners_bound(0, before, CALLER);
	return result;
}

EXPORT pid_t setsid(void)
{
	ENTER(setsid);
	pid_t session = REAL(setsid)();

	if (session > 0)
		manners_flag(MPSAN_PROCESS_SESSION);
	return session;
}
