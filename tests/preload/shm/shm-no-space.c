/* A program asks for more shared memory than there is room for, and would find out by SIGBUS. */
// expect: shm-no-space warning
// frames: ask_for_much
// says: SIGBUS
#include "lib.h"

#include <fcntl.h>
#include <sys/statvfs.h>

#define NAME own_name("space")

static NOINLINE void ask_for_much(int fd)
{
	struct statvfs room;

	must(fstatvfs(fd, &room) == 0);
	must(ftruncate(fd, (off_t)(room.f_bfree + 4096) * (off_t)room.f_frsize) == 0);
}

int main(void)
{
	int fd;

	shm_unlink(NAME);
	fd = shm_open(NAME, O_RDWR | O_CREAT | O_EXCL, 0600);
	must(fd >= 0);
	ask_for_much(fd);
	must(shm_unlink(NAME) == 0);
	return 0;
}
