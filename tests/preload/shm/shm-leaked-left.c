/* A program makes shared memory under a name and ends by itself without removing it. */
// expect: shm-leaked error
// says: never unlinked it
#include "lib.h"

#include <fcntl.h>

#define NAME own_name("left")

int main(void)
{
	int fd;

	shm_unlink(NAME);
	fd = shm_open(NAME, O_RDWR | O_CREAT | O_EXCL, 0600);
	must(fd >= 0);
	must(ftruncate(fd, 4096) == 0);
	return 0;
}
