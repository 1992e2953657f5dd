/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks of calls that create, replace and end processes. libc calls fork, clone and exec internally
 * without going through these hooks, so each public function has its own.
 */
#include <fcntl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "../abi/glibc.h"
#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "../lifecycle/fork.h"
#include "../lifecycle/life.h"
#include "../locks/libc_locks.h"
#include "../locks/wait_proof.h"
#include "../record/log.h"
#include "../record/slot.h"
#include "../record/stack.h"
#include "../record/switch_off.h"
#include "../record/table.h"
#include "../record/thread.h"
#include "../resources/fault.h"
#include "../workers/cow.h"
#include "../workers/proc_events.h"
#include "process.h"

pid_t __fork(void);
pid_t __vfork(void);
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *dso);

EXPORT pid_t fork(void)
{
	ENTER(fork);
	fork_enter(MPSAN_HOW_FORK, true);
	return fork_leave(REAL(fork)());
}

EXPORT pid_t __fork(void)
{
	ENTER(__fork);
	fork_enter(MPSAN_HOW_FORK, true);
	return fork_leave(REAL(__fork)());
}

EXPORT pid_t _Fork(void)
{
	ENTER(_Fork);
	fork_enter(MPSAN_HOW__FORK, false);
	return fork_leave(REAL(_Fork)());
}

EXPORT int daemon(int nochdir, int noclose)
{
	ENTER(daemon);
	int result;

	fork_enter(MPSAN_HOW_DAEMON, true);
	result = fork_leave(REAL(daemon)(nochdir, noclose));
	if (!result)
		proc_events_flag(MPSAN_PROCESS_SESSION);
	return result;
}

EXPORT int forkpty(int *master, char *name, const struct termios *termios,
		   const struct winsize *size)
{
	ENTER(forkpty);
	fork_enter(MPSAN_HOW_FORKPTY, true);
	return fork_leave(REAL(forkpty)(master, name, termios, size));
}

/* Records a child that shares this memory until it execs: one event, nothing else changes. */
static uint64_t note_spawn(enum mpsan_how how)
{
	uint64_t fork = 0;

	if (!life.attached || hook_off || life_is_guest())
		return 0;
	GUARDED {
		fork = EMIT(fork, .how = how, .threads = sys_thread_count(), .stack = stack_own(),
			    .python = stack_python(0));
		proc_events_forks(fork, false);
		if (how == MPSAN_HOW_VFORK || how == MPSAN_HOW_CLONE)
			life_vforks(fork);
		else
			__atomic_store_n(&life.self->spawning, (uint16_t)how, __ATOMIC_RELEASE);
	}
	return fork;
}

/* `spawning` stays set: a child that popen left behind may read it any time later. */
static void note_spawned(uint64_t fork, pid_t child, int error)
{
	if (!fork)
		return;
	GUARDED {
		EMIT(fork_done, .fork = fork, .child = (uint64_t)child, .error = (uint64_t)error);
	}
}

static void note_posix_child(uint32_t slot, const posix_spawnattr_t *attributes)
{
	if (attributes && attributes->__flags & POSIX_SPAWN_SETSID)
		__atomic_fetch_or(&life.table[slot].flags, MPSAN_PROCESS_SESSION, __ATOMIC_RELAXED);
}

#define SPAWN(name, searched)                                                                     \
	EXPORT int name(pid_t *restrict pid, const char *restrict path,                           \
			const posix_spawn_file_actions_t *restrict actions,                       \
			const posix_spawnattr_t *restrict attributes, char *const *restrict argv, \
			char *const *restrict envp)                                               \
	{                                                                                         \
		ENTER(name);                                                                      \
		uint64_t fork = note_spawn(MPSAN_HOW_POSIX_SPAWN);                                \
		uint64_t since = fork ? sys_now() : 0;                                            \
		pid_t child = 0;                                                                  \
		int error = REAL(name)(&child, path, actions, attributes, argv, envp);            \
                                                                                                  \
		note_spawned(fork, error ? 0 : child, error);                                     \
		uint32_t slot = fork && !error ?                                                  \
					slot_spawned((uint32_t)child, MPSAN_HOW_POSIX_SPAWN,      \
						     since, fork) :                               \
					TABLE_NO_SLOT;                                            \
                                                                                                  \
		if (slot != TABLE_NO_SLOT) {                                                      \
			note_posix_child(slot, attributes);                                       \
			life_exec_of(slot, path, searched, (const char *const *)argv,             \
				     (const char *const *)envp);                                  \
		}                                                                                 \
		if (pid && !error)                                                                \
			*pid = child;                                                             \
		return error;                                                                     \
	}
