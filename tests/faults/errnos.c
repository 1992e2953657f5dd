/*
 * Calls every function of hooks.def that returns, where it succeeds and where it fails, with errno set to a value that
 * nobody sets, and prints what became of result and errno. Bare and watched output must be equal.
 */
#include "../preload/lib.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <pty.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <threads.h>

#include "calls.h"

pid_t __fork(void);
pid_t __vfork(void);
int pidfd_send_signal(int pidfd, int signal, siginfo_t *info, unsigned flags);
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *dso);

static struct timespec past = {1, 0};
static char stack[65536] __attribute__((aligned(64)));
static char *const nothing_argv[] = {"nothing", NULL};
static char *const true_argv[] = {"true", NULL};

static void *thread(void *argument)
{
	return argument;
}

static int c11_thread(void *argument)
{
	(void)argument;
	return 0;
}

static int child_main(void *argument)
{
	(void)argument;
	return 0;
}

/* In the child: errno must be untouched there as well. */
static pid_t parent_only(const char *name, pid_t pid)
{
	if (pid == 0) {
		int error = errno;

		printf("child of %s %d\n", name, error);
		fflush(stdout);
		syscall(SYS_exit_group, 0);
	}
	if (pid > 0)
		syscall(SYS_wait4, pid, NULL, 0, NULL);
	return pid;
}

/* No more processes and threads for this user: what starts one fails. Root may always. */
static void limit_processes(rlim_t most)
{
	struct rlimit limit;

	must(getrlimit(RLIMIT_NPROC, &limit) == 0);
	limit.rlim_cur = most < limit.rlim_max ? most : limit.rlim_max;
	must(setrlimit(RLIMIT_NPROC, &limit) == 0);
}

static void call_forks(void)
{
	CALL(fork, parent_only("fork", fork()));
	CALL(__fork, parent_only("__fork", __fork()));
	CALL(_Fork, parent_only("_Fork", _Fork()));
	CALL(clone, clone(child_main, stack + sizeof(stack) - 64, SIGCHLD, NULL));
	CALL(wait, wait(NULL));
	CALL(clone, clone(child_main, stack + sizeof(stack) - 64, CLONE_SIGHAND, NULL));
	CALL(syscall, parent_only("syscall", syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)));
	CALL(syscall, syscall(SYS_close, -1));
	CALL(syscall, syscall(SYS_clone, CLONE_SIGHAND, 0, 0, 0, 0));
}

static void call_vforks(void)
{
	pid_t child;

	errno = UNTOUCHED;
	child = vfork();
	if (child == 0)
		_exit(0);
	CALL(vfork, errno == UNTOUCHED ? 1 : errno);
	CALL(waitpid, waitpid(child, NULL, 0));
	child = __vfork();
	if (child == 0)
		_exit(0);
	CALL(__vfork, child);
	CALL(wait4, wait4(child, NULL, 0, NULL));
}

static void call_spawns(void)
{
	pid_t child = -1; /* a spawn that fails leaves it as it is */
	int status;
	FILE *stream;

	CALL(posix_spawn, posix_spawn(&child, "/bin/true", NULL, NULL, true_argv, NULL));
	CALL(wait3, wait3(&status, 0, NULL));
	CALL(posix_spawn, posix_spawn(&child, "/nothing", NULL, NULL, nothing_argv, NULL));
	CALL(posix_spawnp, posix_spawnp(&child, "true", NULL, NULL, true_argv, NULL));
	CALL(waitid, waitid(P_PID, (id_t)child, NULL, WEXITED));
	CALL(posix_spawnp, posix_spawnp(&child, "nothing at all", NULL, NULL, nothing_argv, NULL));
	CALL(alarm, alarm(0));
	CALL(ualarm, ualarm(0, 0));
	CALL(setitimer, setitimer((__itimer_which_t)77, NULL, NULL));
	CALL(system, system("exit 1"));
	CALL(system, system(NULL));
	stream = popen("true", "r");
	if (stream)
		pclose(stream);
	CALL(popen, popen("true", "x"));
	CALL(forkpty, parent_only("forkpty", forkpty(&status, NULL, NULL, NULL)));
	CALL(daemon, parent_only("daemon", fork() ? 1 : daemon(1, 1)));
}

