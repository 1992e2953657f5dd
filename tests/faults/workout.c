/*
 * A bit of everything that the library intercepts, with a result that does not depend on chance: what a program
 * does beside other preloaded libraries, under sanitizers, or under an interposer that forbids things. Prints one
 * line for each part; argv[1], if any, names the parts to run (separated by commas).
 */
#include "../preload/lib.h"

#include <semaphore.h>
#include <spawn.h>
#include <sys/syscall.h>

#define THREADS 4
#define TURNS 200

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t semaphore;
static long counter, others, arrived;

static void *worker(void *argument)
{
	for (int i = 0; i < TURNS; i++) {
		pthread_mutex_lock(&mutex);
		counter++;
		pthread_mutex_unlock(&mutex);
		pthread_rwlock_wrlock(&rwlock);
		others++;
		pthread_rwlock_unlock(&rwlock);
		sem_wait(&semaphore);
		sem_post(&semaphore);
	}
	pthread_mutex_lock(&mutex);
	arrived++;
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&mutex);
	return argument;
}

static long threads(void)
{
	pthread_t thread[THREADS];

	sem_init(&semaphore, 0, 1);
	pthread_mutex_lock(&mutex); /* so that no worker can be through before the wait begins */
	for (int i = 0; i < THREADS; i++)
		must(pthread_create(&thread[i], NULL, worker, NULL) == 0);
	while (arrived < THREADS)
		pthread_cond_wait(&condition, &mutex);
	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < THREADS; i++)
		must(pthread_join(thread[i], NULL) == 0);
	return arrived;
}

static long locks(void)
{
	struct timespec past = {1, 0};
	long sum = 0;

	pthread_spin_init(&spin, 0);
	pthread_mutex_lock(&mutex);
	sum += pthread_mutex_trylock(&mutex) == EBUSY;
	sum += pthread_mutex_timedlock(&mutex, &past) == ETIMEDOUT;
	pthread_mutex_unlock(&mutex);
	sum += pthread_spin_lock(&spin) == 0 && pthread_spin_trylock(&spin) == EBUSY;
	pthread_spin_unlock(&spin);
	sem_init(&semaphore, 0, 0);
	sum += sem_timedwait(&semaphore, &past) == -1 && errno == ETIMEDOUT;
	return sum;
}

static long forks(void)
{
	long sum = 0;

	for (int i = 0; i < 8; i++) {
		pid_t child = fork();

		if (child == 0) {
			pthread_mutex_lock(&mutex);
			pthread_mutex_unlock(&mutex);
			_exit(i);
		}
		sum += child_wait(child);
	}
	return sum;
}

static long vforks(void)
{
	char *const argv[] = {"sh", "-c", "exit 5", NULL};
	pid_t child = vfork();
	long sum;

	if (child == 0) {
		execv("/bin/sh", argv);
		_exit(127);
	}
	sum = child_wait(child);
	child = vfork();
	if (child == 0)
		_exit(3);
	return sum + child_wait(child);
}

static long spawns(void)
{
	char *const argv[] = {"sh", "-c", "exit 6", NULL};
	extern char **environ;
	pid_t child = -1;

	must(posix_spawn(&child, "/bin/sh", NULL, NULL, argv, environ) == 0);
	return child_wait(child) + system("exit 2") / 256;
}

/* A thread keeps the mutex; the child's wait for it is proven endless, and ended from outside. */
static void *keep(void *gate)
{
	pthread_mutex_lock(&mutex);
	gate_open(gate);
	pause();
	return NULL;
}

static long orphans(void)
{
	static struct gate kept;
	pthread_t thread;
	pid_t child;
	int status;

	gate_init(&kept);
	must(pthread_create(&thread, NULL, keep, &kept) == 0);
	gate_wait(&kept);
	child = fork();
	if (child == 0) {
		pthread_mutex_lock(&mutex);
		_exit(0);
	}
	until_asleep(child, child);
	kill(child, SIGKILL);
	must(waitpid(child, &status, 0) == child);
	return WTERMSIG(status);
}

static const struct {
	const char *name;
	long (*run)(void);
	long want;
} part[] = {
	{"threads", threads, THREADS}, {"locks", locks, 4},   {"forks", forks, 28},
	{"vforks", vforks, 8},	       {"spawns", spawns, 8}, {"orphans", orphans, SIGKILL},
};

int main(int argc, char **argv)
{
	int failed = 0;

	for (size_t i = 0; i < sizeof(part) / sizeof(*part); i++) {
		long result;

		if (argc > 1 && !strstr(argv[1], part[i].name))
			continue;
		result = part[i].run();
		printf("%s %ld\n", part[i].name, result);
		fflush(stdout);
		failed |= result != part[i].want;
	}
	return failed;
}
