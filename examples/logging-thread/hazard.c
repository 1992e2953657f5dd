/*
 * A program with a logging thread forks while that thread is writing, under the log's mutex. The child logs
 * its first line and waits for a thread that it does not have.
 *
 * Build: cc -g -pthread hazard.c
 */
// expect: fork-orphaned-lock error
// ends: never
// frames: heartbeat log_line main

#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t log_mutex = PTHREAD_MUTEX_INITIALIZER;
static int writing[2]; /* the heartbeat tells here that it is inside the log */
static int quiet[2]; /* and is told here to go on */

static void log_line(const char *who, const char *text)
{
	pthread_mutex_lock(&log_mutex);
	fprintf(stderr, "%s: %s\n", who, text);
	pthread_mutex_unlock(&log_mutex);
}

/* One heartbeat, caught in the middle: as if its disk were slow. */
static void *heartbeat(void *unused)
{
	char byte = 0;

	pthread_mutex_lock(&log_mutex);
	if (write(writing[1], &byte, 1) == 1 && read(quiet[0], &byte, 1) == 1)
		fprintf(stderr, "heartbeat\n");
	pthread_mutex_unlock(&log_mutex);
	return unused;
}

int main(void)
{
	pthread_t thread;
	pid_t child;
	char byte;

	if (pipe(writing) || pipe(quiet) || pthread_create(&thread, NULL, heartbeat, NULL))
		return 1;
	if (read(writing[0], &byte, 1) != 1)
		return 1;
	child = fork();
	if (child == 0) {
		log_line("child", "at work");
		_exit(0);
	}
	waitpid(child, NULL, 0);
	if (write(quiet[1], &byte, 1) != 1)
		return 1;
	pthread_join(thread, NULL);
	log_line("parent", "done");
	return 0;
}
