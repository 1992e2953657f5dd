/*
 * Keeps what a large session takes of memory small: its logs are mapped, and each page that was looked at
 * counts until it is given back. Neighbour: reader.h.
 */
#include <stdio.h>
#include <unistd.h>

#include "reader.h"

#define FILES_RESIDENT (48ull << 20) /* bytes of mapped files that may stay in memory */

/* Resident pages of this process that belong to files, in bytes. */
static uint64_t resident_files(void)
{
	unsigned long long pages = 0;
	FILE *stream = fopen("/proc/self/statm", "re");

	if (stream && fscanf(stream, "%*u %*u %llu", &pages) != 1)
		pages = 0;
	if (stream)
		fclose(stream);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

void reader_trim(const struct reader *reader)
{
	if (resident_files() < FILES_RESIDENT)
		return;
	READER_EACH_SLOT(reader, slot)
		if (reader->logs[slot])
			logfile_release(reader->logs[slot]);
}
