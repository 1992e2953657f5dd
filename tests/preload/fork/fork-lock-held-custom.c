/*
 * A lock of the program's own making, told to the library through mpsan.h. Whether a loop on it ever ends
 * nobody can prove, so what is said is that it was held at a fork whose child lives on.
 */
// expect: fork-lock-held warning
// says: ring
#include "lib.h"

#include <stdatomic.h>

#include "mpsan.h"

static atomic_int word;

static void take(void)
{
	atomic_store(&word, 1);
	mpsan_lock_acquired(&word);
}

int main(void)
{
	static struct keeper keeper = {.take = take};

	mpsan_lock_name(&word, "ring");
	keeper_start(&keeper);
	return child_run(live_on);
}
