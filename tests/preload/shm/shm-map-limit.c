/* A program maps pages of shared memory, each by itself, until the kernel grants no more mappings. */
// expect: shm-map-limit error
// may: shm-map-limit warning
// frames: map_many
// says: vm.max_map_count
#include "lib.h"

#include <fcntl.h>

#define NAME own_name("maps")

/* Pages in turn: neighbours that fit each other would become one mapping. */
static NOINLINE void map_many(int fd)
{
	for (off_t i = 0;; i++)
		if (mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 4096 * (i % 2)) == MAP_FAILED)
			return;
}

int main(void)
{
	int fd;

	shm_unlink(NAME);
	fd = shm_open(NAME, O_RDWR | O_CREAT | O_EXCL, 0600);
	must(fd >= 0);
	must(shm_unlink(NAME) == 0);
	must(ftruncate(fd, 8192) == 0);
	map_many(fd);
	must(errno == ENOMEM);
	return 0;
}
