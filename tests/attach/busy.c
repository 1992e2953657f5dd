/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts what two threads do, in a file that it maps: the main thread computes, the other one maps memory,
 * touches it and unmaps it.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROUNDS 1000
#define BYTES (16u << 12)

static volatile uint64_t *counts;

static void *map_and_unmap(void *unused)
{
	for (;;) {
		char *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (memory == MAP_FAILED)
			return unused;
		for (size_t i = 0; i < BYTES; i += 4096)
			memory[i] = 1;
		munmap(memory, BYTES);
		counts[1]++;
	}
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
	volatile uint64_t work = 0;
	pthread_t thread;

	if (fd < 0 || ftruncate(fd, 4096))
		return 1;
	counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (counts == MAP_FAILED || pthread_create(&thread, NULL, map_and_unmap, NULL))
		return 1;
	for (;;) {
		for (int i = 0; i < ROUNDS; i++)
			work += (uint64_t)i;
		counts[0]++;
	}
}
