/*
 * Shared memory is put into a reserved range at fixed addresses, and private memory over it, far more often than
 * there may be mappings at a time; then its pages are mapped one beside the other, which the kernel makes one.
 */
// expect: none
// silent: shm-map-limit
// prints: nothing
#include "lib.h"

#include <fcntl.h>

#define NAME own_name("fixed")
#define TIMES 60000

int main(void)
{
	char *base = mmap(NULL, TIMES * 4096ul, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd;

	shm_unlink(NAME);
	fd = shm_open(NAME, O_RDWR | O_CREAT | O_EXCL, 0600);
	must(base != MAP_FAILED && fd >= 0);
	must(shm_unlink(NAME) == 0);
	must(ftruncate(fd, TIMES * 4096ul) == 0);
	for (int i = 0; i < TIMES; i++) {
		must(mmap(base, 4096, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) == base);
		must(mmap(base, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
		     base);
	}
	for (off_t i = 0; i < TIMES; i++)
		must(mmap(base + 4096 * i, 4096, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 4096 * i) !=
		     MAP_FAILED);
	return 0;
}
