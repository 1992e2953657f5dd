/* Sizes for which there is room, and memory without a name, which is not taken from /dev/shm. */
// expect: none
// silent: shm-no-space
#include "lib.h"

#include <fcntl.h>

#define NAME own_name("room")

int main(void)
{
	int fd;

	shm_unlink(NAME);
	fd = shm_open(NAME, O_RDWR | O_CREAT | O_EXCL, 0600);
	must(fd >= 0);
	for (int i = 1; i < 10; i++)
		must(ftruncate(fd, 4096 * i) == 0);
	must(shm_unlink(NAME) == 0);
	fd = memfd_create("mpsan-test", MFD_CLOEXEC);
	must(fd >= 0);
	must(ftruncate(fd, (off_t)1 << 44) == 0);
	return 0;
}
