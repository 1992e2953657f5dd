/* A reader takes its lock again while a writer waits, who has priority. */
// expect: deadlock-cycle error
// within: 6
#include "threads.h"

static pthread_rwlock_t table;
static struct gate reading;
static pid_t writer_tid;

static NOINLINE void *write_table(void *unused)
{
	__atomic_store_n(&writer_tid, gettid(), __ATOMIC_SEQ_CST);
	gate_open(&reading);
	pthread_rwlock_wrlock(&table);
	pthread_rwlock_unlock(&table);
	return unused;
}

static NOINLINE int look_up(int depth)
{
	int found;

	pthread_rwlock_rdlock(&table);
	if (depth == 0) {
		thread_start(write_table);
		gate_wait(&reading);
		until_asleep(getpid(), writer_tid);
	}
	found = depth < 1 ? look_up(depth + 1) : depth;
	pthread_rwlock_unlock(&table);
	return found;
}

int main(void)
{
	pthread_rwlockattr_t attributes;

	pthread_rwlockattr_init(&attributes);
	pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&table, &attributes);
	gate_init(&reading);
	return look_up(0);
}
