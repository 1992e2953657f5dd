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
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "../abi/glibc.h"
#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "../lifecycle/exec_env.h"
#include "../lifecycle/exec_reach.h"
#include "../lifecycle/fork.h"
#include "../lifecycle/life.h"
#include "../locks/libc_locks.h"
#include "../record/log.h"
#include "../record/slot.h"
#include "../record/stack.h"
#include "../record/state.h"
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

	if (!life_may_state())
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

/* What the kernel takes NULL for, where a function is given an environment. */
static const char *const no_variables[] = {NULL};
#define GIVEN(envp) ((envp) ? (const char *const *)(envp) : no_variables)

typedef int spawn_fn(pid_t *, const char *, const posix_spawn_file_actions_t *,
		     const posix_spawnattr_t *, char *const *, char *const *);

/* What posix_spawn takes. */
struct spawn {
	pid_t child;
	const char *path;
	const posix_spawn_file_actions_t *actions;
	const posix_spawnattr_t *attributes;
	char *const *argv, *const *envp;
};

/* With a completed copy of the environment, on this stack. */
static NOINLINE int spawn_restored(spawn_fn *real, struct spawn *s, uint32_t room)
{
	const char **env = __builtin_alloca(room * sizeof(*env));

	exec_env_fill(env, room, (const char *const *)s->envp);
	s->envp = NULL; /* as this process's own, for what is recorded */
	return real(&s->child, s->path, s->actions, s->attributes, s->argv,
		    (char *const *)(uintptr_t)env);
}

static int spawn_now(spawn_fn *real, struct spawn *s)
{
	uint32_t room = exec_env_room((const char *const *)s->envp);

	return UNLIKELY(room) ?
		       spawn_restored(real, s, room) :
		       real(&s->child, s->path, s->actions, s->attributes, s->argv, s->envp);
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
		struct spawn s = {0,	      path, actions,                                      \
				  attributes, argv, (char *const *)(uintptr_t)GIVEN(envp)};       \
		int error = spawn_now(REAL(name), &s);                                            \
                                                                                                  \
		note_spawned(fork, error ? 0 : s.child, error);                                   \
		uint32_t slot = fork && !error ?                                                  \
					slot_spawned((uint32_t)s.child, MPSAN_HOW_POSIX_SPAWN,    \
						     since, fork) :                               \
					TABLE_NO_SLOT;                                            \
                                                                                                  \
		if (slot != TABLE_NO_SLOT) {                                                      \
			note_posix_child(slot, attributes);                                       \
			life_exec_of(slot, path, searched, (const char *const *)argv,             \
				     (const char *const *)s.envp);                                \
		}                                                                                 \
		if (pid && !error)                                                                \
			*pid = s.child;                                                           \
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
	static const struct libc_lock_mark mark =
		LIBC_LOCK_MARK("list of popen's streams", "popen");

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

	if (flags & CLONE_VM)
		sys_threaded = true;
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

/* What an exec names; `envp` NULL: the environment of this process. */
struct image {
	const char *path;
	bool searched;
	const char *const *argv, *const *envp;
};

/* The function that does the same with an environment as its argument number `env`. */
struct exec_with {
	int (*real)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
	uint64_t arg[5];
	unsigned env;
};

/* With a completed copy of the environment, on this stack: it calls the function, to return if that fails. */
static NOINLINE void *exec_restored(struct pass_regs *regs, const struct image *image,
				    struct exec_with *with, uint32_t room)
{
	const char **env = __builtin_alloca(room * sizeof(*env));
	const uint64_t *a = with->arg;

	exec_env_fill(env, room, image->envp ? image->envp : exec_reach_environment());
	life_exec(image->path, image->searched, image->argv, env);
	with->arg[with->env] = (uint64_t)(uintptr_t)env;
	regs->result = (uint64_t)(int64_t)with->real(a[0], a[1], a[2], a[3], a[4]);
	return NULL;
}

static void *pass_exec(struct pass_regs *regs, const struct image *image, struct exec_with *with,
		       void *real)
{
	uint32_t room = exec_env_room(image->envp ? image->envp : exec_reach_environment());

	if (UNLIKELY(room))
		return exec_restored(regs, image, with, room);
	life_exec(image->path, image->searched, image->argv, image->envp);
	return real;
}

#define PASS_EXEC(name, path_, searched_, argv_, envp_, restored, env_at)                          \
	PASS(name)                                                                                 \
	{                                                                                          \
		ENTER(name);                                                                       \
		struct image image = {(const char *)(path_), searched_,                            \
				      (const char *const *)(argv_), (const char *const *)(envp_)}; \
		struct exec_with with = {.real = (void *)REAL(restored), .env = (env_at)};         \
                                                                                                   \
		memcpy(with.arg, regs->arg, sizeof(with.arg));                                     \
		return pass_exec(regs, &image, &with, (void *)REAL(name));                         \
	}
PASS_EXEC(execv, regs->arg[0], false, regs->arg[1], NULL, execve, 2)
PASS_EXEC(execvp, regs->arg[0], true, regs->arg[1], NULL, execvpe, 2)
PASS_EXEC(execvpe, regs->arg[0], true, regs->arg[1], GIVEN(regs->arg[2]), execvpe, 2)
PASS_EXEC(execve, regs->arg[0], false, regs->arg[1], GIVEN(regs->arg[2]), execve, 2)
PASS_EXEC(fexecve, NULL, false, regs->arg[1], GIVEN(regs->arg[2]), fexecve, 2)
PASS_EXEC(execveat, (int)regs->arg[0] == AT_FDCWD ? regs->arg[1] : 0, false, regs->arg[2],
	  GIVEN(regs->arg[3]), execveat, 3)

/* The list forms: arguments in registers, then on the stack, up to a null pointer. */
#define LIST_MAX 16
static void *pass_exec_list(struct pass_regs *regs, bool searched, bool with_env, void *restored,
			    void *real)
{
	const char *argv[LIST_MAX + 1] = {NULL};
	uint64_t envp = 0;
	struct exec_with with = {
		.real = restored, .arg = {regs->arg[0], (uint64_t)(uintptr_t)argv}, .env = 2};
	struct image image = {(const char *)regs->arg[0], searched, argv, NULL};

	for (unsigned i = 0; i < LIST_MAX; i++) {
		argv[i] = (const char *)pass_arg(regs, i + 1);
		if (argv[i])
			continue;
		envp = with_env ? pass_arg(regs, i + 2) : 0;
		break;
	}
	image.envp = with_env ? GIVEN(envp) : NULL;
	if (!argv[LIST_MAX - 1])
		return pass_exec(regs, &image, &with, real);
	life_exec(image.path, searched, argv, image.envp); /* the list is longer than ours */
	return real;
}

#define PASS_EXEC_LIST(name, searched, with_env, restored)                              \
	PASS(name)                                                                      \
	{                                                                               \
		ENTER(name);                                                            \
		return pass_exec_list(regs, searched, with_env, (void *)REAL(restored), \
				      (void *)REAL(name));                              \
	}
PASS_EXEC_LIST(execl, false, false, execve)
PASS_EXEC_LIST(execlp, true, false, execvpe)
PASS_EXEC_LIST(execle, false, true, execve)

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
