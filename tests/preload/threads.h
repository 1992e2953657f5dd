/*
 * What the programs about threads that wait for each other share, on top of lib.h.
 */
#ifndef MPSAN_TESTS_PRELOAD_THREADS_H
#define MPSAN_TESTS_PRELOAD_THREADS_H

#include "lib.h"

/* Longer than the command needs to look at a wait several times and to settle on a proof. */
#define WAIT_LOOKED_AT_MS 2500

static inline pthread_t thread_start(void *(*body)(void *))
{
	pthread_t thread;

	must(pthread_create(&thread, NULL, body, NULL) == 0);
	return thread;
}

static inline void thread_join(pthread_t thread)
{
	must(pthread_join(thread, NULL) == 0);
}

/* Spins until the process has had so much of a processor, however busy the machine is. */
static inline void spin_until_had(int tenths_of_a_second)
{
	struct timespec used;

	do
		must(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0);
	while (used.tv_sec * 10 + used.tv_nsec / 100000000 < tenths_of_a_second);
}

static inline void mutex_take(pthread_mutex_t *mutex)
{
	must(pthread_mutex_lock(mutex) == 0);
}

static inline void mutex_give(pthread_mutex_t *mutex)
{
	must(pthread_mutex_unlock(mutex) == 0);
}

/* Nobody passes a meeting before all have come to it. It is met once, and works between processes too. */
struct meeting {
	struct gate gate;
	int parties;
	int missing;
};

static inline void meeting_init(struct meeting *meeting, int parties)
{
	gate_init(&meeting->gate);
	meeting->parties = meeting->missing = parties;
}

static inline void meet(struct meeting *meeting)
{
	if (__atomic_sub_fetch(&meeting->missing, 1, __ATOMIC_SEQ_CST) == 0)
		for (int i = 0; i < meeting->parties; i++)
			gate_open(&meeting->gate);
	gate_wait(&meeting->gate);
}

#endif
