/*
 * A circle through three kinds of locks: a thread has the mutex and wants to write what a reader keeps, the
 * reader wants the semaphore, and who has the semaphore wants the mutex. The semaphore serves as a lock: each
 * of its users has taken it and given it back before. The main thread is the reader.
 */
// expect: deadlock-cycle error
// ends: never
// frames: writer_main reader_side user_main
#include "threads.h"

#include <semaphore.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static sem_t device;
static struct meeting all_have_one;

static void use_device(void)
{
	must(sem_wait(&device) == 0);
	must(sem_post(&device) == 0);
}

static NOINLINE void *writer_main(void *unused)
{
	mutex_take(&mutex);
	meet(&all_have_one);
	must(pthread_rwlock_wrlock(&table) == 0);
	must(pthread_rwlock_unlock(&table) == 0);
	mutex_give(&mutex);
	return unused;
}

static NOINLINE void *user_main(void *unused)
{
	use_device();
	must(sem_wait(&device) == 0);
	meet(&all_have_one);
	mutex_take(&mutex);
	mutex_give(&mutex);
	must(sem_post(&device) == 0);
	return unused;
}

static NOINLINE void reader_side(void)
{
	must(pthread_rwlock_rdlock(&table) == 0);
	meet(&all_have_one);
	use_device();
	must(pthread_rwlock_unlock(&table) == 0);
}

int main(void)
{
	meeting_init(&all_have_one, 3);
	must(sem_init(&device, 0, 1) == 0);
	use_device();
	thread_start(writer_main);
	thread_start(user_main);
	reader_side();
	return 0;
}
