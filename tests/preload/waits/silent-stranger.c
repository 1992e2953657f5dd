/*
 * A process-shared mutex in a memory file is kept by a process that was started with an empty environment: nobody
 * watches it, and yet it gives the mutex back in the end.
 */
// expect: none
#include "threads.h"

static struct shared {
	pthread_mutex_t mutex;
} * shared;

static void map_shared(int fd)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(shared != MAP_FAILED);
}

/* The stranger: takes the mutex, says so on standard output, and keeps it for a while. */
static int stranger(int fd)
{
	map_shared(fd);
	mutex_take(&shared->mutex);
	must(write(STDOUT_FILENO, "", 1) == 1);
	sleep_ms(WAIT_LOOKED_AT_MS);
	mutex_give(&shared->mutex);
	return 0;
}

static pid_t start_stranger(int fd, struct gate *taken)
{
	char number[16], *arguments[] = {"stranger", number, NULL}, *empty[] = {NULL};
	pid_t child;

	snprintf(number, sizeof(number), "%d", fd);
	child = fork();
	if (child == 0) {
		must(dup2(taken->fd[1], STDOUT_FILENO) == STDOUT_FILENO);
		execve("/proc/self/exe", arguments, empty);
		must(!"started");
	}
	return child;
}

static void *wants_main(void *unused)
{
	mutex_take(&shared->mutex);
	mutex_give(&shared->mutex);
	return unused;
}

int main(int count, char **arguments)
{
	struct gate taken;
	pid_t child;
	int fd;

	if (count == 2)
		return stranger(atoi(arguments[1]));
	fd = memfd_create("shared", 0);
	must(fd >= 0 && ftruncate(fd, sizeof(*shared)) == 0);
	map_shared(fd);
	mutex_of(&shared->mutex, PTHREAD_MUTEX_NORMAL, PTHREAD_PROCESS_SHARED,
		 PTHREAD_MUTEX_STALLED);
	gate_init(&taken);
	child = start_stranger(fd, &taken);
	gate_wait(&taken);
	thread_join(thread_start(wants_main));
	puts("had the mutex");
	return child_wait(child);
}
