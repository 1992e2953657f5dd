/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records names, signals, exits and affinities of Python's worker processes, with the Python frames
 * that show them.
 */
#include "proc_events.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "../intercept/elf.h" /* _r_debug is weak */
#include "../intercept/hook.h"
#include "../intercept/pidfd.h"
#include "../intercept/sys.h"
#include "../python/python.h"
#include "../record/log.h"
#include "../record/modules.h"
#include "../record/slot.h"
#include "../record/stack.h"
#include "../record/state.h"
#include "../record/table.h"
#include "../record/thread.h"

#define NAME_BYTES 128
#define SIGNALLED 32u
#define MASK_BYTES 1024 /* 8192 processors */

STATE struct proc_events proc_events;
/* This is a fork server: its children are started processes that learn their names themselves. */
STATE static bool is_server;

static bool argument_has(const char *word)
{
	const char *text = life.self->argv;
	uint32_t bytes = life.self->argv_bytes;

	if (bytes > sizeof(life.self->argv))
		bytes = sizeof(life.self->argv);
	for (uint32_t i = 0; i + strlen(word) <= bytes; i++)
		if (!memcmp(text + i, word, strlen(word)))
			return true;
	return false;
}

void proc_events_start(void)
{
	is_server = argument_has("multiprocessing.forkserver");
	proc_events.started = is_server || argument_has("multiprocessing.spawn");
	proc_events.unnamed = proc_events.started;
}

/*
 * In a child: the forking process has recorded its name, except a fork server, which does not know
 * it.
 */
void proc_events_forked(void)
{
	proc_events.unnamed = is_server;
	proc_events.told_end = false;
	proc_events.again = 0;
	proc_events.failed = 0;
	is_server = false;
}

/* Looks for Python: a started child may come here before anything else has done so. */
static bool sees_python(void)
{
	if (!python_present() && _r_debug.r_state == RT_CONSISTENT)
		python_search();
	return python_present();
}

/* Records the name of the child of that fork, or (0) of this process. */
static void state_name(uint64_t fork, uint64_t process)
{
	char name[NAME_BYTES];

	if (python_process_name(process, name, sizeof(name)))
		EMIT(process_name, .fork = fork, .name = log_text(name),
		     .work = python_loads_data(process) ? MPSAN_WORK_LOADER : MPSAN_WORK_UNKNOWN);
}

/* Whether the parent has recorded this process's name: a fork server cannot. */
static bool is_announced(void)
{
	return life.self->parent &&
	       (life.self->how == MPSAN_HOW_VFORK || life.self->how == MPSAN_HOW_EXEC);
}

NOINLINE void proc_events_opened(const char *path)
{
	uint64_t process;

	if (is_server || !text_equal(path, "/dev/null") || !life_may_state())
		return;
	GUARDED {
		process = sees_python() ? python_started() : 0;
		if (process && __atomic_exchange_n(&proc_events.unnamed, false, __ATOMIC_ACQ_REL) &&
		    !is_announced())
			state_name(0, process);
	}
}

void proc_events_main_again(enum mpsan_main_how how, uint64_t caller)
{
	uint32_t bit = 1u << how;

	if (LIKELY(!proc_events.unnamed) || proc_events.again & bit || !life_may_state() ||
	    !sees_python() || !python_runs_main() ||
	    __atomic_fetch_or(&proc_events.again, bit, __ATOMIC_RELAXED) & bit)
		return;
	EMIT(main_again, .how = how, .caller = caller, .stack = stack_own(),
	     .python = stack_python(0));
}

/*
 * Records a model that is passed to a process, and whether memory shared by torch is mapped here:
 * its names have the same prefix with both strategies. Only for a process that is passed a model.
 */
static void state_model(uint64_t fork, uint64_t process)
{
	char type[NAME_BYTES];
	uint64_t object = python_model(process, type, sizeof(type));

	if (object && !sys_maps_have("/torch_"))
		EMIT(plain_arguments, .fork = fork, .type = log_text(type), .object = object,
		     .stack = stack_own(), .python = stack_python(0));
}

void proc_events_forks(uint64_t fork, bool copies)
{
	enum mpsan_exit_check how;
	uint64_t process;

	if (!fork || !python_present())
		return;
	process = python_starting();
	if (process)
		state_name(fork, process);
	else if (python_starts_server() && (how = python_checks_exit(false)))
		EMIT(exit_checked, .how = how); /* its children's ends are not seen by wait calls */
	if (process && copies && modules_have_torch())
		state_model(fork, process);
	if (UNLIKELY(proc_events.unnamed))
		proc_events_main_again(MPSAN_MAIN_FORKED, 0);
}

/* Signals that the kernel itself sends, for faults and as OOM killer, if no process sent them. */
static bool is_crash(int number)
{
	return number == SIGSEGV || number == SIGABRT || number == SIGBUS || number == SIGFPE ||
	       number == SIGILL || number == SIGSYS || number == SIGKILL;
}

static bool may_end(int number)
{
	return is_crash(number) || number == SIGTERM || number == SIGINT || number == SIGHUP ||
	       number == SIGQUIT;
}

