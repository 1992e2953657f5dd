/*
 * Shared by the programs about lock orders: threads that run one after the other, each taking locks in an order
 * of its own. Nothing hangs.
 */
#ifndef MPSAN_TESTS_PRELOAD_ORDER_H
#define MPSAN_TESTS_PRELOAD_ORDER_H

#include "lib.h"

static inline void take(pthread_mutex_t *mutex)
{
	must(pthread_mutex_lock(mutex) == 0);
}

static inline void give(pthread_mutex_t *mutex)
{
	must(pthread_mutex_unlock(mutex) == 0);
}

static NOINLINE void nest(pthread_mutex_t *first, pthread_mutex_t *second)
{
	take(first);
	take(second);
	give(second);
	give(first);
}

/* A thread that runs `body` to its end. */
static inline void run_thread(void *(*body)(void *))
{
	pthread_t thread;

	must(pthread_create(&thread, NULL, body, NULL) == 0);
	must(pthread_join(thread, NULL) == 0);
}

#endif
