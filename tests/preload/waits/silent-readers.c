/*
 * Two rwlocks in opposite orders, but for reading: the second reader goes in as well. One writer waits for both
 * of them all the time, behind a mutex that the readers do not need.
 */
// expect: none
#include "threads.h"

static pthread_rwlock_t left = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t right = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t writers = PTHREAD_MUTEX_INITIALIZER;
static struct meeting both_have_one, both_have_both;

static void read_both(pthread_rwlock_t *first, pthread_rwlock_t *second)
{
	must(pthread_rwlock_rdlock(first) == 0);
	meet(&both_have_one);
	must(pthread_rwlock_rdlock(second) == 0);
	meet(&both_have_both);
	sleep_ms(WAIT_LOOKED_AT_MS);
	must(pthread_rwlock_unlock(second) == 0);
	must(pthread_rwlock_unlock(first) == 0);
}

static void *reader_main(void *unused)
{
	read_both(&right, &left);
	return unused;
}

static void *writer_main(void *unused)
{
	meet(&both_have_one);
	mutex_take(&writers);
	must(pthread_rwlock_wrlock(&left) == 0);
	must(pthread_rwlock_unlock(&left) == 0);
	mutex_give(&writers);
	return unused;
}

int main(void)
{
	pthread_t reader, writer;

	meeting_init(&both_have_one, 3);
	meeting_init(&both_have_both, 2);
	reader = thread_start(reader_main);
	writer = thread_start(writer_main);
	read_both(&left, &right);
	thread_join(reader);
	thread_join(writer);
	puts("all had their turn");
	return 0;
}
