/*
 * Locks, threads and children of which a call comes back late: late_locks CASE. Others wait for what its caller has, or have
 * what it gave back, while its thread is still in the call.
 */
// link: -Lbuild/tests/preload/lib -l:late.so -Wl,-rpath,$ORIGIN/../preload/lib
#include "late.h"

#include <semaphore.h>
#include <threads.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t semaphore;
static mtx_t plain;
static pthread_barrier_t barrier;
static struct timespec far;

static void take(void)
{
	if (is("pthread_mutex_lock") || is("pthread_mutex_unlock"))
		must(pthread_mutex_lock(&mutex) == 0);
	else if (is("pthread_mutex_trylock"))
		must(pthread_mutex_trylock(&mutex) == 0);
	else if (is("pthread_mutex_timedlock"))
		must(pthread_mutex_timedlock(&mutex, &far) == 0);
	else if (is("pthread_rwlock_rdlock"))
		must(pthread_rwlock_rdlock(&rwlock) == 0);
	else if (is("pthread_rwlock_wrlock") || is("pthread_rwlock_unlock"))
		must(pthread_rwlock_wrlock(&rwlock) == 0);
	else if (is("pthread_spin_lock") || is("pthread_spin_unlock"))
		must(pthread_spin_lock(&spin) == 0);
	else if (is("sem_wait") || is("sem_post"))
		must(sem_wait(&semaphore) == 0);
	else if (is("sem_trywait"))
		must(sem_trywait(&semaphore) == 0);
	else if (is("sem_timedwait"))
		must(sem_timedwait(&semaphore, &far) == 0);
	else
		must(mtx_lock(&plain) == 0);
}

static void give(void)
{
	if (!strncmp(function, "pthread_mutex", 13))
		must(pthread_mutex_unlock(&mutex) == 0);
	else if (!strncmp(function, "pthread_rwlock", 14))
		must(pthread_rwlock_unlock(&rwlock) == 0);
	else if (!strncmp(function, "pthread_spin", 12))
		must(pthread_spin_unlock(&spin) == 0);
	else if (!strncmp(function, "sem", 3))
		must(sem_post(&semaphore) == 0);
	else
		must(mtx_unlock(&plain) == 0);
}

static void *take_and_give(void *unused)
{
	gate_wait(&done);
	if (is("pthread_rwlock_rdlock"))
		must(pthread_rwlock_wrlock(&rwlock) == 0);
	else if (!strcmp(function + strlen(function) - 7, "trylock"))
		must(pthread_mutex_lock(&mutex) == 0);
	else if (is("sem_trywait"))
		must(sem_wait(&semaphore) == 0);
	else
		take();
	give();
	return unused;
}

/* One thread is late with a lock, and others wait for it, or take it, meanwhile. */
static void locks(void)
{
	pthread_t waiter[2];

	must(pthread_spin_init(&spin, 0) == 0 && sem_init(&semaphore, 0, 1) == 0);
	must(mtx_init(&plain, mtx_plain) == thrd_success);
	must(clock_gettime(CLOCK_REALTIME, &far) == 0);
	far.tv_sec += 60;
	waiter[0] = in_thread(take_and_give, NULL);
	waiter[1] = in_thread(take_and_give, NULL);
	if (!strstr(function, "unlock") && !strstr(function, "post"))
		late_after(function, tell_and_nap);
	take();
	gate_open(&done);
	if (strstr(function, "unlock") || strstr(function, "post"))
		late_after(function, tell_and_nap);
	give();
	gate_open(&done);
	joined(waiter[0]);
	joined(waiter[1]);
}

/* A process is late to give a lock back that another takes, and ends with: that one is gone, and not the owner. */
static void gives_to_process(void)
{
	sem_t *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child;

	must(shared != MAP_FAILED && sem_init(shared, 1, 1) == 0);
	must(sem_wait(shared) == 0);
	child = fork();
	if (child == 0) {
		must(sem_wait(shared) == 0);
		must(sem_post(shared) == 0);
		gate_wait(&done);
		_exit(0);
	}
	late_after("sem_post", tell_and_nap);
	must(sem_post(shared) == 0);
	must(sem_wait(shared) == 0);
	must(sem_post(shared) == 0);
	must(child_wait(child) == 0);
}

static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;
static bool news;