/* Whether the signal reaches its target: not a child that has ended and was not waited for yet. */
static bool reaches(int64_t pid)
{
	siginfo_t ended = {.si_pid = 0};

	return SYS4(SYS_waitid, P_PID, pid, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 ||
	       ended.si_pid != pid;
}

/* Those that this process has sent signals: a forked child has its own list. */
static struct {
	uint32_t by, count, pid[SIGNALLED];
} signalled;

static void keep_signalled(uint32_t pid)
{
	uint32_t at;

	if (signalled.by != life.pid)
		signalled.count = 0;
	signalled.by = life.pid;
	at = __atomic_fetch_add(&signalled.count, 1, __ATOMIC_ACQ_REL);
	if (at < SIGNALLED)
		signalled.pid[at] = pid;
}

bool proc_events_has_signalled(uint32_t pid)
{
	uint32_t count = signalled.by == life.pid ? signalled.count : 0;

	for (uint32_t i = 0; i < count && i < SIGNALLED; i++)
		if (signalled.pid[i] == pid)
			return true;
	return count > SIGNALLED;
}

/*
 * Records a signal once per target and number: a supervisor's log would fill up. A signal to itself
 * matters if it may end the process.
 */
uint64_t proc_events_kills(int64_t pid, int signal, uint64_t caller)
{
	uint64_t whom = (uint64_t)pid << 32, key, stated = 0;
	bool self = pid == (int64_t)life.pid;

	if (!signal || pid == PROC_EVENTS_NOBODY || (self && !may_end(signal)) || !life_may_state())
		return 0;
	if (pid > 0) /* PIDs are reused; a child that was just born has no slot yet */
		whom |= table_find_last(life.session, (uint32_t)pid, life.pid_ns);
	key = log_key(EV_killed, whom, (uint64_t)signal);
	GUARDED {
		if (!log_is_stated(key) && (pid <= 0 || self || reaches(pid))) {
			stated = ANNOUNCE(key, killed, .pid = (uint64_t)pid,
					  .signal = (uint64_t)signal, .caller = caller,
					  .python = stack_python(0));
			log_remember(key, stated);
			if (pid > 0)
				keep_signalled((uint32_t)pid);
		}
	}
	return stated;
}

int64_t proc_events_target(int pidfd, int signal)
{
	uint32_t pid = signal ? pidfd_process(pidfd) : 0;

	return pid ? (int64_t)pid : PROC_EVENTS_NOBODY;
}

void proc_events_kill_failed(uint64_t stated)
{
	log_take_back(stated);
}

void proc_events_raised(int signal, uint64_t caller)
{
	proc_events_kills((int64_t)life.pid, signal, caller);
}

/* Whether the caller's code, or a handler of Python's, asks how its children end. */
static enum mpsan_exit_check checks(void)
{
	uint64_t action[4] = {0}; /* the kernel's, which begins with the handler */

	if (!python_present())
		return 0;
	SYS4(SYS_rt_sigaction, SIGCHLD, NULL, action, sizeof(*action));
	return action[0] > (uint64_t)(uintptr_t)SIG_IGN ? MPSAN_CHECKED_BY_HANDLER :
							  python_checks_exit(true);
}

void proc_events_reaped(uint32_t pid, int status, bool taken, uint64_t caller)
{
	if (LIKELY(!WIFSIGNALED(status)) || !is_crash(WTERMSIG(status)) || !life_may_state())
		return;
	GUARDED {
		EMIT(reaped, .pid = pid, .signal = (uint64_t)WTERMSIG(status),
		     .taken = taken | MPSAN_TAKEN_CHECKED(checks()), .caller = caller,
		     .stack = stack_own(), .python = stack_python(0));
	}
}

uint64_t proc_events_processors(int tid)
{
	uint64_t mask[MASK_BYTES / 8], count = 0;
	long bytes = life.attached && !hook_off ?
			     SYS3(SYS_sched_getaffinity, tid, sizeof(mask), mask) :
			     0;

	for (long i = 0; i < bytes / 8; i++)
		count += (uint64_t)__builtin_popcountll(mask[i]);
	return count;
}

void proc_events_bound(int tid, uint64_t before, uint64_t caller)
{
	uint64_t processors = proc_events_processors(tid);

	if (processors == before || !processors || !life_may_state())
		return;
	GUARDED {
		uint64_t pid = tid ? (uint64_t)tid : thread_tid();

		uint64_t key = log_key(EV_affinity, pid << 16 ^ before, processors ^ caller << 16);

		if (!log_is_stated(key))
			log_remember(key, EMIT(affinity, .pid = pid, .before = before,
					       .processors = processors, .caller = caller,
					       .stack = stack_own(), .python = stack_python(0)));
	}
}

/*
 * The slot of the caller: this process, or its vfork child, for which one is claimed; NULL:
 * unknown.
 */
static struct mpsan_process *caller_slot(void)
{
	uint32_t slot;

	if (!life.attached || hook_off)
		return NULL;
	if (!life_is_guest())
		return life.self;
	slot = slot_spawned(sys_pid(), MPSAN_HOW_VFORK, life.self->birth_ns, 0);
	return slot == TABLE_NO_SLOT ? NULL : &life.table[slot];
}

bool proc_events_flag(uint16_t flag)
{
	struct mpsan_process *process = caller_slot();

	return process && __atomic_fetch_or(&process->flags, flag, __ATOMIC_RELAXED) & flag;
}

void proc_events_unflag(uint16_t flag)
{
	struct mpsan_process *process = caller_slot();

	if (process)
		__atomic_fetch_and(&process->flags, (uint16_t)~flag, __ATOMIC_RELAXED);
}

/*
 * Records an exit only if there is a log, or a traceback to show: a shell's subshells exit with a
 * status all the time, and a log is a file.
 */
void proc_events_left(int code, uint64_t caller)
{
	if (LIKELY(!(code & 0xff)) || proc_events.told_end ||
	    !(life.forked || proc_events.started) || !life_may_state() ||
	    !(python_present() || proc_events.started || (log_head() && !log_is_inherited())))
		return;
	proc_events.told_end = true;
	GUARDED {
		sees_python();
		EMIT(left, .code = (uint64_t)(code & 0xff), .caller = caller, .stack = stack_own(),
		     .python = proc_events.failed ? proc_events.failed : stack_python(0));
	}
}
