/* Two threads wait for each other's eventfd; the process made both for itself alone. */
// expect: deadlock-cycle error
// within: 6
#include "threads.h"
#include <stdint.h>
#include <sys/eventfd.h>

static int asked, answered;

static NOINLINE void *answer(void *unused)
{
	uint64_t count;

	must(read(asked, &count, sizeof(count)) == sizeof(count));
	count = 1;
	must(write(answered, &count, sizeof(count)) == sizeof(count));
	return unused;
}

int main(void)
{
	uint64_t count;

	asked = eventfd(0, EFD_CLOEXEC);
	answered = eventfd(0, EFD_CLOEXEC);
	thread_start(answer);
	must(read(answered, &count, sizeof(count)) == sizeof(count));
	count = 1;
	must(write(asked, &count, sizeof(count)) == sizeof(count));
	return 0;
}
