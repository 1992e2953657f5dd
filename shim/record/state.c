/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of this process: its slot, whether the library may act in it, its timers, its exit
 * code.
 */
#include "state.h"

#include "../intercept/hook.h"
#include "../intercept/sys.h"

STATE struct life life;
TLS struct mpsan_thread *thread_hot;
STATE static int exit_code = -1; /* the argument of exit(), if it was called */

uint32_t thread_tid(void)
{
	const struct mpsan_thread *t = thread_hot;

	return t && t->tid ? t->tid : sys_tid();
}

void life_flag(uint16_t flag)
{
	if (life.self)
		__atomic_fetch_or(&life.self->flags, flag, __ATOMIC_RELEASE);
}

void life_mark(uint8_t mark)
{
	if (life.self)
		__atomic_fetch_or(&life.self->marks, mark, __ATOMIC_RELAXED);
}

void life_ignores(uint8_t mark, bool is)
{
	life.ignores = is ? life.ignores | mark : life.ignores & (uint8_t)~mark;
	if (is)
		life_mark(mark);
	else if (life.self)
		__atomic_fetch_and(&life.self->marks, (uint8_t)~mark, __ATOMIC_RELAXED);
}

void life_unflag(uint16_t flag)
{
	if (life.self)
		__atomic_fetch_and(&life.self->flags, (uint16_t)~flag, __ATOMIC_RELAXED);
}

bool life_has(uint16_t flag)
{
	return life.self && life.self->flags & flag;
}

/* Sets or clears the flag. Of two threads that do so, the one that clears it checks again. */
void life_alarm_set(void)
{
	uint64_t due_ns;

	if (!life_may_change())
		return;
	due_ns = sys_alarm_ns();
	if (!due_ns) {
		life_unflag(MPSAN_PROCESS_ALARM);
		due_ns = sys_alarm_ns();
		if (!due_ns)
			return;
	}
	if (life.self)
		life.self->alarm_ns = due_ns;
	life_flag(MPSAN_PROCESS_ALARM);
}

bool life_has_alarm(void)
{
	life_alarm_set();
	return life_has(MPSAN_PROCESS_ALARM) || sys_has_timer();
}

bool life_is_guest(void)
{
	return life.attached && sys_pid() != life.pid;
}

bool life_may_state(void)
{
	return life.attached && !hook_off && !life_is_guest();
}

/* A vfork child runs on this memory, including this word; its parent resets it on return. */
static TLS bool vforked;
static TLS uint64_t vfork_event; /* of the newest one */

void life_vforks(uint64_t fork)
{
	vforked = true;
	vfork_event = fork;
}

bool life_may_change(void)
{
	if (!life.attached || hook_off)
		return false;
	if (LIKELY(!vforked && !life.has_guests))
		return true;
	if (life_is_guest())
		return false;
	vforked = false;
	return true;
}

uint64_t life_vfork_event(void)
{
	return vfork_event;
}

void life_copied(void)
{
	life.forked = true;
	life.has_guests = false;
	exit_code = -1;
	vforked = false;
}

void life_exit_code(int code)
{
	exit_code = code;
}

int life_code(void)
{
	return exit_code;
}
