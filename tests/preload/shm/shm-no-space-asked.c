/* A program asks for its shared memory beforehand, is refused, and the call that was refused is named. */
// expect: shm-no-space warning
// frames: ask_for_all
// says: posix_fallocate failed
#include "lib.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/statvfs.h>

#define NAME own_name("asked")

static NOINLINE void ask_for_all(int fd)
{
	struct statvfs room;

	must(fstatvfs(fd, &room) == 0);
	must(posix_fallocate(fd, 0, (off_t)(room.f_blocks + 1) * (off_t)room.f_frsize) == ENOSPC);
}

int main(void)
{
	int fd;

	shm_unlink(NAME);
	fd = shm_open(NAME, O_RDWR | O_CREAT | O_EXCL, 0600);
	must(fd >= 0);
	ask_for_all(fd);
	must(shm_unlink(NAME) == 0);
	return 0;
}
