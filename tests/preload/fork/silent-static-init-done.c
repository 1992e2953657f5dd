// C++ statics that were constructed, or whose construction was given up, before the fork; one that is under construction
// when a child execs. A thread waits for another's construction.
// expect: none
// link: -lstdc++
#include "lib.h"

#include <stdint.h>

int __cxa_guard_acquire(uint64_t *guard);
void __cxa_guard_release(uint64_t *guard);
void __cxa_guard_abort(uint64_t *guard);

static uint64_t done, given_up, open_one;
static struct gate begun;

static void *in_thread(void *argument)
{
	must(__cxa_guard_acquire(&done) == 1);
	gate_open(&begun);
	sleep_ms(20);
	__cxa_guard_release(&done);
	must(__cxa_guard_acquire(&given_up) == 1);
	__cxa_guard_abort(&given_up);
	must(__cxa_guard_acquire(&open_one) == 1);
	gate_open(&begun);
	pause();
	return argument;
}

static void in_child(void)
{
	must(__cxa_guard_acquire(&done) == 0);
	must(__cxa_guard_acquire(&given_up) == 1);
	__cxa_guard_release(&given_up);
}

static void execs(void)
{
	execl("/bin/true", "true", (char *)NULL);
}

int main(void)
{
	pthread_t thread;

	gate_init(&begun);
	must(pthread_create(&thread, NULL, in_thread, NULL) == 0);
	gate_wait(&begun);
	must(__cxa_guard_acquire(&done) == 0);
	gate_wait(&begun);
	must(child_run(in_child) == 0);
	must(child_run(execs) == 0);
	_exit(0);
}
