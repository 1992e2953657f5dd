/*
 * The threads of the real driver, with MPSAN_FAKE_THREADS=MS: from the first context on, one that waits for connections of
 * other processes, and one that looks for events ten times a second (seen with driver 580). That one calls the functions
 * of the program that were queued, each MS milliseconds after it was.
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
	int written = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "cuda-uvmfd-fake-%d",
			       getpid());
	socklen_t length = (socklen_t)(sizeof(name) - sizeof(name.sun_path) + 1 + (size_t)written);

	if (listener < 0 || bind(listener, (struct sockaddr *)&name, length) || listen(listener, 8))
		return NULL;
	for (;;)
		if (poll(&ready, 1, -1) == 1)
			close(accept(listener, NULL, NULL));
	return unused;
}

#define QUEUED 16u
#define TICK_MS 100

static struct queued {
	void (*function)(void *);
	void *data;
	int rest_ms;
} queued[QUEUED];
static unsigned first, last; /* [first, last) wait, with the lock held */
static int delay_ms; /* 0: there are no threads */

/* The function whose time has come. */
static struct queued next_due(void)
{
	struct queued due = {0};

	fake_lock();
	if (first != last && (queued[first % QUEUED].rest_ms -= TICK_MS) <= 0)
		due = queued[first++ % QUEUED];
	fake_unlock();
	return due;
}

static void *look_for_events(void *unused)
{
	struct pollfd ready = {eventfd(0, EFD_CLOEXEC), POLLIN, 0};
	struct queued due;

	for (;;) {
		poll(&ready, 1, TICK_MS);
		due = next_due();
		if (due.function)
			due.function(due.data);
	}
	return unused;
}

bool threads_call(void (*function)(void *), void *data)
{
	bool fine;

	fake_lock();
	fine = delay_ms && last - first < QUEUED;
	if (fine)
		queued[last++ % QUEUED] = (struct queued){function, data, delay_ms};
	fake_unlock();
	return fine;
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
	const char *wanted = getenv("MPSAN_FAKE_THREADS");

	if (!wanted || __atomic_exchange_n(&started, true, __ATOMIC_RELAXED))
		return;
	delay_ms = atoi(wanted);
	start("cuda00001400006", wait_for_connections);
	start("cuda-EvtHandlr", look_for_events);
}
