/* An idle server whose threads take turns to accept connections under a mutex, until a timer ends it. */
// expect: none
// options: --hang-after 2
#include "threads.h"
#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int listener;

static NOINLINE void *serve(void *unused)
{
	for (;;) {
		int connection;

		pthread_mutex_lock(&turn);
		connection = accept(listener, NULL, NULL);
		pthread_mutex_unlock(&turn);
		close(connection);
	}
	return unused;
}

int main(void)
{
	listener = socket(AF_INET, SOCK_STREAM, 0);
	if (listen(listener, 8))
		return 1;
	thread_start(serve);
	thread_start(serve);
	sleep(5);
	return 0;
}
