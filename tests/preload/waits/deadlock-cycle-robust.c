/* Two threads take two robust mutexes in opposite orders. Robust or not, each owner lives, and waits. */
// expect: deadlock-cycle error
// ends: never
// frames: debit audit
#include "lib.h"

static pthread_mutex_t accounts, journal;
static struct gate has_one;

static NOINLINE void audit(void)
{
	must(pthread_mutex_lock(&accounts) == 0);
}

static void *audit_main(void *unused)
{
	must(pthread_mutex_lock(&journal) == 0);
	gate_open(&has_one);
	audit();
	return unused;
}

static NOINLINE void debit(void)
{
	must(pthread_mutex_lock(&journal) == 0);
}

int main(void)
{
	pthread_t thread;

	gate_init(&has_one);
	mutex_of(&accounts, PTHREAD_MUTEX_NORMAL, PTHREAD_PROCESS_PRIVATE, PTHREAD_MUTEX_ROBUST);
	mutex_of(&journal, PTHREAD_MUTEX_NORMAL, PTHREAD_PROCESS_PRIVATE, PTHREAD_MUTEX_ROBUST);
	must(pthread_mutex_lock(&accounts) == 0);
	must(pthread_create(&thread, NULL, audit_main, NULL) == 0);
	gate_wait(&has_one);
	debit();
	return 0;
}
