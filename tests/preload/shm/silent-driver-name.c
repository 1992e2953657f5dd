/* A name as the CUDA driver makes it for interprocess events, and leaves for ever: no fault of the program. */
// expect: none
// note: shm-leaked
// says: the CUDA driver created it
#include "lib.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>

int main(void)
{
	char name[128];
	int fd;

	/* the driver's is cuda.shm.UID.PID.N; what tests leave is swept up by its end */
	snprintf(name, sizeof(name), "/cuda.shm.%u.%s", getuid(), own_name("event") + 1);
	shm_unlink(name);
	fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
	must(fd >= 0);
	must(ftruncate(fd, 4096) == 0);
	must(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED);
	return 0;
}