SPAWN(posix_spawn, false)
SPAWN(posix_spawnp, true)

EXPORT int system(const char *command)
{
	ENTER(system);
	uint64_t fork = command ? note_spawn(MPSAN_HOW_SYSTEM) : 0;
	int status = REAL(system)(command);

	note_spawned(fork, 0, 0);
	return status;
}

EXPORT FILE *popen(const char *command, const char *mode)
{
	static const struct libc_lock_mark mark = {"list of popen's streams", "popen"};

	ENTER(popen);
	uint64_t fork = note_spawn(MPSAN_HOW_POPEN), wait = libc_lock_begin(&mark, CALLER);
	FILE *stream = REAL(popen)(command, mode);

	libc_lock_end(&mark, wait);
	note_spawned(fork, 0, stream ? 0 : errno);
	return stream;
}

static void *pass_vfork_as(void *real)
{
	note_spawn(MPSAN_HOW_VFORK);
	return real;
}

PASS(vfork)
{
	ENTER(vfork);
	(void)regs;
	return pass_vfork_as((void *)REAL(vfork));
}

PASS(__vfork)
{
	ENTER(__vfork);
	(void)regs;
	return pass_vfork_as((void *)REAL(__vfork));
}

/* A cloned process starts in this function of the library, on its copy of this memory. */
struct clone_call {
	int (*start)(void *);
	void *argument;
};

static int clone_child(void *argument)
{
	const struct clone_call *call = argument;

	fork_leave(0);
	return call->start(call->argument);
}

PASS(clone)
{
	ENTER(clone);
	struct clone_call call = {(int (*)(void *))regs->arg[0], (void *)regs->arg[3]};
	int flags = (int)regs->arg[2];

	if (flags & CLONE_THREAD)
		return (void *)REAL(clone);
	if (flags & (CLONE_VM | CLONE_SETTLS)) {
		if ((flags & (CLONE_VM | CLONE_VFORK)) == CLONE_VM)
			life.has_guests = true;
		note_spawn(MPSAN_HOW_CLONE);
		return (void *)REAL(clone);
	}
	fork_enter(MPSAN_HOW_CLONE, false);
	regs->result = (uint64_t)(int64_t)fork_leave(REAL(clone)(clone_child, (void *)regs->arg[1],
								 flags, &call, regs->arg[4],
								 regs->arg[5], pass_arg(regs, 6)));
	return NULL;
}

/* An alarm may wake a waiter, or end the process. */
EXPORT unsigned alarm(unsigned seconds)
{
	ENTER(alarm);
	unsigned left = REAL(alarm)(seconds);

	life_alarm_set();
	return left;
}

EXPORT useconds_t ualarm(useconds_t after, useconds_t interval)
{
	ENTER(ualarm);
	useconds_t left = REAL(ualarm)(after, interval);

	life_alarm_set();
	return left;
}

EXPORT int setitimer(__itimer_which_t which, const struct itimerval *restrict new,
		     struct itimerval *restrict old)
{
	ENTER(setitimer);
	int result = REAL(setitimer)(which, new, old);

	life_alarm_set();
	return result;
}

/* Records PR_SET_PDEATHSIG: whether this process ends with its parent. */
void process_follows(uint64_t signal)
{
	if (signal >= NSIG)
		return;
	if (signal)
		proc_events_flag(MPSAN_PROCESS_DEATHSIG);
	else if (life_may_change())
		life_unflag(MPSAN_PROCESS_DEATHSIG);
}

/*
 * From here on any system call of the library, even for the time (strict mode forbids it), may kill
 * the process.
 */
uint64_t process_filtered(const struct seccomp_coming *coming, int64_t result)
{
	if (result < 0 || coming->pid != life.pid) /* a vfork child: its filter is its own */
		return (uint64_t)result;
	if (!seccomp_came(coming))
		switch_off_for(MPSAN_OFF_SECCOMP);
	else if (life.self && seccomp_is_felt())
		life.self->why_off = MPSAN_OFF_SECCOMP;
	return (uint64_t)result;
}

PASS(prctl)
{
	ENTER(prctl);
	const uint64_t *a = regs->arg;
	struct seccomp_coming coming;

	if ((int)a[0] == PR_SET_PDEATHSIG)
		process_follows(a[1]);
	if (LIKELY((int)a[0] != PR_SET_SECCOMP))
		return (void *)REAL(prctl);
	fault_end();
	coming = seccomp_comes(a[1] == SECCOMP_MODE_STRICT ? NULL : (const void *)a[2]);
	regs->result = process_filtered(&coming, REAL(prctl)((int)a[0], a[1], a[2], a[3], a[4]));
	return NULL;
}

