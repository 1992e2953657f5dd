/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracks excluded ranges and checks with mincore, in parent and child, whether their pages exist.
 */
#include "dontfork.h"

#include <string.h>
#include <sys/utsname.h>

#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "../record/log.h"
#include "../record/stack.h"
#include "../record/state.h"

#define EXCLUDED 64u /* ranges at a time; further ones are not tracked */
#define PAGE 4096u
#define PAGES_ASKED 1024u /* of one range at a time */
#define PAGES_MOST 262144u /* of one range in total: 1 GiB */

enum state { FREE, WRITING, ASKED, PRESENT, MISSING };

struct place {
	uint32_t state;
	struct dontfork range;
};

static struct place places[EXCLUDED] LARGE;
static uint32_t used; /* entries ever used, from the first one on */

static uint32_t state_of(const struct place *p)
{
	return __atomic_load_n(&p->state, __ATOMIC_ACQUIRE);
}

static void set_state(struct place *p, enum state state)
{
	__atomic_store_n(&p->state, state, __ATOMIC_RELEASE);
}

static uint32_t dontfork_count(void)
{
	return __atomic_load_n(&used, __ATOMIC_ACQUIRE);
}

static struct place *claim(void)
{
	for (uint32_t i = 0; i < EXCLUDED; i++) {
		uint32_t expected = FREE, most = dontfork_count();

		if (state_of(&places[i]) != FREE ||
		    !__atomic_compare_exchange_n(&places[i].state, &expected, WRITING, false,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		while (most <= i &&
		       !__atomic_compare_exchange_n(&used, &most, i + 1, false, __ATOMIC_RELEASE,
						    __ATOMIC_RELAXED))
			;
		return &places[i];
	}
	return NULL;
}

static bool dontfork_is_known(uint64_t start, uint64_t end)
{
	for (uint32_t i = 0; i < dontfork_count(); i++)
		if (state_of(&places[i]) >= ASKED && places[i].range.start <= start &&
		    places[i].range.end >= end)
			return true;
	return false;
}

static uint64_t state_event(enum mpsan_dontfork how, uint64_t address, uint64_t bytes,
			    uint64_t caller)
{
	return EMIT(dontfork, .address = address, .bytes = bytes, .how = how, .caller = caller,
		    .stack = stack_own(), .python = stack_python(0));
}

void dontfork_add(uint64_t address, uint64_t bytes, uint64_t caller)
{
	uint64_t end = (address + bytes + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	struct place *p;

	if (!life_may_state())
		return;
	GUARDED {
		p = dontfork_is_known(address, end) ? NULL : claim();
		if (p) {
			p->range = (struct dontfork){address, end, caller, 0};
			p->range.record =
				state_event(MPSAN_DONTFORK_ADVICE, address, bytes, caller);
			set_state(p, ASKED);
		}
	}
}

/* A range that is included again in part is forgotten as a whole: not worth more. */
void dontfork_drop(uint64_t address, uint64_t bytes)
{
	if (!dontfork_count() || life_is_guest())
		return;
	for (uint32_t i = 0; i < dontfork_count(); i++)
		if (state_of(&places[i]) >= ASKED && places[i].range.start < address + bytes &&
		    places[i].range.end > address)
			set_state(&places[i], FREE);
}

/*
 * Whether the kernel (5.12 or later) copies such memory at the fork, so that nothing can go wrong.
 */
static bool kernel_copies(void)
{
	struct utsname name;
	const char *rest;
	uint64_t major;

	if (SYS1(SYS_uname, &name) < 0)
		return true;
	major = text_number(name.release, &rest);
	return major > 5 || (major == 5 && *rest == '.' && text_number(rest + 1, NULL) >= 12);
}

static void state_registration(enum mpsan_dontfork how, uint64_t address, uint64_t bytes,
			       uint64_t caller)
{
	STATE static uint32_t told; /* kinds */

	if (told & 1u << how || !life_may_state() || kernel_copies())
		return;
	GUARDED {
		told |= 1u << how;
		state_event(how, address, bytes, caller);
	}
}

void dontfork_registered(uint64_t address, uint64_t bytes, uint64_t caller)
{
	if (sys_getenv("RDMAV_FORK_SAFE") || sys_getenv("IBV_FORK_SAFE"))
		dontfork_supported(caller);
	state_registration(MPSAN_DONTFORK_REGISTERED, address, bytes, caller);
}

void dontfork_supported(uint64_t caller)
{
	state_registration(MPSAN_DONTFORK_SUPPORTED, 0, 0, caller);
}

/* Whether the range is mapped: mincore fails if not. */
static bool is_mapped(uint64_t start, uint64_t end)
{
	unsigned char in_memory[PAGES_ASKED];
	uint64_t bytes;

	if (end - start > (uint64_t)PAGES_MOST * PAGE)
		end = start + (uint64_t)PAGES_MOST * PAGE;
	for (; start < end; start += bytes) {
		bytes = end - start < PAGES_ASKED * PAGE ? end - start : PAGES_ASKED * PAGE;
		if (SYS3(SYS_mincore, start, bytes, in_memory) < 0)
			return false;
	}
	return true;
}

void dontfork_before_fork(void)
{
	for (uint32_t i = 0; i < dontfork_count(); i++) {
		uint32_t state = state_of(&places[i]);

		if (state == ASKED || state == PRESENT)
			set_state(&places[i],
				  is_mapped(places[i].range.start, places[i].range.end) ? PRESENT :
											  ASKED);
	}
}

/* Compares with the parent: ranges that were already missing there do not count. */
bool dontfork_born(void)
{
	uint64_t lowest = UINT64_MAX;

	for (uint32_t i = 0; i < dontfork_count(); i++) {
		struct place *p = &places[i];

		if (state_of(p) == PRESENT)
			set_state(p, is_mapped(p->range.start, p->range.start + PAGE) ? ASKED :
											MISSING);
		else if (state_of(p) == WRITING) /* by a thread that was not copied */
			set_state(p, FREE);
		if (state_of(p) == MISSING && p->range.start < lowest)
			lowest = p->range.start;
	}
	if (lowest == UINT64_MAX)
		return false;
	sys_map_below(lowest);
	return true;
}

bool dontfork_find(uint64_t address, struct dontfork *copy)
{
	for (uint32_t i = 0; i < dontfork_count(); i++) {
		const struct place *p = &places[i];

		if (state_of(p) != MISSING || address < p->range.start || address >= p->range.end)
			continue;
		*copy = p->range;
		return true;
	}
	return false;
}
