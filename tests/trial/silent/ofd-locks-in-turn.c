/* Two threads take turns at a page of a file by F_OFD_SETLKW; the first one works for three seconds meanwhile. */
// expect: none
#include "threads.h"
#include <fcntl.h>

static char path[64];
static struct gate has_lock;

static int lock_file(void)
{
	struct flock lock = {.l_type = F_WRLCK, .l_len = 1};
	int fd = open(path, O_RDWR);

	must(fd >= 0);
	must(fcntl(fd, F_OFD_SETLKW, &lock) == 0);
	return fd;
}

static void *wait_for_it(void *unused)
{
	gate_wait(&has_lock);
	close(lock_file());
	return unused;
}

int main(void)
{
	pthread_t waiter;
	int fd;

	snprintf(path, sizeof(path), "/tmp/mpsan-test-ofd-turn-%d", getpid());
	must(open(path, O_RDWR | O_CREAT, 0600) >= 0);
	gate_init(&has_lock);
	waiter = thread_start(wait_for_it);
	fd = lock_file();
	gate_open(&has_lock);
	for (int i = 0; i < 30; i++)
		usleep(100000);
	close(fd);
	thread_join(waiter);
	unlink(path);
	return 0;
}
