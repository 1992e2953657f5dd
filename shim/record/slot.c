/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds and fills in slots of the session's table: this image's, and those of children that cannot
 * do so themselves.
 */
#include "slot.h"

#include <string.h>

#include "../intercept/sys.h"
#include "identity.h"
#include "modules.h"
#include "state.h"
#include "table.h"

/* Within this time after an exec call or a birth the PID cannot have been reused. */
#define JUST_NOW_NS 1000000000ull

static bool is_of_this(const struct mpsan_process *p)
{
	bool awaited = p->flags & MPSAN_PROCESS_EXEC || !(p->flags & MPSAN_PROCESS_ATTACHED);
	uint64_t last = p->exec_ns > p->birth_ns ? p->exec_ns : p->birth_ns;

	return (awaited && (!last || sys_now() < last + JUST_NOW_NS)) ||
	       identity_began_by(p->birth_ns);
}

/*
 * The slot of this process before its exec. Marks the end of slots of the same PID that ended
 * without recording it.
 */
static uint32_t find_before(uint32_t pid)
{
	uint32_t slot = table_find(life.session, pid, life.pid_ns);

	while (slot != TABLE_NO_SLOT && !is_of_this(&life.table[slot])) {
		uint64_t unset = 0;

		__atomic_compare_exchange_n(&life.table[slot].end_ns, &unset, sys_now(), false,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED);
		slot = table_find(life.session, pid, life.pid_ns);
	}
	return slot;
}

uint32_t slot_take(void)
{
	uint32_t pid = sys_pid(), before = find_before(pid), slot, parent;
	struct mpsan_process *p;

	slot = table_claim(life.session, pid, life.pid_ns, 0, MPSAN_PROCESS_ATTACHED);
	if (slot == TABLE_NO_SLOT)
		return slot;
	p = &life.table[slot];
	p->python = 0; /* a parent that spawned it copied its own version */
	if (p->birth_ns)
		return slot;
	if (before == slot)
		before = TABLE_NO_SLOT;
	p->parent_pid = (uint32_t)SYS1(SYS_getppid, 0);
	parent = before != TABLE_NO_SLOT ? before :
					   table_find(life.session, p->parent_pid, life.pid_ns);
	p->parent = parent == TABLE_NO_SLOT ? 0 : parent + 1;
	if (parent != TABLE_NO_SLOT)
		p->marks = life.table[parent].marks & MPSAN_MARK_IGNORES;
	p->how = MPSAN_HOW_ROOT;
	if (before != TABLE_NO_SLOT) {
		p->how = MPSAN_HOW_EXEC;
		__atomic_fetch_or(&life.table[before].flags, MPSAN_PROCESS_REPLACED,
				  __ATOMIC_RELAXED);
		p->flags |= life.table[before].flags &
			    (MPSAN_PROCESS_SESSION | MPSAN_PROCESS_DEATHSIG);
	} else if (parent != TABLE_NO_SLOT) {
		p->how = life.table[parent].spawning ? life.table[parent].spawning : MPSAN_HOW_EXEC;
	}
	p->birth_ns = sys_now();
	return slot;
}

/* What a child of this process inherits. */
static void slot_fill_child(struct mpsan_process *p, enum mpsan_how how)
{
	p->parent = life.slot + 1;
	p->parent_pid = life.self->pid;
	p->how = (uint8_t)how;
	p->uid = life.self->uid;
	p->python = life.self->python;
	p->argv_bytes = life.self->argv_bytes;
	memcpy(p->argv, life.self->argv, sizeof(p->argv_kept));
	p->rank = life.self->rank;
}

STATE static uint32_t spare; /* slot + 1, of a child that was not born */

uint32_t slot_expect(enum mpsan_how how, uint64_t fork)
{
	uint32_t slot = spare ? __atomic_exchange_n(&spare, 0, __ATOMIC_ACQ_REL) : 0;
	struct mpsan_process *p;

	if (!slot)
		slot = table_reserve(life.session) + 1;
	if (!slot)
		return 0;
	p = &life.table[slot - 1];
	slot_fill_child(p, how);
	p->fork_pos = fork;
	p->why_off = life.self->why_off; /* the seccomp filter was inherited */
	p->flags = MPSAN_PROCESS_ATTACHED | (modules_have_torch() ? MPSAN_PROCESS_TORCH : 0) |
		   (life.self->flags & MPSAN_PROCESS_READLINE); /* inherited with the handlers */
	p->marks = life.self->marks & MPSAN_MARK_IGNORES;
	return slot;
}

void slot_expect_again(uint32_t slot)
{
	if (slot)
		__atomic_store_n(&spare, slot, __ATOMIC_RELEASE);
}

uint32_t slot_born(uint32_t slot, enum mpsan_how how, uint64_t fork, uint64_t birth)
{
	struct mpsan_process *p;

	if (spare)
		spare = 0; /* its parent's */
	if (!slot)
		slot = slot_expect(how, fork);
	if (!slot) {
		table_count_unrecorded(life.session);
		return TABLE_NO_SLOT;
	}
	p = &life.table[slot - 1];
	p->birth_ns = p->attach_ns = birth;
	p->pid_ns = life.pid_ns;
	__atomic_store_n(&p->pid, life.pid, __ATOMIC_RELEASE);
	table_enter(life.session, slot - 1);
	return slot - 1;
}

uint32_t slot_spawned(uint32_t pid, enum mpsan_how how, uint64_t since_ns, uint64_t fork)
{
	uint32_t slot = table_claim(life.session, pid, life.pid_ns, since_ns, 0);

	if (slot == TABLE_NO_SLOT)
		return slot;
	if (!life.table[slot].birth_ns) {
		slot_fill_child(&life.table[slot], how);
		life.table[slot].birth_ns = sys_now();
	}
	life.table[slot].how = (uint8_t)how;
	if (how == MPSAN_HOW_VFORK)
		fork = life_vfork_event();
	if (fork)
		life.table[slot].fork_pos = fork;
	return slot;
}
