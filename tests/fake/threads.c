/*
 * The threads of the real driver, with MPSAN_FAKE_THREADS=1: from the first context on, one that waits for connections of
 * other processes, and one that looks for events ten times a second (seen with driver 580).
 */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "fake.h"

static void *wait_for_connections(void *unused)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct pollfd ready = {listener, POLLIN, 0};

	snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "cuda-uvmfd-fake-%d", getpid());
	if (listener < 0 || bind(listener, (struct sockaddr *)&name, sizeof(name)) ||
	    listen(listener, 8))
		return NULL;
	for (;;)
		if (poll(&ready, 1, -1) == 1)
			close(accept(listener, NULL, NULL));
	return unused;
}

static void *look_for_events(void *unused)
{
	struct pollfd ready = {eventfd(0, EFD_CLOEXEC), POLLIN, 0};

	for (;;)
		poll(&ready, 1, 100);
	return unused;
}

static void start(const char *name, void *(*work)(void *))
{
	pthread_attr_t detached;
	pthread_t thread;

	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	if (pthread_create(&thread, &detached, work, NULL) == 0)
		pthread_setname_np(thread, name);
	pthread_attr_destroy(&detached);
}

void threads_start(void)
{
	static bool started;

	if (!getenv("MPSAN_FAKE_THREADS") || __atomic_exchange_n(&started, true, __ATOMIC_RELAXED))
		return;
	start("cuda00001400006", wait_for_connections);
	start("cuda-EvtHandlr", look_for_events);
}
