/* The main thread reads an eventfd that only its thread would have written to, which has returned early. */
// expect: deadlock-cycle error
// says: \(.*eventfd \d+
// within: 6
#include "threads.h"
#include <stdint.h>
#include <sys/eventfd.h>

static bool broken = true;
static int done;

static NOINLINE void *work(void *unused)
{
	uint64_t one = 1;

	if (!broken && write(done, &one, sizeof(one)) != sizeof(one))
		abort();
	return unused;
}

int main(void)
{
	uint64_t count;

	done = eventfd(0, 0);
	thread_start(work);
	return read(done, &count, sizeof(count)) != sizeof(count);
}
