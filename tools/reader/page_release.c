/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits the memory that a large session takes: mapped pages of its logs stay resident until they
 * are released. Neighbour: reader.h.
 */
#include "page_release.h"
#include "../proc/process/status.h"

/* Bytes of file mappings that may stay resident: the kernel maps 64 KiB around each place that is read. */
#define FILES_RESIDENT (32ull << 20)
#define LOG_RESIDENT (4ull << 10)
#define TRIM_STEPS 16384u /* records between two checks: they take some megabytes */

void reader_trim(const struct reader *reader)
{
	uint64_t logs = 0;

	READER_EACH_SLOT(reader, slot)
		logs += reader->logs[slot] != NULL;
	if (proc_memory(0, PROC_OF_FILES) < FILES_RESIDENT + logs * LOG_RESIDENT)
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

/* ---- logs that nobody writes to any more ---- */

/* In which rules look at what a process did. */
#define RELEASE_NS 1000000000ull

/* A forked child writes to the log of what it was copied from until it has its own. */
static void want_ancestors(struct reader *reader, uint32_t slot)
{
	uint32_t at = slot;

	READER_EACH_ANCESTOR(reader, at) {
		if (reader->reading[at] > READING_LAST)
			reader->reading[at] = READING_LAST;
		if (reader->session.table[at].flags & MPSAN_PROCESS_LOG)
			break;
	}
}

static void release(struct reader *reader, uint32_t slot, uint64_t now)
{
	if (reader->reading[slot] != READ_OUT || now < reader->processes[slot].gone_ns + RELEASE_NS)
		return;
	reader->reading[slot] = RELEASED;
	if (reader->logs[slot])
		logfile_give_back(reader->logs[slot], reader->session.dirfd);
}

void reading_begin(struct reader *reader, uint64_t now)
{
	READER_EACH_SLOT(reader, slot) {
		release(reader, slot, now);
		if (reader->reading[slot] > READING_LAST)
			continue;
		reader->reading[slot] = reader->processes[slot].gone ? READING_LAST : READING;
		want_ancestors(reader, slot);
	}
}

/* A log that could not be opened may be next time. */
void reading_end(struct reader *reader)
{
	READER_EACH_SLOT(reader, slot)
		if (reader->reading[slot] == READING_LAST &&
		    (reader->logs[slot] || reader->log_failed[slot] ||
		     !(reader->session.table[slot].flags & MPSAN_PROCESS_LOG)))
			reader->reading[slot] = READ_OUT;
}
