/* A thread would signal a condition variable, as in fork-lost-wakeup-cond.c: with C11's, whose functions do not come by the pthread ones. */
// expect: fork-lost-wakeup error
// ends: never
// frames: child_waits
#include "lib.h"

#include <threads.h>

static mtx_t lock;
static cnd_t changed;

static NOINLINE void child_waits(void)
{
	must(mtx_lock(&lock) == thrd_success);
	for (;;)
		must(cnd_wait(&changed, &lock) == thrd_success);
}

static int signaller_main(void *gate)
{
	gate_wait(gate);
	return cnd_signal(&changed);
}

int main(void)
{
	struct gate never;
	thrd_t signaller;

	gate_init(&never);
	must(mtx_init(&lock, mtx_plain) == thrd_success);
	must(cnd_init(&changed) == thrd_success);
	must(thrd_create(&signaller, signaller_main, &never) == thrd_success);
	return child_run(child_waits);
}
