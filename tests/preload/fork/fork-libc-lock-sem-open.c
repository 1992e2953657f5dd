// A thread is inside sem_open, where it allocates with the list of named semaphores in hand; the child opens one.
// expect: fork-libc-lock error
// frames: in_thread in_child
// says: list of named semaphores, in sem_open
#define PARKS_IN_MALLOC
#include "park.h"

#include <fcntl.h>
#include <semaphore.h>

static char name[64];

static NOINLINE void in_thread(void)
{
	sem_open(name, O_CREAT, 0600, 1);
}

static NOINLINE void in_child(void)
{
	must(sem_open(name, O_CREAT, 0600, 1) != SEM_FAILED);
}

static void unlink_it(void)
{
	sem_unlink(name);
}

int main(void)
{
	snprintf(name, sizeof(name), "/mpsan-park-%d", (int)getpid());
	clean_up = unlink_it;
	park_in(in_thread);
	return child_hangs(in_child);
}
