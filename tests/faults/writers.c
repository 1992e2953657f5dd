/*
 * Processes (argv[2]) of two threads each that write events as fast as they can. What was written is acknowledged
 * afterwards in the file argv[1], one counter for each thread: all that stands there must be in the log, whenever
 * the program is killed, or ends itself as argv[3] says when SIGUSR1 comes. Prints a line when all of them run.
 */
#include "../preload/lib.h"

#include "mpsan.h"

#include <fcntl.h>
#include <sched.h>
#include <stdint.h>

#define THREADS 2

static uint64_t *acknowledged;

static void *write_events(void *argument)
{
	uint64_t writer = (uint64_t)(uintptr_t)argument;

	for (uint64_t n = 1;; n++) {
		mpsan_lock_name((const void *)(writer << 32 | n), "x");
		__atomic_store_n(&acknowledged[writer], n, __ATOMIC_RELEASE);
		if (n % 8 == 0)
			sched_yield();
	}
	return NULL;
}

static void write_as(uint64_t process)
{
	pthread_t thread;

	must(pthread_create(&thread, NULL, write_events, (void *)(process * THREADS + 1)) == 0);
	write_events((void *)(process * THREADS + 2));
}

static const char *way;

static void end(int number)
{
	if (!strcmp(way, "exec"))
		execl("/bin/true", "true", (char *)NULL);
	if (!strcmp(way, "quick_exit"))
		quick_exit(0);
	_exit(number != SIGUSR1);
}

int main(int argc, char **argv)
{
	int processes = argc > 2 ? atoi(argv[2]) : 1, fd;

	must(argc > 1);
	way = argc > 3 ? argv[3] : "_exit";
	signal(SIGUSR1, end);
	fd = open(argv[1], O_RDWR);
	must(fd >= 0);
	acknowledged = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(acknowledged != MAP_FAILED);
	for (int i = 0; i < processes; i++)
		if (fork() == 0)
			write_as((uint64_t)i);
	for (int i = 1; i <= processes * THREADS; i++)
		while (!__atomic_load_n(&acknowledged[i], __ATOMIC_ACQUIRE))
			sched_yield();
	printf("all write\n");
	fflush(stdout);
	pause();
	return 0;
}
