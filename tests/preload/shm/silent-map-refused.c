/* Shared memory is mapped where there is no room in the address space: mappings there are plenty. */
// expect: none
// silent: shm-map-limit
#include "lib.h"

#include <fcntl.h>

#define NAME own_name("refused")

int main(void)
{
	int fd;

	shm_unlink(NAME);
	fd = shm_open(NAME, O_RDWR | O_CREAT | O_EXCL, 0600);
	must(fd >= 0);
	must(shm_unlink(NAME) == 0);
	must(ftruncate(fd, 8192) == 0);
	must(mmap(NULL, 1ul << 47, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED);
	must(errno == ENOMEM);
	return 0;
}
