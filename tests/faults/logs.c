/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes one after another, argv[1] of them, each of which notes argv[2] names of locks, and the last argv[3]. Each
 * prints by how many KiB its resident memory grew meanwhile.
 */
#include "../preload/lib.h"

#include "mpsan.h"

#include <stdint.h>

static void note(uint64_t number, uint64_t notes)
{
	for (uint64_t n = 1; n <= notes; n++)
		mpsan_lock_name((const void *)(number << 32 | n), "x");
}

static long resident_kib(void)
{
	long pages = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	must(file && fscanf(file, "%*d %ld", &pages) == 1);
	fclose(file);
	return pages * (sysconf(_SC_PAGESIZE) >> 10);
}

int main(int argc, char **argv)
{
	uint64_t count;

	must(argc == 4);
	count = strtoul(argv[1], NULL, 10);
	for (uint64_t number = 1; number <= count; number++) {
		pid_t child = fork();
		int status;

		if (child == 0) {
			long before;

			note(number, 1); /* makes the log */
			before = resident_kib();
			note(number, strtoul(argv[number == count ? 3 : 2], NULL, 10));
			printf("%ld\n", resident_kib() - before);
			fflush(stdout);
			_exit(0);
		}
		must(waitpid(child, &status, 0) == child && status == 0);
	}
	return 0;
}
