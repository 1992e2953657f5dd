/*
 * A thread that reads asks to write: it waits for itself. What it holds and what it wants are two kinds of lock.
 */
// expect: self-deadlock error
// ends: never
// frames: look change
// says: , which it already holds, taken at look
// says: a read lock does not become a write lock
#include "lib.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static NOINLINE void look(void)
{
	must(pthread_rwlock_rdlock(&lock) == 0);
}

static NOINLINE void change(void)
{
	must(pthread_rwlock_wrlock(&lock) == 0);
}

int main(void)
{
	look();
	change();
	return 0;
}