#define PASS_EXEC(name, path, searched, argv, envp)                                    \
	PASS(name)                                                                     \
	{                                                                              \
		ENTER(name);                                                           \
		life_exec((const char *)(path), searched, (const char *const *)(argv), \
			  (const char *const *)(envp));                                \
		return (void *)REAL(name);                                             \
	}
PASS_EXEC(execv, regs->arg[0], false, regs->arg[1], NULL)
PASS_EXEC(execvp, regs->arg[0], true, regs->arg[1], NULL)
PASS_EXEC(execvpe, regs->arg[0], true, regs->arg[1], regs->arg[2])
PASS_EXEC(execve, regs->arg[0], false, regs->arg[1], regs->arg[2])
PASS_EXEC(fexecve, NULL, false, regs->arg[1], regs->arg[2])
PASS_EXEC(execveat, (int)regs->arg[0] == AT_FDCWD ? regs->arg[1] : 0, false, regs->arg[2],
	  regs->arg[3])

/* The list forms: arguments in registers, then on the stack, up to a null pointer. */
#define LIST_MAX 16
static void *pass_exec_list(const struct pass_regs *regs, bool searched, bool with_env, void *real)
{
	const char *argv[LIST_MAX + 1] = {NULL};
	const uint64_t *words = regs->stack;
	uint64_t envp = 0;

	for (int i = 0; i < LIST_MAX; i++) {
		argv[i] = (const char *)(i < 5 ? regs->arg[i + 1] : words[i - 5]);
		if (argv[i])
			continue;
		envp = !with_env ? 0 : i + 1 < 5 ? regs->arg[i + 2] : words[i + 1 - 5];
		break;
	}
	life_exec((const char *)regs->arg[0], searched, argv, (const char *const *)envp);
	return real;
}

#define PASS_EXEC_LIST(name, searched, with_env)                                     \
	PASS(name)                                                                   \
	{                                                                            \
		ENTER(name);                                                         \
		return pass_exec_list(regs, searched, with_env, (void *)REAL(name)); \
	}
PASS_EXEC_LIST(execl, false, false)
PASS_EXEC_LIST(execlp, true, false)
PASS_EXEC_LIST(execle, false, true)

/* exit runs handlers first: the last of them, the library's destructor, records the end. */
PASS(exit)
{
	ENTER(exit);
	life_exit_code((int)regs->arg[0]);
	cow_leaves();
	proc_events_left((int)regs->arg[0], regs->back);
	if (life.forked)
		libc_lock_exit(regs->back);
	return (void *)REAL(exit);
}

#define PASS_EXIT(name)                                          \
	PASS(name)                                               \
	{                                                        \
		ENTER(name);                                     \
		proc_events_left((int)regs->arg[0], regs->back); \
		life_exit((int)regs->arg[0]);                    \
		return (void *)REAL(name);                       \
	}
PASS_EXIT(_exit)
PASS_EXIT(_Exit)
PASS_EXIT(quick_exit)

/* Prepare handlers run in reverse order: ours is registered before any other, to run last. */
EXPORT int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
			     void *dso)
{
	ENTER(__register_atfork);
	fork_register(child != NULL);
	return REAL(__register_atfork)(prepare, parent, child, dso);
}

__attribute__((visibility("hidden"))) int pthread_atfork(void (*prepare)(void),
							 void (*parent)(void), void (*child)(void))
{
	ENTER(pthread_atfork);
	fork_register(child != NULL);
	return REAL(pthread_atfork)(prepare, parent, child);
}

/* Exported as in glibc: for binaries that use the oldest version, not for dlsym. */
#if defined(__x86_64__)
EXPORT int old_pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
	__attribute__((alias("pthread_atfork"), nothrow, leaf));
__asm__(".symver old_pthread_atfork, pthread_atfork@GLIBC_2.2.5, remove");
#endif

/* Calls that may revoke the right to create files: the log is created before. */
#define PASS_DROP(name, may_matter)                                    \
	PASS(name)                                                     \
	{                                                              \
		ENTER(name);                                           \
		(void)regs;                                            \
		if ((may_matter) && life.attached && !life_is_guest()) \
			log_open();                                    \
		return (void *)REAL(name);                             \
	}
#define LIMITS_FILES (regs->arg[0] == RLIMIT_NOFILE || regs->arg[0] == RLIMIT_FSIZE)
PASS_DROP(setuid, true)
PASS_DROP(seteuid, true)
PASS_DROP(setreuid, true)
PASS_DROP(setresuid, true)
PASS_DROP(chroot, true)
PASS_DROP(setrlimit, LIMITS_FILES)
PASS_DROP(setrlimit64, LIMITS_FILES)
