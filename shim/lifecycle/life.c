/* SPDX-License-Identifier: Apache-2.0 */
/* Birth, exec and end of this process. hooks/process.c calls with what the program requested. */
#include "life.h"

#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "../common/rank.h"
#include "../intercept/elf.h"
#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "../locks/libc_locks.h"
#include "../record/identity.h"
#include "../record/log.h"
#include "../record/seccomp.h"
#include "../record/session.h"
#include "../record/setting.h"
#include "../record/slot.h"
#include "../record/state.h"
#include "../record/switch_off.h"
#include "../record/table.h"
#include "../resources/stdio.h"
#include "exec_env.h"
#include "exec_reach.h"
#include "fork.h"
#include "stages.h"

/*
 * Asks the kernel for what an exec preserves from the previous image: alarms, parent-death signal.
 */
static void ask_kernel(void)
{
	int signal = 0;

	life.self->alarm_ns = sys_alarm_ns();
	if (life.self->alarm_ns)
		life_flag(MPSAN_PROCESS_ALARM);
	if (SYS2(SYS_prctl, PR_GET_PDEATHSIG, &signal) == 0 && signal)
		life_flag(MPSAN_PROCESS_DEATHSIG);
}

/* Copies as much of the argument list as the slot holds. */
void life_copy_argv(struct mpsan_process *p, const char *const *argv)
{
	char *at = p->argv, *end = p->argv + sizeof(p->argv_kept);

	for (; argv && *argv && at + 1 < end; argv++)
		at = text_put(at, end, *argv) + 1;
	p->argv_bytes = (uint32_t)(at < end ? at - p->argv : (long)sizeof(p->argv_kept));
}

static void describe_self(const char *const *argv)
{
	life.self = &life.table[life.slot];
	life.ignores = life.self->marks & MPSAN_MARK_IGNORES;
	life.pid = life.self->pid;
	life.self->uid = session_user();
	life.self->attach_ns = sys_now();
	life_copy_argv(life.self, argv);
	life.self->rank = rank_of(sys_getenv);
	life_flag(MPSAN_PROCESS_ATTACHED);
	if (seccomp_is_felt())
		life.self->why_off = MPSAN_OFF_SECCOMP;
	ask_kernel();
}

/*
 * The PID namespace without /proc: that of the session's creator, unless this process is seen to be
 * in another.
 */
static void find_namespace(void)
{
	uint64_t mount = life.session->proc_mount ? identity_proc_mount() : 0;

	life.pid_ns = mount && mount == life.session->proc_mount ? life.session->pid_ns :
								   identity_pid_ns();
	if (!life.pid_ns && SYS1(SYS_getppid, 0))
		life.pid_ns = life.session->pid_ns;
}

static bool attach(const char *const *argv)
{
	char directory[MPSAN_DIRECTORY_MAX + sizeof("/session")], value[8];
	bool make = !setting("join", value, sizeof(value)) || !text_equal(value, "only");

	life.forks_only = setting("level", value, sizeof(value)) && text_equal(value, "forks");
	life.quiet = !make || (setting("print", value, sizeof(value)) && text_equal(value, "no"));
	life.session = session_join(directory, sizeof(directory), make, &life.pid_ns);
	if (!life.session || __atomic_load_n(&life.session->off, __ATOMIC_RELAXED))
		return false;
	life.quiet = life.quiet || life.session->supervisor;
	life.table = table_of(life.session);
	if (!life.pid_ns)
		find_namespace();
	life.slot = slot_take();
	if (life.slot == TABLE_NO_SLOT)
		return false;
	log_start(directory, setting_bytes("log-max", 64u << 20));
	describe_self(argv);
	return true;
}

__attribute__((constructor)) static void life_start(int argc, const char *const *argv,
						    const char *const *envp)
{
	char calls[40];

	(void)argc;
	hook_start();
	if (!elf_is_glibc()) { /* musl calls constructors without arguments */
		hook_off = true;
		return;
	}
	sys_start(envp);
	if (sys_image.secure) {
		hook_off = true;
		return;
	}
	seccomp_start(setting("calls", calls, sizeof(calls)));
	exec_reach_start();
	exec_env_start();
	if (!attach(argv)) {
		switch_off_for(MPSAN_OFF_NO_LOG);
		return;
	}
	stage_attach();
	fork_register(false);
	__atomic_store_n(&life.attached, true, __ATOMIC_RELEASE);
	stage_start();
}

__attribute__((destructor)) static void life_stop(void)
{
	libc_lock_exited();
	stdio_flushes(NULL, 0); /* exit does so after all handlers */
	if (life_may_state() && !life.self->end_ns)
		life_exit(life_code());
}

/*
 * A parent may request a time namespace for its children: `since` is the parent's time before the
 * fork.
 */
#define CLOCK_JUMP_NS 1000000000ull

static uint64_t birth_time(uint64_t since)
{
	uint64_t now = sys_now();

	if (!since || now - since < CLOCK_JUMP_NS)
		return now;
	sys_leave_time_namespace();
	return sys_now();
}

void life_child(uint32_t slot, enum mpsan_how how, uint64_t fork_pos, uint64_t since)
{
	uint64_t birth = birth_time(since);

	life_copied();
	stage_copied();
	life.pid = sys_pid();
	/* its parent is not visible: a PID namespace of its own */
	if (!SYS1(SYS_getppid, 0))
		find_namespace();
	slot = slot_born(slot, how, fork_pos, birth);
	if (slot == TABLE_NO_SLOT) {
		hook_off = true;
		switch_off_full();
		return;
	}
	life.slot = slot;
	life.self = &life.table[slot];
	stage_child();
}

/* A process that asks for its end runs the image that has called exec: that failed. */
static void exec_has_failed(struct mpsan_process *p)
{
	if (p->exec_ns > p->attach_ns)
		p->why_off = MPSAN_OFF_FAILED;
}

static void guest_exit(void)
{
	uint32_t slot = table_find(life.session, sys_pid(), life.pid_ns);

	if (slot != TABLE_NO_SLOT)
		exec_has_failed(&life.table[slot]);
}

void life_exit(int code)
{
	if (!life.attached || hook_off)
		return;
	if (life_is_guest())
		return guest_exit();
	if (life.self->end_ns)
		return;
	exec_has_failed(life.self);
	stage_exit();
	life.self->end_value = code;
	life.self->end = MPSAN_END_EXIT;
	__atomic_store_n(&life.self->end_ns, sys_now(), __ATOMIC_RELEASE);
}

/* Completes a child's slot with what a wait call returned. */
void life_ended(uint32_t pid, int status, bool reaped)
{
	uint32_t slot;

	if (!life.attached || hook_off || WIFSTOPPED(status) || WIFCONTINUED(status))
		return;
	slot = table_find_last(life.session, pid, life.pid_ns);
	if (slot == TABLE_NO_SLOT)
		return;
	__atomic_fetch_or(&life.table[slot].flags,
			  (reaped ? MPSAN_PROCESS_REAPED : 0) |
				  (life.table[slot].end ? 0 : MPSAN_PROCESS_WAITED),
			  __ATOMIC_RELAXED);
	life.table[slot].end_value = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
	life.table[slot].end = WIFSIGNALED(status) ? MPSAN_END_SIGNAL : MPSAN_END_EXIT;
	if (!life.table[slot].end_ns)
		__atomic_store_n(&life.table[slot].end_ns, sys_now(), __ATOMIC_RELEASE);
}