static void call_waits_in_vain(void)
{
	siginfo_t info;

	CALL(wait, wait(NULL));
	CALL(waitpid, waitpid(-1, NULL, 0));
	CALL(wait3, wait3(NULL, 0, NULL));
	CALL(wait4, wait4(-1, NULL, 0, NULL));
	CALL(waitid, waitid(P_ALL, 0, &info, WEXITED));
}

static void call_execs(void)
{
	CALL(execl, execl("/nothing", "nothing", (char *)NULL));
	CALL(execlp, execlp("nothing at all", "nothing", (char *)NULL));
	CALL(execle, execle("/nothing", "nothing", (char *)NULL, nothing_argv));
	CALL(execv, execv("/nothing", nothing_argv));
	CALL(execvp, execvp("nothing at all", nothing_argv));
	CALL(execvpe, execvpe("nothing at all", nothing_argv, nothing_argv));
	CALL(execve, execve("/nothing", nothing_argv, nothing_argv));
	CALL(fexecve, fexecve(-1, nothing_argv, nothing_argv));
	CALL(execveat, execveat(AT_FDCWD, "/nothing", nothing_argv, nothing_argv, 0));
}

static void call_threads(void)
{
	pthread_attr_t attributes;
	pthread_t t, self = pthread_self();
	thrd_t c11;

	CALL(pthread_create, pthread_create(&t, NULL, thread, NULL));
	CALL(pthread_join, pthread_join(t, NULL));
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 1ul << 46);
	CALL(pthread_create, pthread_create(&t, &attributes, thread, NULL));
	CALL(pthread_join, pthread_join(self, NULL));
	CALL(pthread_tryjoin_np, pthread_tryjoin_np(self, NULL));
	CALL(pthread_timedjoin_np, pthread_timedjoin_np(self, NULL, &past));
	CALL(pthread_clockjoin_np, pthread_clockjoin_np(self, NULL, CLOCK_REALTIME, &past));
	CALL(thrd_create, thrd_create(&c11, c11_thread, NULL));
	CALL(thrd_join, thrd_join(c11, NULL));
	CALL(__register_atfork, __register_atfork(NULL, NULL, NULL, NULL));
}

static void call_mutexes(void)
{
	pthread_mutex_t m;
	pthread_mutexattr_t attributes;

	CALL(pthread_mutex_init, pthread_mutex_init(&m, NULL));
	CALL(pthread_mutex_lock, pthread_mutex_lock(&m));
	CALL(pthread_mutex_trylock, pthread_mutex_trylock(&m));
	CALL(pthread_mutex_timedlock, pthread_mutex_timedlock(&m, &past));
	CALL(pthread_mutex_clocklock, pthread_mutex_clocklock(&m, CLOCK_REALTIME, &past));
	CALL(pthread_mutex_destroy, pthread_mutex_destroy(&m));
	CALL(pthread_mutex_unlock, pthread_mutex_unlock(&m));
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&m, &attributes);
	CALL(pthread_mutex_unlock, pthread_mutex_unlock(&m));
	CALL(pthread_mutex_lock, pthread_mutex_lock(&m));
	CALL(pthread_mutex_lock, pthread_mutex_lock(&m));
}

