// As fork-libc-lock-localtime, in a job that nobody ends: the parent waits for its child (facebook/rocksdb#10652).
// expect: fork-libc-lock error
// ends: never
// frames: in_thread in_child
// says: time-zone lock, in localtime_r
#include "park.h"

#include <sys/stat.h>

static NOINLINE void *in_thread(void *argument)
{
	time_t now = 0;
	struct tm tm;

	*(pid_t *)argument = gettid();
	localtime_r(&now, &tm);
	return NULL;
}

static NOINLINE void in_child(void)
{
	time_t now = 0;
	struct tm tm;

	must(localtime_r(&now, &tm) != NULL);
}

int main(void)
{
	volatile pid_t tid = 0;
	pthread_t thread;
	char zone[64];

	snprintf(zone, sizeof(zone), "/tmp/mpsan-zone-%d", (int)getpid());
	must(mkfifo(zone, 0600) == 0);
	must(setenv("TZ", zone, 1) == 0);
	must(pthread_create(&thread, NULL, in_thread, (void *)&tid) == 0);
	while (!tid)
		sched_yield();
	until_asleep(getpid(), tid);
	must(unlink(zone) == 0);
	return child_run(in_child);
}
