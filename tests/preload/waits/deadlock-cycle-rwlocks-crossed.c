/*
 * One thread reads the first lock and asks to read the second, another writes the second and asks to write the first:
 * an ordinary cycle, in which no waiting writer keeps a reader out.
 */
// expect: deadlock-cycle error
// ends: never
// frames: read_second write_first
// says: take locks in one order everywhere
#include "lib.h"

static pthread_rwlock_t first = PTHREAD_RWLOCK_INITIALIZER, second = PTHREAD_RWLOCK_INITIALIZER;
static struct gate written;

static NOINLINE void write_first(void)
{
	must(pthread_rwlock_wrlock(&first) == 0);
}

static void *write_main(void *unused)
{
	must(pthread_rwlock_wrlock(&second) == 0);
	gate_open(&written);
	write_first();
	return unused;
}

static NOINLINE void read_second(void)
{
	must(pthread_rwlock_rdlock(&second) == 0);
}

int main(void)
{
	pthread_t thread;

	gate_init(&written);
	must(pthread_rwlock_rdlock(&first) == 0);
	must(pthread_create(&thread, NULL, write_main, NULL) == 0);
	gate_wait(&written);
	read_second();
	return 0;
}
