/* SPDX-License-Identifier: Apache-2.0 */
/* The SIGBUS handler that maps zero pages where a mapped file has been truncated. */
#include "guard.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util.h"

struct guarded {
	const char *start;
	size_t bytes;
	bool is_session;
};

static ARRAY(struct guarded) all;
static volatile sig_atomic_t cuts;
static struct sigaction before;

static const struct guarded *guard_find(const char *address)
{
	for (uint32_t i = 0; i < all.count; i++)
		if (address >= all.item[i].start && address < all.item[i].start + all.item[i].bytes)
			return &all.item[i];
	return NULL;
}

/*
 * Maps zeroes from the faulting page to the end of the mapping. Faults elsewhere go to the previous
 * handler.
 */
static void on_fault(int number, siginfo_t *info, void *context)
{
	const struct guarded *guarded = info->si_code > 0 ? guard_find(info->si_addr) : NULL;
	uintptr_t page = (uintptr_t)info->si_addr & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
	int error = errno;

	(void)context;
	if (guarded &&
	    mmap((void *)page, guarded->bytes - (page - (uintptr_t)guarded->start),
		 PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE,
		 -1, 0) != MAP_FAILED) {
		cuts |= guarded->is_session;
	} else {
		sigaction(number, &before, NULL);
		if (info->si_code <= 0)
			raise(number);
	}
	errno = error;
}

static void install(void)
{
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	static bool installed;

	if (!installed)
		sigaction(SIGBUS, &action, &before);
	installed = true;
}

void guard_add(const void *start, size_t bytes, bool is_session)
{
	install();
	*ARRAY_ADD(&all) = (struct guarded){start, bytes, is_session};
}

void guard_remove(const void *start)
{
	for (uint32_t i = all.count; i-- > 0;)
		if (all.item[i].start == start) {
			all.item[i] = all.item[--all.count];
			break;
		}
	if (!all.count) {
		free(all.item);
		all.item = NULL;
		all.room = 0;
	}
}

bool guard_has_cut(void)
{
	return cuts;
}
