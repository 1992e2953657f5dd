/*
 * Every way to make a child, one row each: `forkways NAME` makes one child that way and waits for it,
 * `forkways` lists the rows. A row says what must be recorded: how the child came to be, whether atfork
 * handlers ran (this program has one and checks that too), how often the child asked for an exec.
 * Driven by test_forkways.py.
 */
#include "lib.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <threads.h>

static char *program[] = {"true", NULL};
static int handler_runs;

static void count_handler(void)
{
	handler_runs++;
}

static int by_fork(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	return child_wait(child);
}

pid_t __fork(void);

static int by___fork(void)
{
	pid_t child = __fork();

	if (child == 0)
		_exit(0);
	return child_wait(child);
}

static int by__Fork(void)
{
	pid_t child = _Fork();

	if (child == 0)
		_exit(0);
	return child_wait(child);
}

static int by_vfork(void)
{
	pid_t child = vfork();

	if (child == 0)
		_exit(0);
	return child_wait(child);
}

static int by_vfork_exec(void)
{
	pid_t child = vfork();

	if (child == 0) {
		execv("/bin/true", program);
		_exit(127);
	}
	return child_wait(child);
}

static int clone_main(void *unused)
{
	(void)unused;
	_exit(0);
}

static int clone_with(int flags)
{
	size_t size = 64 << 10;
	char *stack = shared_memory(size);

	return child_wait(clone(clone_main, stack + size, flags | SIGCHLD, NULL));
}

static int by_clone(void)
{
	return clone_with(0);
}

static int by_clone_vm_vfork(void)
{
	return clone_with(CLONE_VM | CLONE_VFORK);
}

static int by_syscall_fork(void)
{
#ifdef SYS_fork
	pid_t child = syscall(SYS_fork);

	if (child == 0)
		_exit(0);
	return child_wait(child);
#else
	return 77;
#endif
}

static int by_syscall_clone(void)
{
	pid_t child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (child == 0)
		_exit(0);
	return child_wait(child);
}

static int by_syscall_clone3(void)
{
	struct clone_args arguments = {.exit_signal = SIGCHLD};
	pid_t child = syscall(SYS_clone3, &arguments, sizeof(arguments));

	if (child < 0 && errno == ENOSYS)
		return 77;
	if (child == 0)
		_exit(0);
	return child_wait(child);
}

static int by_posix_spawn(void)
{
	pid_t child;

	must(posix_spawn(&child, "/bin/true", NULL, NULL, program, environ) == 0);
	return child_wait(child);
}

static int by_posix_spawnp(void)
{
	pid_t child;

	must(posix_spawnp(&child, "true", NULL, NULL, program, environ) == 0);
	return child_wait(child);
}

static int by_system(void)
{
	return system("exit 0");
}

static int by_popen(void)
{
	FILE *stream = popen("exit 0", "r");

	must(stream != NULL);
	return pclose(stream);
}

/* The parent ends inside daemon(): the child goes on here. Whoever waits for the output's end waits for it. */
static int by_daemon(void)
{
	must(daemon(1, 1) == 0);
	return 0;
}

static int by_forkpty(void)
{
	int terminal;
	pid_t child = forkpty(&terminal, NULL, NULL, NULL);

	if (child == 0)
		_exit(0);
	if (child < 0 && (errno == ENOENT || errno == ENODEV))
		return 77; /* no pseudo-terminals here */
	return child_wait(child);
}

/* A fork whose child runs `exec`, which comes back only when it failed. */
static int fork_and(void (*exec)(void))
{
	pid_t child = fork();

	if (child == 0) {
		exec();
		_exit(127);
	}
	return child_wait(child);
}