static void *wait_late(void *unused)
{
	late_after(function, tell_and_nap);
	if (is("pthread_barrier_wait")) {
		pthread_barrier_wait(&barrier);
		return unused;
	}
	pthread_mutex_lock(&mutex);
	while (!news)
		pthread_cond_wait(&woken, &mutex);
	pthread_mutex_unlock(&mutex);
	return unused;
}

/* Who was woken is late to go on. */
static void wakes(void)
{
	pthread_t waiter;

	must(pthread_barrier_init(&barrier, NULL, 2) == 0);
	waiter = in_thread(wait_late, NULL);
	if (is("pthread_barrier_wait")) {
		pthread_barrier_wait(&barrier);
	} else {
		pthread_mutex_lock(&mutex);
		news = true;
		pthread_cond_broadcast(&woken);
		pthread_mutex_unlock(&mutex);
	}
	joined(waiter);
}

static void *end_at_once(void *unused)
{
	return unused;
}

static void *join_late(void *thread)
{
	late_after("pthread_join", tell_and_nap);
	joined(*(pthread_t *)thread);
	return NULL;
}

static void makes_thread(void)
{
	pthread_t thread, joiner;

	if (is("pthread_create"))
		late_after(function, nap);
	thread = in_thread(end_at_once, NULL);
	joiner = in_thread(join_late, &thread);
	joined(joiner);
}

static void makes_process(void)
{
	pid_t child;

	if (is("fork"))
		late_after(function, nap);
	child = fork();
	if (child == 0)
		_exit(0);
	if (is("waitpid"))
		late_after(function, nap);
	must(child_wait(child) == 0);
}

/* ---- a lock that cannot be given back by who tries to: its owner is left behind by a fork ---- */

static pthread_mutex_t checked;

static void take_checked(void)
{
	must(pthread_mutex_lock(&checked) == 0);
}

static void *want_checked(void *unused)
{
	must(pthread_mutex_lock(&checked) == 0);
	return unused;
}

static void unlocks_in_vain(void)
{
	struct keeper keeper = {.take = take_checked};
	pthread_mutexattr_t attributes;

	must(pthread_mutexattr_init(&attributes) == 0);
	must(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK) == 0);
	must(pthread_mutex_init(&checked, &attributes) == 0);
	keeper_start(&keeper);
	must(pthread_mutex_unlock(&checked) == EPERM);
	if (fork() == 0) {
		in_thread(want_checked, NULL);
		for (;;)
			pause();
	}
	must(wait(NULL) > 0);
}

/* ---- the table ---- */

static const struct late_case table[] = {
	{"pthread_mutex_lock", locks, "pthread_mutex_lock"},
	{"pthread_mutex_trylock", locks, "pthread_mutex_trylock"},
	{"pthread_mutex_timedlock", locks, "pthread_mutex_timedlock"},
	{"pthread_mutex_unlock", locks, "pthread_mutex_unlock"},
	{"pthread_rwlock_rdlock", locks, "pthread_rwlock_rdlock"},
	{"pthread_rwlock_wrlock", locks, "pthread_rwlock_wrlock"},
	{"pthread_rwlock_unlock", locks, "pthread_rwlock_unlock"},
	{"pthread_spin_lock", locks, "pthread_spin_lock"},
	{"pthread_spin_unlock", locks, "pthread_spin_unlock"},
	{"mtx_lock", locks, "mtx_lock"},
	{"mtx_unlock", locks, "mtx_unlock"},
	{"sem_wait", locks, "sem_wait"},
	{"sem_trywait", locks, "sem_trywait"},
	{"sem_timedwait", locks, "sem_timedwait"},
	{"sem_post", locks, "sem_post"},
	{"sem_post_shared", gives_to_process, "sem_post"},
	{"pthread_cond_wait", wakes, "pthread_cond_wait"},
	{"pthread_barrier_wait", wakes, "pthread_barrier_wait"},
	{"pthread_create", makes_thread, "pthread_create"},
	{"pthread_join", makes_thread, "pthread_join"},
	{"fork", makes_process, "fork"},
	{"waitpid", makes_process, "waitpid"},
	{"unlock_fails", unlocks_in_vain, "pthread_mutex_unlock"},
};

int main(int argc, char **argv)
{
	return LATE_RUN(table, argc, argv);
}
