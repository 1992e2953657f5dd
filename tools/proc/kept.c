/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps pages of other processes' memory for one look at all their threads: see proc.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/util.h"
#include "proc.h"
#include "procfs.h"

#define PAGE 4096u
#define SETS 2048u
#define WAYS 4u /* pages with the same hash: those of all threads do not displace what they share */

struct page {
	uint64_t address;
	uint32_t pid;
	uint32_t look; /* 0: none was read */
	int wrong; /* errno; 0: it was readable */
};

static struct {
	uint32_t looks, look; /* so many until now; the one under way, or 0 */
	uint32_t turns;
	struct page (*set)[WAYS];
	unsigned char (*bytes)[WAYS][PAGE];
} kept;

void kept_begin(void)
{
	kept.looks += kept.looks == UINT32_MAX ? 2 : 1;
	kept.look = kept.looks;
}

void kept_end(void)
{
	kept.look = 0;
}

uint32_t kept_look(void)
{
	return kept.look;
}

void kept_finish(void)
{
	free(kept.set);
	free(kept.bytes);
	kept.set = NULL;
	kept.bytes = NULL;
}

static uint32_t set_of(uint32_t pid, uint64_t address)
{
	return (uint32_t)((address / PAGE ^ (uint64_t)pid << 40) * 0x9e3779b97f4a7c15ull >> 32) %
	       SETS;
}

/* The place of a page that is of no use any more, or that of one after the other. */
static uint32_t way_to_use(const struct page *set)
{
	for (uint32_t i = 0; i < WAYS; i++)
		if (set[i].look != kept.look)
			return i;
	return kept.turns++ % WAYS;
}

/* The bytes of a page; NULL with errno: it is not readable. */
static const unsigned char *page_at(uint32_t pid, uint64_t address)
{
	uint32_t at = set_of(pid, address), way;
	struct page *set;

	if (!kept.set) {
		kept.set = memory_get(SETS * sizeof(*kept.set));
		kept.bytes = memory_get(SETS * sizeof(*kept.bytes));
	}
	set = kept.set[at];
	for (way = 0; way < WAYS; way++)
		if (set[way].address == address && set[way].pid == pid &&
		    set[way].look == kept.look)
			break;
	if (way == WAYS) {
		way = way_to_use(set);
		set[way] = (struct page){address, pid, kept.look, 0};
		if (!proc_peek(pid, address, kept.bytes[at][way], PAGE))
			set[way].wrong = errno ? errno : EFAULT;
	}
	errno = set[way].wrong;
	return set[way].wrong ? NULL : kept.bytes[at][way];
}

/* What stands in for a process may have a part of a page. */
static long read_part(uint32_t pid, uint64_t from, void *to, size_t bytes, size_t done)
{
	if (done || procfs_source() || from % PAGE + bytes > PAGE)
		return proc_read(pid, from, to, bytes);
	return -1;
}

long kept_read(uint32_t pid, uint64_t from, void *to, size_t bytes)
{
	size_t done = 0, part, in;

	if (!kept.look)
		return proc_read(pid, from, to, bytes);
	while (done < bytes) {
		const unsigned char *page;

		in = (size_t)((from + done) % PAGE);
		part = PAGE - in < bytes - done ? PAGE - in : bytes - done;
		page = page_at(pid, from + done - in);
		if (!page)
			return read_part(pid, from, to, bytes, done);
		memcpy((char *)to + done, page + in, part);
		done += part;
	}
	return (long)bytes;
}
