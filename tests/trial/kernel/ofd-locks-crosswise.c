/* Two threads lock two pages of a file by F_OFD_SETLKW, each through its own open file, in opposite orders. */
// expect: deadlock-cycle error
// within: 8
// says: has the file locked, through another descriptor
#include "threads.h"
#include <fcntl.h>

#define PAGE 4096

static char path[64];
static struct meeting both_have_one;

static void lock_page(int fd, int page)
{
	struct flock lock = {.l_type = F_WRLCK, .l_start = (off_t)page * PAGE, .l_len = PAGE};

	must(fcntl(fd, F_OFD_SETLKW, &lock) == 0);
}

static void *move(void *from)
{
	int first = from != NULL, fd = open(path, O_RDWR);

	must(fd >= 0);
	lock_page(fd, first);
	meet(&both_have_one);
	lock_page(fd, !first);
	close(fd);
	return NULL;
}

static void *move_up(void *unused)
{
	(void)unused;
	return move(NULL);
}

static void *move_down(void *unused)
{
	(void)unused;
	return move(path);
}

int main(void)
{
	pthread_t up, down;
	int fd;

	snprintf(path, sizeof(path), "/tmp/mpsan-test-ofd-%d", getpid());
	fd = open(path, O_RDWR | O_CREAT, 0600);
	must(fd >= 0);
	meeting_init(&both_have_one, 2);
	up = thread_start(move_up);
	down = thread_start(move_down);
	thread_join(up);
	thread_join(down);
	return 0;
}
