// A thread constructs a C++ static when the process forks; the child reaches the same static. The guard's functions are
// called as the compiler would.
// expect: fork-static-init error
// may: fork-static-init warning
// frames: keeper_main in_child
// says: called at constructing
// ends: never
// link: -lstdc++
#include "lib.h"

#include <stdint.h>

int __cxa_guard_acquire(uint64_t *guard);
void __cxa_guard_release(uint64_t *guard);

static uint64_t guard;

static NOINLINE void constructing(void)
{
	must(__cxa_guard_acquire(&guard) == 1);
}

static NOINLINE void in_child(void)
{
	must(__cxa_guard_acquire(&guard) == 0);
}

int main(void)
{
	static struct keeper keeper = {.take = constructing};

	keeper_start(&keeper);
	return child_run(in_child);
}
