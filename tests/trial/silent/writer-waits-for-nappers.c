/* A writer waits for two readers of a read-write lock, one of which takes it twice before the writer comes; they nap under it. */
// expect: none
#include "threads.h"

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static struct meeting all;

static void *read_slowly(void *unused)
{
	pthread_rwlock_rdlock(&table);
	pthread_rwlock_rdlock(&table);
	meet(&all);
	for (int i = 0; i < 20; i++)
		usleep(200000);
	pthread_rwlock_unlock(&table);
	pthread_rwlock_unlock(&table);
	return unused;
}

int main(void)
{
	pthread_t reader[2];

	meeting_init(&all, 3);
	for (int i = 0; i < 2; i++)
		reader[i] = thread_start(read_slowly);
	meet(&all);
	pthread_rwlock_wrlock(&table);
	pthread_rwlock_unlock(&table);
	for (int i = 0; i < 2; i++)
		thread_join(reader[i]);
	return 0;
}