#define EXEC_WAY(name, call)                \
	static void do_##name(void)         \
	{                                   \
		(void)!call;                \
	}                                   \
	static int by_##name(void)          \
	{                                   \
		return fork_and(do_##name); \
	}

EXEC_WAY(execl, execl("/bin/true", "true", (char *)NULL))
EXEC_WAY(execlp, execlp("true", "true", (char *)NULL))
EXEC_WAY(execle, execle("/bin/true", "true", (char *)NULL, environ))
EXEC_WAY(execv, execv("/bin/true", program))
EXEC_WAY(execvp, execvp("true", program))
EXEC_WAY(execvpe, execvpe("true", program, environ))
EXEC_WAY(execve, execve("/bin/true", program, environ))
EXEC_WAY(fexecve, fexecve(open("/bin/true", O_RDONLY | O_CLOEXEC), program, environ))
EXEC_WAY(execveat, execveat(AT_FDCWD, "/bin/true", program, environ, 0))

static void *thread_main(void *unused)
{
	return unused;
}

static int by_pthread_create(void)
{
	pthread_t thread;

	must(pthread_create(&thread, NULL, thread_main, NULL) == 0);
	return pthread_join(thread, NULL);
}

static int c11_main(void *unused)
{
	(void)unused;
	return 0;
}

static int by_thrd_create(void)
{
	thrd_t thread;

	must(thrd_create(&thread, c11_main, NULL) == thrd_success);
	must(thrd_join(thread, NULL) == thrd_success);
	return 0;
}

/* Columns: name; how the child came to be, "-" when none does; handlers run; execs asked for by the child; threads;
   processes: 0 for a child that shares our memory to its end and never becomes a process of its own */
#define WAYS                                         \
	WAY(fork, "fork", 1, 0, 0, 1)                \
	WAY(__fork, "fork", 1, 0, 0, 1)              \
	WAY(_Fork, "_Fork", 0, 0, 0, 1)              \
	WAY(vfork, "vfork", 0, 0, 0, 0)              \
	WAY(vfork_exec, "vfork", 0, 1, 0, 1)         \
	WAY(clone, "clone", 0, 0, 0, 1)              \
	WAY(clone_vm_vfork, "clone", 0, 0, 0, 0)     \
	WAY(syscall_fork, "syscall", 0, 0, 0, 1)     \
	WAY(syscall_clone, "syscall", 0, 0, 0, 1)    \
	WAY(syscall_clone3, "syscall", 0, 0, 0, 1)   \
	WAY(posix_spawn, "posix_spawn", 0, 0, 0, 1)  \
	WAY(posix_spawnp, "posix_spawn", 0, 0, 0, 1) \
	WAY(system, "system", 0, 0, 0, 1)            \
	WAY(popen, "popen", 0, 0, 0, 1)              \
	WAY(daemon, "daemon", 1, 0, 0, 1)            \
	WAY(forkpty, "forkpty", 1, 0, 0, 1)          \
	WAY(execl, "fork", 1, 1, 0, 1)               \
	WAY(execlp, "fork", 1, 1, 0, 1)              \
	WAY(execle, "fork", 1, 1, 0, 1)              \
	WAY(execv, "fork", 1, 1, 0, 1)               \
	WAY(execvp, "fork", 1, 1, 0, 1)              \
	WAY(execvpe, "fork", 1, 1, 0, 1)             \
	WAY(execve, "fork", 1, 1, 0, 1)              \
	WAY(fexecve, "fork", 1, 1, 0, 1)             \
	WAY(execveat, "fork", 1, 1, 0, 1)            \
	WAY(pthread_create, "-", 0, 0, 1, 0)         \
	WAY(thrd_create, "-", 0, 0, 1, 0)

static const struct way {
	const char *name, *how;
	int handlers, execs, threads, processes;
	int (*make_child)(void);
} ways[] = {
#define WAY(name, how, handlers, execs, threads, processes) \
	{#name, how, handlers, execs, threads, processes, by_##name},
	WAYS
#undef WAY
};

#define WAY_COUNT (sizeof(ways) / sizeof(ways[0]))

static int list_ways(void)
{
	for (const struct way *way = ways; way < ways + WAY_COUNT; way++)
		printf("%s %s %d %d %d %d\n", way->name, way->how, way->handlers, way->execs,
		       way->threads, way->processes);
	return 0;
}

static int run_way(const struct way *way)
{
	int status;

	must(pthread_atfork(count_handler, NULL, NULL) == 0);
	status = way->make_child();
	must(handler_runs == way->handlers);
	return status;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return list_ways();
	for (const struct way *way = ways; way < ways + WAY_COUNT; way++)
		if (strcmp(way->name, argv[1]) == 0)
			return run_way(way);
	return 2;
}
