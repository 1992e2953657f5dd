/*
 * The oldest deadlock: one thread has the accounts and wants the journal, another one has the journal and
 * wants the accounts. The main thread joins the first.
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
	mutex_take(&journal);
	meet(&both_have_one);
	mutex_take(&accounts);
	mutex_give(&accounts);
	mutex_give(&journal);
	return unused;
}

int main(void)
{
	pthread_t debit, audit;

	meeting_init(&both_have_one, 2);
	debit = thread_start(debit_main);
	audit = thread_start(audit_main);
	thread_join(debit);
	thread_join(audit);
	return 0;
}
