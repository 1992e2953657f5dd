/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits the memory that a large session takes: mapped pages of its logs stay resident until they
 * are released. Neighbour: reader.h.
 */
#include <stdio.h>
#include <unistd.h>

#include "reader.h"

/* Bytes of file mappings that may stay resident: the kernel maps 64 KiB around each place that is read. */
#define FILES_RESIDENT (32ull << 20)
#define LOG_RESIDENT (4ull << 10)
#define TRIM_STEPS 16384u /* records between two checks: they take some megabytes */

/* Resident bytes of this process's file mappings. */
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
	uint64_t logs = 0;

	READER_EACH_SLOT(reader, slot)
		logs += reader->logs[slot] != NULL;
	if (resident_files() < FILES_RESIDENT + logs * LOG_RESIDENT)
		return;
	READER_EACH_SLOT(reader, slot)
		if (reader->logs[slot])
			logfile_release(reader->logs[slot]);
}

void reader_trim_at(const struct reader *reader, uint32_t count)
{
	if (count && !(count % TRIM_STEPS))
		reader_trim(reader);
}
