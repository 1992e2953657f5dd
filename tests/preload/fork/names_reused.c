/*
 * A thread ends, and another one gets its TID; each is there at a fork. Driven by test_names.py,
 * which lets it choose TIDs.
 */
#include <fcntl.h>

#include "lib.h"

static struct gate ready, stop;
static pid_t tid;

static NOINLINE void *worker_main(void *name)
{
	must(pthread_setname_np(pthread_self(), name) == 0);
	tid = gettid();
	gate_open(&ready);
	gate_wait(&stop);
	return NULL;
}

static void next_tid(pid_t next)
{
	int fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY);

	must(fd >= 0 && dprintf(fd, "%d", next - 1) > 0);
	close(fd);
}

/* Two places, so that each is a finding of its own. */
static NOINLINE void fork_once(void)
{
	must(child_run(live_on) == 0);
}

static NOINLINE void fork_again(void)
{
	must(child_run(live_on) == 0);
}

static void fork_beside(const char *name, void (*fork_here)(void))
{
	pthread_t thread;

	must(pthread_create(&thread, NULL, worker_main, (void *)name) == 0);
	gate_wait(&ready);
	fork_here();
	gate_open(&stop);
	must(pthread_join(thread, NULL) == 0);
}

int main(void)
{
	pid_t first;

	gate_init(&ready);
	gate_init(&stop);
	fork_beside("first", fork_once);
	first = tid;
	next_tid(first);
	fork_beside("second", fork_again);
	must(tid == first);
	return 0;
}
