/* Writes shared memory until /dev/shm is full, which is SIGBUS: used by test_line.py, with a small /dev/shm. */
#include "lib.h"

#include <fcntl.h>

#define BYTES ((size_t)64 << 20)

int main(void)
{
	char *memory;
	int fd = shm_open("/mpsan-fills", O_RDWR | O_CREAT | O_EXCL, 0600);

	must(fd >= 0 && ftruncate(fd, BYTES) == 0 && shm_unlink("/mpsan-fills") == 0);
	memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(memory != MAP_FAILED);
	memset(memory, 1, BYTES);
	return 0;
}
