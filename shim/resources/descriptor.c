/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the byte of each descriptor in step with calls that create, copy and close it. */
#include "descriptor.h"

#include "../intercept/hook.h"
#include "../record/state.h"

uint8_t descriptor_flags[DESCRIPTORS] LARGE;
STATE uint8_t descriptor_fresh;
STATE uint32_t descriptor_highest;

/* Flags of the descriptor itself, not of its open file description. */
#define OF_OFFSET \
	(DESCRIPTOR_APART | DESCRIPTOR_READ_TOLD | DESCRIPTOR_WRITE_TOLD | DESCRIPTOR_MOVE_TOLD)

static void descriptor_up_to(int fd)
{
	uint32_t highest = __atomic_load_n(&descriptor_highest, __ATOMIC_RELAXED);

	while (highest < (uint32_t)fd &&
	       !__atomic_compare_exchange_n(&descriptor_highest, &highest, (uint32_t)fd, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void descriptor_put(int fd, uint8_t flags)
{
	__atomic_store_n(&descriptor_flags[fd], flags, __ATOMIC_RELAXED);
	if (flags)
		descriptor_up_to(fd);
}

void descriptor_made_slow(int fd)
{
	if (life_may_change())
		descriptor_put(fd, descriptor_fresh);
}

void descriptor_gone(int fd)
{
	if (descriptor_known(fd) && life_may_change())
		descriptor_put(fd, 0);
}

void descriptor_copied(int from, int to)
{
	if ((uint32_t)to < DESCRIPTORS && life_may_change())
		descriptor_put(to, descriptor_known(from) & OF_OFFSET);
}

void descriptor_mark(int fd, uint8_t flags)
{
	if ((uint32_t)fd >= DESCRIPTORS)
		return;
	__atomic_fetch_or(&descriptor_flags[fd], flags, __ATOMIC_RELAXED);
	descriptor_up_to(fd);
}

void descriptor_unmark(int fd, uint8_t flags)
{
	if ((uint32_t)fd < DESCRIPTORS)
		__atomic_fetch_and(&descriptor_flags[fd], (uint8_t)~flags, __ATOMIC_RELAXED);
}

/* In the parent, too, whose other threads mark descriptors meanwhile. */
void descriptor_forked(bool child)
{
	(void)child;
	descriptor_fresh = DESCRIPTOR_APART;
	for (uint32_t fd = 0; fd <= descriptor_highest; fd++)
		if (descriptor_flags[fd] & OF_OFFSET)
			__atomic_fetch_and(&descriptor_flags[fd], (uint8_t)~OF_OFFSET,
					   __ATOMIC_RELAXED);
}
