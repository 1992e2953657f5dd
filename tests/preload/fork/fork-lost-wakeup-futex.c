/*
 * A futex word as Rust's Mutex, Condvar and channels use it, through syscall(): the forked child waits for a
 * thread of its parent to change it.
 */
// expect: fork-lost-wakeup error
// ends: never
// frames: child_parks
#include "lib.h"

#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>

static atomic_uint parked;

static void *unparker_main(void *gate)
{
	gate_wait(gate);
	atomic_store(&parked, 1);
	syscall(SYS_futex, &parked, FUTEX_WAKE_PRIVATE, 1);
	return NULL;
}

static NOINLINE void child_parks(void)
{
	while (!atomic_load(&parked))
		syscall(SYS_futex, &parked, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, ~0u);
}

int main(void)
{
	struct gate never;
	pthread_t unparker;

	gate_init(&never);
	must(pthread_create(&unparker, NULL, unparker_main, &never) == 0);
	return child_run(child_parks);
}
