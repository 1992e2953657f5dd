/*
 * A process ends and leaves two workers running. One has shared memory mapped that it made; the other gave back
 * what it had.
 */
// expect: child-not-joined error
// expect: child-not-joined warning
// frames: makes_holder makes_other
// says: memory that it shares
#include "lib.h"

#include <fcntl.h>

#define BYTES 65536

static void *map_segment(void)
{
	int fd = shm_open("/mpsan-child-left", O_CREAT | O_EXCL | O_RDWR, 0600);
	void *memory;

	must(fd >= 0 && shm_unlink("/mpsan-child-left") == 0);
	must(ftruncate(fd, BYTES) == 0);
	memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(memory != MAP_FAILED);
	close(fd);
	return memory;
}

static void work_on(struct gate *ready, bool keeps)
{
	void *memory = map_segment();

	if (!keeps)
		must(munmap(memory, BYTES) == 0);
	gate_open(ready);
	sleep_ms(2000);
	_exit(0);
}

static NOINLINE void makes_holder(struct gate *ready)
{
	if (fork() == 0)
		work_on(ready, true);
	gate_wait(ready);
}

static NOINLINE void makes_other(struct gate *ready)
{
	if (fork() == 0)
		work_on(ready, false);
	gate_wait(ready);
}

int main(void)
{
	struct gate ready;

	gate_init(&ready);
	makes_holder(&ready);
	makes_other(&ready);
	return 0;
}
