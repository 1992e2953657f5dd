/*
 * The main thread has ended, and the two that go on deadlock: the process is a zombie to /proc/PID/stat, and
 * its memory is no longer to be read under its own number.
 */
// expect: deadlock-cycle error
// ends: never
// frames: debit_main audit_main
#include "threads.h"

static pthread_mutex_t accounts = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t journal = PTHREAD_MUTEX_INITIALIZER;
static struct meeting both_have_one;

static NOINLINE void *debit_main(void *unused)
{
	mutex_take(&accounts);
	meet(&both_have_one);
	mutex_take(&journal);
	mutex_give(&journal);
	mutex_give(&accounts);
	return unused;
}

static NOINLINE void *audit_main(void *unused)
{
	sleep_ms(100); /* until the main thread has ended */
	mutex_take(&journal);
	meet(&both_have_one);
	mutex_take(&accounts);
	mutex_give(&accounts);
	mutex_give(&journal);
	return unused;
}

int main(void)
{
	meeting_init(&both_have_one, 2);
	thread_start(debit_main);
	thread_start(audit_main);
	pthread_exit(NULL);
}
