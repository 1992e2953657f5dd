// A thread reads the time zone from a pipe that nobody fills, with the time-zone lock in hand; the child asks for the time.
// expect: fork-libc-lock error
// frames: in_thread in_child
// says: time-zone lock, in localtime_r
#include "park.h"

#include <sys/stat.h>

static char zone[64];

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

	unlink(zone);
	must(localtime(&now) != NULL);
}

int main(void)
{
	volatile pid_t tid = 0;
	pthread_t thread;

	snprintf(zone, sizeof(zone), "/tmp/mpsan-zone-%d", (int)getpid());
	must(mkfifo(zone, 0600) == 0);
	must(setenv("TZ", zone, 1) == 0);
	must(pthread_create(&thread, NULL, in_thread, (void *)&tid) == 0);
	while (!tid)
		sched_yield();
	until_asleep(getpid(), tid);
	return child_hangs(in_child);
}