static void call_rwlocks(void)
{
	static pthread_rwlock_t l;
	pthread_spinlock_t spin;

	CALL(pthread_rwlock_init, pthread_rwlock_init(&l, NULL));
	CALL(pthread_rwlock_rdlock, pthread_rwlock_rdlock(&l));
	CALL(pthread_rwlock_tryrdlock, pthread_rwlock_tryrdlock(&l));
	CALL(pthread_rwlock_unlock, pthread_rwlock_unlock(&l));
	CALL(pthread_rwlock_trywrlock, pthread_rwlock_trywrlock(&l));
	CALL(pthread_rwlock_timedwrlock, pthread_rwlock_timedwrlock(&l, &past));
	CALL(pthread_rwlock_clockwrlock, pthread_rwlock_clockwrlock(&l, CLOCK_REALTIME, &past));
	CALL(pthread_rwlock_unlock, pthread_rwlock_unlock(&l));
	CALL(pthread_rwlock_wrlock, pthread_rwlock_wrlock(&l));
	CALL(pthread_rwlock_tryrdlock, pthread_rwlock_tryrdlock(&l));
	CALL(pthread_rwlock_rdlock, pthread_rwlock_rdlock(&l));
	CALL(pthread_rwlock_timedrdlock, pthread_rwlock_timedrdlock(&l, &past));
	CALL(pthread_rwlock_clockrdlock, pthread_rwlock_clockrdlock(&l, CLOCK_REALTIME, &past));
	CALL(pthread_rwlock_unlock, pthread_rwlock_unlock(&l));
	CALL(pthread_rwlock_destroy, pthread_rwlock_destroy(&l));
	CALL(pthread_spin_init, pthread_spin_init(&spin, 0));
	CALL(pthread_spin_lock, pthread_spin_lock(&spin));
	CALL(pthread_spin_trylock, pthread_spin_trylock(&spin));
	CALL(pthread_spin_unlock, pthread_spin_unlock(&spin));
	CALL(pthread_spin_destroy, pthread_spin_destroy(&spin));
}

static void call_c11(void)
{
	static cnd_t condition;
	mtx_t m;

	CALL(mtx_init, mtx_init(&m, mtx_plain));
	CALL(mtx_lock, mtx_lock(&m));
	CALL(mtx_trylock, mtx_trylock(&m));
	CALL(mtx_timedlock, mtx_timedlock(&m, &past));
	CALL(cnd_timedwait, cnd_timedwait(&condition, &m, &past));
	CALL(mtx_unlock, mtx_unlock(&m));
	VOID_CALL(mtx_destroy, mtx_destroy(&m));
}

static void call_semaphores(void)
{
	sem_t s, *named;
	char name[64];

	CALL(sem_init, sem_init(&s, 0, 1));
	CALL(sem_init, sem_init(&s, 0, (unsigned)-1));
	CALL(sem_wait, sem_wait(&s));
	CALL(sem_trywait, sem_trywait(&s));
	CALL(sem_timedwait, sem_timedwait(&s, &past));
	CALL(sem_clockwait, sem_clockwait(&s, CLOCK_REALTIME, &past));
	CALL(sem_post, sem_post(&s));
	sem_init(&s, 0, 0x7fffffff);
	CALL(sem_post, sem_post(&s));
	CALL(sem_destroy, sem_destroy(&s));
	CALL(sem_open, sem_open("/mpsan-that-is-not-there", 0));
	snprintf(name, sizeof(name), "/mpsan-errnos-%d", (int)getpid());
	named = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
	sem_unlink(name);
	must(named != SEM_FAILED);
	CALL(sem_close, sem_close(named));
	CALL(sem_close, sem_close(&s));
}

static void *signaller(void *condition)
{
	for (;;) {
		pthread_cond_broadcast(condition);
		sched_yield();
	}
	return NULL;
}

static void call_conditions(void)
{
	static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
	static mtx_t c11;
	pthread_barrier_t barrier;
	pthread_t t;

	pthread_mutex_lock(&m);
	CALL(pthread_cond_timedwait, pthread_cond_timedwait(&c, &m, &past));
	CALL(pthread_cond_clockwait, pthread_cond_clockwait(&c, &m, CLOCK_REALTIME, &past));
	must(pthread_create(&t, NULL, signaller, &c) == 0);
	CALL(pthread_cond_wait, pthread_cond_wait(&c, &m));
	mtx_init(&c11, mtx_plain);
	mtx_lock(&c11);
	CALL(cnd_wait, cnd_wait((cnd_t *)(void *)&c, &c11));
	pthread_barrier_init(&barrier, NULL, 1);
	CALL(pthread_barrier_wait, pthread_barrier_wait(&barrier));
}

