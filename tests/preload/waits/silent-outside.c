/*
 * Three threads keep a mutex each while they wait for another process: at a pipe, a socket and an eventfd. The
 * main thread wants the mutexes. The process answers after two seconds, and nobody in this one could.
 */
// expect: none
#include "threads.h"

#include <sys/eventfd.h>
#include <sys/socket.h>

static pthread_mutex_t locks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
				   PTHREAD_MUTEX_INITIALIZER};
static int inner[3], outer[3];
static struct meeting all_wait;

static void *ask_main(void *argument)
{
	long which = (long)argument;
	char answer[8];

	mutex_take(&locks[which]);
	meet(&all_wait);
	must(read(inner[which], answer, sizeof(answer)) == sizeof(answer));
	mutex_give(&locks[which]);
	return NULL;
}

static void answer_later(void)
{
	unsigned long long answer = 1;

	sleep_ms(2000);
	for (int i = 0; i < 3; i++)
		must(write(outer[i], &answer, sizeof(answer)) == sizeof(answer));
	_exit(0);
}

static void connect_all(void)
{
	int ends[2];

	must(pipe(ends) == 0);
	inner[0] = ends[0], outer[0] = ends[1];
	must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	inner[1] = ends[0], outer[1] = ends[1];
	inner[2] = outer[2] = eventfd(0, 0);
	must(inner[2] >= 0);
}

int main(void)
{
	pthread_t threads[3];
	pid_t child;

	connect_all();
	meeting_init(&all_wait, 4);
	child = fork();
	if (child == 0)
		answer_later();
	must(close(outer[0]) == 0 && close(outer[1]) == 0);
	for (long i = 0; i < 3; i++)
		must(pthread_create(&threads[i], NULL, ask_main, (void *)i) == 0);
	meet(&all_wait);
	for (int i = 0; i < 3; i++) {
		mutex_take(&locks[i]);
		mutex_give(&locks[i]);
		thread_join(threads[i]);
	}
	puts("three answers");
	return child_wait(child);
}
