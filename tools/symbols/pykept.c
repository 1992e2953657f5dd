/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps pages of other processes for a moment, and where threads were found. See pykept.h. */
#include "pykept.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../base/util.h"
#include "../proc/proc.h"

/* ---- threads ---- */

#define KNOWN 4096u

static struct known {
	int32_t pid;
	uint64_t pthread, state;
} known[KNOWN];
static int32_t known_pid; /* of those that are being found */

static struct known *known_of(int32_t pid, uint64_t pthread)
{
	return &known[((pthread ^ (uint64_t)pid) * 0x9e3779b97f4a7c15ull) >> 52];
}

/* A thread has a state in each interpreter that it has been in: the first one in their order is asked for. */
static void know_state(const struct state *state, uint64_t at)
{
	struct known *of = known_of(known_pid, state->thread_id);

	if (state->frame && (of->pid != known_pid || of->pthread != state->thread_id))
		*of = (struct known){known_pid, state->thread_id, at};
}

/* Interpreters are inserted at the front: in another one than that the thread may be in a newer one by now. */
static bool is_in_newest(const struct cpython *py, const struct state *state)
{
	return state->interp == cpython_peek_word(py, py->runtime + py->at.runtime_interpreters);
}

uint64_t pykept_thread(const struct cpython *py, uint64_t pthread, struct state *state)
{
	struct known *of = known_of((int32_t)py->pid, pthread);
	uint64_t found;

	if (of->pid == (int32_t)py->pid && of->pthread == pthread &&
	    cpython_is_thread(py, of->state, pthread, state) && state->frame &&
	    is_in_newest(py, state))
		return of->state;
	known_pid = (int32_t)py->pid;
	found = cpython_find_thread(py, pthread, know_state);
	if (!found || !state_read(py, state, found))
		return 0;
	*of = (struct known){known_pid, pthread, found};
	return found;
}

/* ---- pages ---- */

#define PAGE 4096u
#define PAGES 1024u
#define MOMENT_NS 200000000ull

struct page {
	uint64_t address, read_ns;
	uint32_t pid; /* 0: nothing was read */
	bool readable;
	unsigned char bytes[PAGE];
};
static struct page *pages;

static const struct page *page_at(uint32_t pid, uint64_t address, uint64_t now_ns)
{
	struct page *page;

	if (!pages)
		pages = memory_get(PAGES * sizeof(*pages));
	page = &pages[(address / PAGE ^ pid) % PAGES];
	if (page->pid == pid && page->address == address && now_ns - page->read_ns < MOMENT_NS)
		return page;
	page->pid = pid;
	page->address = address;
	page->read_ns = now_ns;
	page->readable = proc_peek(pid, address, page->bytes, PAGE);
	return page;
}

long pykept_peek(const struct cpython *py, void *to, uint64_t from, size_t bytes)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC_COARSE);
	const struct page *page;
	size_t done = 0, part, in;

	while (done < bytes) {
		in = (size_t)((from + done) % PAGE);
		part = PAGE - in < bytes - done ? PAGE - in : bytes - done;
		page = page_at((uint32_t)py->pid, from + done - in, now_ns);
		if (!page->readable) /* its end, or another answer */
			return proc_read((uint32_t)py->pid, from, to, bytes);
		memcpy((char *)to + done, page->bytes + in, part);
		done += part;
	}
	return (long)bytes;
}

void pykept_finish(void)
{
	free(pages);
	pages = NULL;
}
