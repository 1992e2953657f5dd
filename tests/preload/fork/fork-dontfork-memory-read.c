/*
 * A buffer is left out of forks, as libraries for RDMA do with what a device writes to. The child reads it, and dies of
 * a signal whose cause is a line of its parent.
 */
// expect: fork-dontfork-memory error
// frames: leave_out child_reads main
// says: was excluded from forks at
#include "lib.h"

#define BYTES (16 * 4096)

static char *buffer;

static NOINLINE void leave_out(void)
{
	must(madvise(buffer, BYTES, MADV_DONTFORK) == 0);
	must(buffer[0] == 0);
}

static NOINLINE void child_reads(void)
{
	if (*(volatile char *)(buffer + BYTES / 2))
		_exit(4);
}

int main(void)
{
	buffer = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(buffer != MAP_FAILED);
	leave_out();
	printf("the child ended with %d\n", child_run(child_reads));
	return 0;
}
