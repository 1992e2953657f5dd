/*
 * The cure for hazard.c: fork handlers. The forking thread itself takes the log's mutex just before the
 * process is copied, so that no other thread can be inside, and parent and child each give back their copy.
 *
 * Build: cc -g -pthread cure.c
 */
// expect: none

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t log_mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool stop;

static void lock_log(void)
{
	pthread_mutex_lock(&log_mutex);
}

static void unlock_log(void)
{
	pthread_mutex_unlock(&log_mutex);
}

static void log_line(const char *who, const char *text)
{
	lock_log();
	fprintf(stderr, "%s: %s\n", who, text);
	unlock_log();
}

/* In and out of the log as fast as it goes: without the handlers a fork would soon meet it inside. */
static void *heartbeat(void *unused)
{
	while (!stop) {
		lock_log();
		unlock_log();
	}
	return unused;
}

static int run_child(void)
{
	pid_t child = fork();

	if (child == 0) {
		log_line("child", "at work");
		_exit(0);
	}
	return child < 0 || waitpid(child, NULL, 0) != child;
}

int main(void)
{
	pthread_t thread;
	int failed = 0;

	if (pthread_atfork(lock_log, unlock_log, unlock_log) ||
	    pthread_create(&thread, NULL, heartbeat, NULL))
		return 1;
	for (int i = 0; i < 20 && !failed; i++)
		failed = run_child();
	stop = true;
	pthread_join(thread, NULL);
	log_line("parent", "done");
	return failed;
}
