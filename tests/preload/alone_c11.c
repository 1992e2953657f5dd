/* The same with C11's condition variable, whose functions do not come by the pthread ones. */
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

int main(void)
{
	must(mtx_init(&lock, mtx_plain) == thrd_success);
	must(cnd_init(&changed) == thrd_success);
	return child_run(child_waits);
}
