/*
 * A thread that stops for good inside a function of libc while that holds a lock of its own. Some of them allocate
 * under their lock: the program's own malloc parks the thread there. Others read memory that the program hands them:
 * a page that may not be touched parks it in a signal handler.
 */
#ifndef MPSAN_TESTS_PRELOAD_PARK_H
#define MPSAN_TESTS_PRELOAD_PARK_H

#include "lib.h"

#include <signal.h>

static struct gate parked;
static __thread bool parks_in_malloc;
static pid_t parked_tid;

static NOINLINE void park(void)
{
	parked_tid = gettid();
	gate_open(&parked);
	for (;;)
		pause();
}

static void park_on_fault(int signal)
{
	(void)signal;
	park();
}

#ifdef PARKS_IN_MALLOC
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);

void *malloc(size_t bytes)
{
	if (parks_in_malloc)
		park();
	return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
	if (parks_in_malloc)
		park();
	return __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
	if (parks_in_malloc)
		park();
	return __libc_realloc(old, bytes);
}
#endif

static NOINLINE void *parked_main(void *call)
{
	parks_in_malloc = true;
	((void (*)(void))call)();
	must(!"it came back");
	return NULL;
}

/* Returns when a thread is parked inside `call`. */
static inline void park_in(void (*call)(void))
{
	pthread_t thread;

	gate_init(&parked);
	signal(SIGSEGV, park_on_fault);
	must(pthread_create(&thread, NULL, parked_main, (void *)call) == 0);
	gate_wait(&parked);
	until_asleep(getpid(), parked_tid);
}

static void (*clean_up)(void); /* before the end, if it is set: exit() itself may hang here */

/* A child that hangs in `body`, for as long as the command needs to see it; then it is ended. */
static NOINLINE int child_hangs(void (*body)(void))
{
	pid_t child = fork();

	if (child == 0) {
		body();
		_exit(3);
	}
	must(child > 0);
	until_asleep(child, child);
	sleep_ms(2 * WAIT_JUDGED_MS * slowness());
	must(kill(child, SIGKILL) == 0);
	must(child_wait(child) == 128 + SIGKILL);
	if (clean_up)
		clean_up();
	_exit(0);
}

#endif
