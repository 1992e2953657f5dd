/*
 * Memory is left out of forks, and children live with it: one does not touch it, one gets it back before its fork, one
 * has a handler of its own for faults elsewhere, which works as it always does.
 */
// expect: none
// silent: fork-dontfork-memory
#include "lib.h"

#include <setjmp.h>
#include <signal.h>

#define BYTES (4 * 4096)

static char *excluded, *returned, *unmapped;
static sigjmp_buf back;
static volatile int faults;

static char *page(void)
{
	char *memory =
		mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must(memory != MAP_FAILED);
	must(madvise(memory, BYTES, MADV_DONTFORK) == 0);
	return memory;
}

static void on_fault(int number)
{
	must(number == SIGSEGV);
	faults++;
	siglongjmp(back, 1);
}

static void touch(volatile char *at)
{
	if (sigsetjmp(back, 1) == 0)
		*at = 1;
}

static void child_catches(void)
{
	struct sigaction mine = {.sa_handler = on_fault}, old;

	must(sigaction(SIGSEGV, &mine, &old) == 0);
	must(old.sa_handler == SIG_DFL);
	touch(unmapped);
	must(faults == 1);
	touch(unmapped);
	must(faults == 2);
	returned[0] = 1;
}

static void child_does_not_touch(void)
{
	returned[1] = 1;
}

int main(void)
{
	excluded = page();
	returned = page();
	must(madvise(returned, BYTES, MADV_DOFORK) == 0);
	unmapped = page();
	must(munmap(unmapped, BYTES) == 0);
	must(child_run(child_does_not_touch) == 0);
	must(child_run(child_catches) == 0);
	puts("done");
	return 0;
}