/* A child leads no session yet; whoever may start one does so once. */
static void call_manners(void)
{
	const union sigval none = {0};
	cpu_set_t set;

	sched_getaffinity(0, sizeof(set), &set);
	CALL(kill, kill(getpid(), 0));
	CALL(kill, kill(getpid(), SIGCONT));
	CALL(kill, kill(getpid(), 1000));
	CALL(raise, raise(0));
	CALL(raise, raise(1000));
	CALL(killpg, killpg(-1, 0));
	CALL(sigqueue, sigqueue(getpid(), 0, none));
	CALL(sigqueue, sigqueue(getpid(), 1000, none));
	CALL(pidfd_send_signal, pidfd_send_signal(-1, 0, NULL, 0));
	CALL(pidfd_send_signal, pidfd_send_signal(-1, SIGCONT, NULL, 0));
	CALL(syscall, (int)syscall(SYS_kill, getpid(), 1000));
	CALL(syscall, (int)syscall(SYS_kill, getpid(), SIGCONT));
	CALL(sched_setaffinity, sched_setaffinity(0, sizeof(set), &set));
	CALL(sched_setaffinity, sched_setaffinity(0, sizeof(set), (void *)8));
	CALL(pthread_setaffinity_np, pthread_setaffinity_np(pthread_self(), sizeof(set), &set));
	CALL(pthread_setaffinity_np,
	     pthread_setaffinity_np(pthread_self(), sizeof(set), (void *)8));
	CALL(setsid, setsid() > 0);
	CALL(setsid, setsid() > 0);
}

static void call_prctl(void)
{
	CALL(prctl, prctl(PR_GET_DUMPABLE));
	CALL(prctl, prctl(-1));
	CALL(prctl, prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL));
}

/* Rights that this process keeps, and some that nobody has. */
static void call_rights(void)
{
	struct rlimit limit;
	struct rlimit64 limit64;

	getrlimit(RLIMIT_NOFILE, &limit);
	getrlimit64(RLIMIT_NOFILE, &limit64);
	CALL(setuid, setuid(getuid()));
	CALL(seteuid, seteuid(geteuid()));
	CALL(setreuid, setreuid(getuid(), geteuid()));
	CALL(setresuid, setresuid(getuid(), geteuid(), geteuid()));
	CALL(chroot, chroot("/nowhere"));
	CALL(setrlimit, setrlimit(RLIMIT_NOFILE, &limit));
	CALL(setrlimit, setrlimit(-1, &limit));
	CALL(setrlimit64, setrlimit64(RLIMIT_NOFILE, &limit64));
	CALL(setrlimit64, setrlimit64(-1, &limit64));
}

static void call_loader(void)
{
	CALL(dlsym, dlsym(RTLD_DEFAULT, "getpid") != NULL);
	CALL(dlsym, dlsym(RTLD_DEFAULT, "no such name"));
	CALL(dlsym, dlsym(RTLD_DEFAULT, "pthread_atfork"));
	CALL(dlvsym, dlvsym(RTLD_DEFAULT, "getpid", "GLIBC_2.2.5") != NULL);
	CALL(dlvsym, dlvsym(RTLD_DEFAULT, "getpid", "GLIBC_9"));
}

int main(int argc, char **argv)
{
	int (*old_atfork)(void (*)(void), void (*)(void), void (*)(void)) =
		(int (*)(void (*)(void), void (*)(void), void (*)(void)))dlvsym(
			RTLD_DEFAULT, "pthread_atfork", "GLIBC_2.2.5");

	(void)argv;
	if (argc > 1)
		limit_processes(0);
	call_forks();
	call_vforks();
	call_spawns();
	call_waits_in_vain();
	call_execs();
	if (argc == 1)
		call_threads();
	call_mutexes();
	call_rwlocks();
	call_c11();
	call_semaphores();
	if (argc == 1)
		call_conditions();
	call_loader();
	call_manners();
	call_prctl();
	call_rights();
	if (old_atfork)
		CALL(pthread_atfork, old_atfork(NULL, NULL, NULL));
	fflush(stdout);
	syscall(SYS_exit_group, 0);
}
