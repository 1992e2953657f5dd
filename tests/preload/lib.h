/*
 * What the small programs of this directory share: threads that keep a lock, gates between threads, children
 * that are waited for. Gates are pipes, so that a handshake takes no lock of the kinds under test. Include
 * this first: it asks libc for the GNU names.
 */
#ifndef MPSAN_TESTS_PRELOAD_LIB_H
#define MPSAN_TESTS_PRELOAD_LIB_H

#define _GNU_SOURCE 1

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, unused)) /* keeps its frame, and its name in evidence */

/* Ends the program with status 3 unless `ok`: a broken test must not look like a finding. */
#define must(ok) must_be((ok), #ok, __FILE__, __LINE__)

static inline void must_be(bool ok, const char *what, const char *file, int line)
{
	if (ok)
		return;
	fprintf(stderr, "%s:%d: not so: %s (errno %d)\n", file, line, what, errno);
	_exit(3);
}

/* A gate is shut until somebody opens it, and then lets one waiter through. Works between processes too. */
struct gate {
	int fd[2];
};

static inline void gate_init(struct gate *gate)
{
	must(pipe(gate->fd) == 0);
}

static inline void gate_open(struct gate *gate)
{
	must(write(gate->fd[1], "", 1) == 1);
}

static inline void gate_wait(struct gate *gate)
{
	char byte;

	must(read(gate->fd[0], &byte, 1) == 1);
}

/* Returns once thread `tid` of process `pid` sleeps in the kernel: only then is it known to wait. */
static inline void until_asleep(pid_t pid, pid_t tid)
{
	char path[64], state = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	while (state != 'S') {
		FILE *stat = fopen(path, "r");

		must(stat != NULL);
		must(fscanf(stat, "%*d (%*[^)]) %c", &state) == 1);
		fclose(stat);
	}
}

/* A thread that takes a lock and keeps it until it is told to give it back, if it ever is. */
struct keeper {
	void (*take)(void);
	void (*give)(void);
	struct gate taken, wanted_back, given;
	pthread_t thread;
	pid_t tid;
};

static NOINLINE void *keeper_main(void *argument)
{
	struct keeper *keeper = argument;

	keeper->tid = gettid();
	keeper->take();
	gate_open(&keeper->taken);
	gate_wait(&keeper->wanted_back);
	if (keeper->give)
		keeper->give();
	gate_open(&keeper->given);
	return NULL;
}

/* Returns when the thread has the lock and sleeps: a stack can be read only of a thread that does not run. */
static inline void keeper_start(struct keeper *keeper)
{
	gate_init(&keeper->taken);
	gate_init(&keeper->wanted_back);
	gate_init(&keeper->given);
	must(pthread_create(&keeper->thread, NULL, keeper_main, keeper) == 0);
	gate_wait(&keeper->taken);
	until_asleep(getpid(), keeper->tid);
}

static inline void keeper_stop(struct keeper *keeper)
{
	gate_open(&keeper->wanted_back);
	gate_wait(&keeper->given);
	must(pthread_join(keeper->thread, NULL) == 0);
}

/* Waits for `child` and returns its exit code, or 128 + the signal that ended it. */
static inline int child_wait(pid_t child)
{
	int status;

	must(child > 0);
	while (waitpid(child, &status, 0) != child)
		must(errno == EINTR);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Forks a child that runs `body` and ends; returns what child_wait says. */
static NOINLINE int child_run(void (*body)(void))
{
	pid_t child = fork();

	if (child == 0) {
		body();
		_exit(0);
	}
	return child_wait(child);
}

static inline void sleep_ms(long ms)
{
	struct timespec left = {ms / 1000, ms % 1000 * 1000000};

	while (nanosleep(&left, &left) != 0)
		must(errno == EINTR);
}

/* How many times longer things take here than on a machine of its own: under an emulator, say. */
static inline long slowness(void)
{
	const char *factor = getenv("MPSAN_SLOW");

	return factor ? atol(factor) : 1;
}

/* Longer than a child may live beside a lock that was held at its fork before the command speaks of it. */
static inline void live_on(void)
{
	sleep_ms(1300 * slowness());
}

/* Longer than a wait must last before the command judges it. */
#define WAIT_JUDGED_MS 700

static inline struct timespec realtime_in_ms(long ms)
{
	struct timespec at;

	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_nsec += ms % 1000 * 1000000;
	at.tv_sec += ms / 1000 + at.tv_nsec / 1000000000;
	at.tv_nsec %= 1000000000;
	return at;
}

static inline pthread_mutex_t *mutex_of(pthread_mutex_t *mutex, int type, int shared, int robust)
{
	pthread_mutexattr_t attributes;

	must(pthread_mutexattr_init(&attributes) == 0);
	must(pthread_mutexattr_settype(&attributes, type) == 0);
	must(pthread_mutexattr_setpshared(&attributes, shared) == 0);
	must(pthread_mutexattr_setrobust(&attributes, robust) == 0);
	must(pthread_mutex_init(mutex, &attributes) == 0);
	must(pthread_mutexattr_destroy(&attributes) == 0);
	return mutex;
}

/* Memory that parent and child share. */
static inline void *shared_memory(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	must(memory != MAP_FAILED);
	return memory;
}

/*
 * A name, or path, of shared memory that no other run has; in the forked children of who asked first it is the
 * same. What is left of the dead is swept up by whoever runs the program (lib/mpsantest.py).
 */
static inline const char *own_path(const char *what)
{
	static char text[8][64];
	static unsigned turn;
	static int first;

	first = first ? first : (int)getpid();
	turn = (turn + 1) % 8;
	snprintf(text[turn], sizeof(text[turn]), "/dev/shm/mpsan-test-%s-%d", what, first);
	return text[turn];
}

static inline const char *own_name(const char *what)
{
	return own_path(what) + strlen("/dev/shm");
}

#endif
