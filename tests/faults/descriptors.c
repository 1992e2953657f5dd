/* Lists its open descriptors at the start, after a thread and locks, in a forked child and after it. */
#include "../preload/lib.h"

#include <dirent.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* With a limit that leaves no room to read a directory, fcntl tells as well. */
static void list(const char *when)
{
	printf("%s:", when);
	for (int fd = 0; fd < 1024; fd++)
		if (lseek(fd, 0, SEEK_CUR) >= 0 || errno != EBADF)
			printf(" %d", fd);
	printf("\n");
	fflush(stdout);
}

static void *thread(void *argument)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return argument;
}

int main(void)
{
	pthread_t t;
	pid_t child;

	list("start");
	must(pthread_create(&t, NULL, thread, NULL) == 0 && pthread_join(t, NULL) == 0);
	list("after a thread");
	child = fork();
	if (child == 0) {
		must(pthread_create(&t, NULL, thread, NULL) == 0 && pthread_join(t, NULL) == 0);
		list("child");
		_exit(0);
	}
	must(child_wait(child) == 0);
	list("after a fork");
	return 0;
}
