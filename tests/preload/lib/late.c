/*
 * A library behind libmpsan in which calls come back late: what a call did is seen by others while its caller is still in
 * it. late_after() names a function; the next call of it that succeeds, in any thread, runs `meanwhile` before it
 * returns. late_fail(): the next call of that function is not made, and fails. Programs link this, so it stands between
 * libmpsan and libc.
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include "../../../shim/abi/cuda.h"
#include "../../../shim/abi/glibc.h"

void late_after(const char *function, void (*meanwhile)(void));
void late_fail(const char *function, int result);

static const char *function, *failing;
static void (*meanwhile)(void);
static int failure;

void late_after(const char *name, void (*then)(void))
{
	meanwhile = then;
	__atomic_store_n(&function, name, __ATOMIC_RELEASE);
}

static void come_back(const char *name)
{
	const char *armed = __atomic_load_n(&function, __ATOMIC_ACQUIRE);
	int error = errno;

	if (!armed || strcmp(armed, name) ||
	    !__atomic_compare_exchange_n(&function, &armed, NULL, 0, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		return;
	meanwhile();
	errno = error;
}

void late_fail(const char *name, int result)
{
	failure = result;
	__atomic_store_n(&failing, name, __ATOMIC_RELEASE);
}

static int fails(const char *name)
{
	const char *armed = __atomic_load_n(&failing, __ATOMIC_ACQUIRE);

	if (!armed || strcmp(armed, name) ||
	    !__atomic_compare_exchange_n(&failing, &armed, NULL, 0, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		return 0;
	errno = EACCES;
	return 1;
}

/* Before glibc 2.36 dlsym finds the oldest pthread_cond_wait, which works on another structure. */
static void *next_of(const char *name)
{
	void *newer = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");

	return newer ? newer : dlsym(RTLD_NEXT, name);
}

#define LATE(type, succeeded, name, parameters, arguments) \
	type name parameters                               \
	{                                                  \
		static type(*next) parameters;             \
		type result;                               \
                                                           \
		if (!next)                                 \
			*(void **)&next = next_of(#name);  \
		if (fails(#name))                          \
			return (type)failure;              \
		result = next arguments;                   \
		if (succeeded)                             \
			come_back(#name);                  \
		return result;                             \
	}
#define DONE(name, parameters, arguments) LATE(int, result == 0, name, parameters, arguments)
#define MADE(type, name, parameters, arguments) LATE(type, result >= 0, name, parameters, arguments)

/* clang-format off */
MADE(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags))
MADE(int, sendmmsg, (int fd, struct mmsghdr *messages, unsigned count, int flags), (fd, messages, count, flags))
MADE(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags))
MADE(ssize_t, send, (int fd, const void *data, size_t bytes, int flags), (fd, data, bytes, flags))
MADE(ssize_t, write, (int fd, const void *data, size_t bytes), (fd, data, bytes))
DONE(kill, (pid_t pid, int number), (pid, number))
DONE(killpg, (pid_t group, int number), (group, number))
DONE(sigqueue, (pid_t pid, int number, const union sigval value), (pid, number, value))
DONE(pidfd_send_signal, (int pidfd, int number, siginfo_t *info, unsigned flags), (pidfd, number, info, flags))
DONE(unlink, (const char *path), (path))
DONE(remove, (const char *path), (path))
DONE(unlinkat, (int at, const char *path, int flags), (at, path, flags))
DONE(shm_unlink, (const char *name), (name))
MADE(int, shm_open, (const char *name, int flags, mode_t mode), (name, flags, mode))
DONE(close, (int fd), (fd))
DONE(ftruncate, (int fd, off_t bytes), (fd, bytes))
DONE(munmap, (void *at, size_t bytes), (at, bytes))
DONE(madvise, (void *at, size_t bytes, int advice), (at, bytes, advice))
MADE(pid_t, setsid, (void), ())
DONE(posix_spawn, (pid_t *restrict pid, const char *restrict path, const posix_spawn_file_actions_t *restrict actions, const posix_spawnattr_t *restrict attributes, char *const argv[restrict], char *const envp[restrict]), (pid, path, actions, attributes, argv, envp))
MADE(pid_t, fork, (void), ())
MADE(pid_t, waitpid, (pid_t pid, int *status, int options), (pid, status, options))
DONE(sem_post, (sem_t *s), (s))
DONE(sem_wait, (sem_t *s), (s))
DONE(sem_trywait, (sem_t *s), (s))
DONE(sem_timedwait, (sem_t *restrict s, const struct timespec *restrict until), (s, until))
DONE(pthread_mutex_lock, (pthread_mutex_t *m), (m))
DONE(pthread_mutex_trylock, (pthread_mutex_t *m), (m))
DONE(pthread_mutex_timedlock, (pthread_mutex_t *restrict m, const struct timespec *restrict until), (m, until))
DONE(pthread_mutex_unlock, (pthread_mutex_t *m), (m))
DONE(pthread_rwlock_rdlock, (pthread_rwlock_t *l), (l))
DONE(pthread_rwlock_wrlock, (pthread_rwlock_t *l), (l))
DONE(pthread_rwlock_unlock, (pthread_rwlock_t *l), (l))
DONE(pthread_spin_lock, (pthread_spinlock_t *l), (l))
DONE(pthread_spin_unlock, (pthread_spinlock_t *l), (l))
DONE(pthread_cond_wait, (pthread_cond_t *restrict c, pthread_mutex_t *restrict m), (c, m))
DONE(pthread_barrier_wait, (pthread_barrier_t *b), (b))
DONE(pthread_create, (pthread_t *restrict thread, const pthread_attr_t *restrict attributes, void *(*start)(void *), void *restrict argument), (thread, attributes, start, argument))
DONE(pthread_join, (pthread_t thread, void **value), (thread, value))
DONE(mtx_lock, (mtx_t *m), (m))
DONE(mtx_unlock, (mtx_t *m), (m))
DONE(dlclose, (void *handle), (handle))
/* clang-format on */

void *mremap(void *from, size_t before, size_t bytes, int flags, ...)
{
	static void *(*next)(void *, size_t, size_t, int, ...);
	void *to;

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "mremap");
	to = next(from, before, bytes, flags);
	if (to != MAP_FAILED)
		come_back("mremap");
	return to;
}

long syscall(long number, ...)
{
	static long (*next)(long, ...);
	long a[6], result;
	va_list list;

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "syscall");
	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	result = next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (number == SYS_kill && result == 0)
		come_back("syscall");
	return result;
}

/* The runtime of CUDA, where the program has one. */
#define CUDA(name, parameters, arguments) \
	LATE(cudaError_t, result == 0, name, parameters, arguments)
/* clang-format off */
CUDA(cudaFree, (void *address), (address))
CUDA(cudaIpcGetMemHandle, (cudaIpcMemHandle_t *handle, void *address), (handle, address))
CUDA(cudaIpcOpenMemHandle, (void **address, cudaIpcMemHandle_t handle, unsigned flags), (address, handle, flags))
CUDA(cudaIpcCloseMemHandle, (void *address), (address))
/* clang-format on */
