/* A process with one thread takes a semaphore that it has taken already, at the very first use. */
// expect: self-deadlock error
// ends: never
// frames: take_again
// outside: nothing: who took it
#include "lib.h"

#include <semaphore.h>

static sem_t lock;

static NOINLINE void take_again(void)
{
	must(sem_wait(&lock) == 0);
}

int main(void)
{
	must(sem_init(&lock, 0, 1) == 0);
	must(sem_wait(&lock) == 0);
	take_again();
	return 0;
}
