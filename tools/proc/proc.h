/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State of other processes and threads, read from /proc without stopping them. Every answer may be
 * outdated on arrival, and a process may end at any moment: "unknown" is always possible.
 * Neighbour: snapshot.h keeps the answers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "../../include/mpsan_log.h"

enum proc_state {
	PROC_UNKNOWN, /* ended, or unreadable */
	PROC_RUNS, /* running, runnable, or stopped outside a system call */
	PROC_IN_CALL, /* asleep in a system call */
	PROC_ENDED, /* a zombie main thread of a process whose other threads live */
};

/* A thread in a system call. Numbers and arguments as for syscall(2). */
struct proc_call {
	enum proc_state state;
	long number;
	uint64_t arg[6];
	uint64_t sp, pc;
};

/*
 * Reads /proc/PID/task/TID/syscall, which needs ptrace permission: under Yama's default, ancestors
 * have it. `fd` keeps the file open between calls: -1 at first, closed by the caller; NULL: do not keep it.
 */
struct proc_call proc_call(uint32_t pid, uint32_t tid, int *fd);

/* How long a thread was on a processor, and waited for one, in total; 0: unknown. */
struct proc_time {
	uint64_t ran_ns, waited_ns;
};

/*
 * How often a thread got a processor: equal numbers mean that it did not run in between. 0:
 * unknown. From schedstat, else from the context switches in status. `fd` as for proc_call().
 */
uint64_t proc_runs(uint32_t pid, uint32_t tid, int *fd, struct proc_time *time);

/*
 * Processor time of all threads of a process, with those that have ended: equal times mean that no thread ran in between.
 * 0: unknown. Ten times as fast as reading a file of /proc, and needs no permission.
 */
uint64_t proc_ran_ns(uint32_t pid);

/* Calls `see` for each thread; false if the process has ended. */
bool proc_threads(uint32_t pid, void (*see)(uint32_t tid, void *context), void *context);
/* How many it has, for a fifth of that price; 0: not known. */
uint32_t proc_thread_count(uint32_t pid);
/* Whether a thread is alive, even if /proc hides it. `pid` equal to `tid`: of any process. */
bool proc_thread_alive(uint32_t pid, uint32_t tid);
/*
 * A living thread whose files and memory are readable in /proc/LIVING: the main thread, or another
 * one if that has ended. 0: none.
 */
uint32_t proc_living(uint32_t pid);
/* Whether a process is alive, hidden or not; false for zombies. Takes a few system calls. */
bool proc_lives(uint32_t pid);

/* Whether it is this process: a core file may be of one that had the same PID. */
bool proc_is_self(uint32_t pid);

/* Calls `see` for every process of the machine. */
void proc_each(void (*see)(uint32_t pid, void *context), void *context);

/*
 * Calls `see` for each child of a process. False: the kernel does not tell, or the process has
 * ended.
 */
bool proc_children(uint32_t pid, void (*see)(uint32_t child, void *context), void *context);

/*
 * Copies another process's memory. Returns the number of bytes, possibly fewer; -1 with errno if
 * none.
 */
long proc_read(uint32_t pid, uint64_t from, void *to, size_t bytes);
/* Copies all of it, or returns false. */
bool proc_peek(uint32_t pid, uint64_t from, void *to, size_t bytes);

/*
 * A look at all threads of some processes begins with a snapshot of them. Until the next one, or the end of this one, each page
 * of memory that kept_read is asked for is read once. So it was read after the run counts: what threads work on that have not run
 * when they are counted again, is as it was then. What others may change meanwhile, and is read twice to find out, is for
 * proc_read.
 */
void kept_begin(void);
void kept_end(void);
uint32_t
kept_look(void); /* the number of the one under way; 0: none is, and kept_read is proc_read */
long kept_read(uint32_t pid, uint64_t from, void *to, size_t bytes);
void kept_finish(void); /* frees the pages */

#define PROC_PATH_BYTES 256u

/* The mapping at an address. */
struct proc_mapping {
	uint64_t start, end;
	uint64_t device, inode;
	bool shared;
	bool in_libc; /* the C library or the loader, including their data */
	char path[PROC_PATH_BYTES]; /* truncated if longer */
};
bool proc_mapping(uint32_t pid, uint64_t address, struct proc_mapping *mapping);
/*
 * The same as of some milliseconds ago, or as of this look: for the threads of a process, one after the other, all
 * mappings are read once. Not for a proof.
 */
bool proc_mapping_lately(uint32_t pid, uint64_t address, struct proc_mapping *mapping);
/*
 * The name by which a process opened the semaphore at an address, as for sem_open, which the caller frees; "" if it
 * has none that a programmer knows.
 */
char *proc_semaphore_name(uint32_t pid, uint64_t address);
/* How often a process maps that file or shared memory; -1: unreadable. */
int proc_maps(uint32_t pid, uint64_t device, uint64_t inode);
/* Whether it uses AIO, as of io_submit(2), which has no descriptor, but a mapping; -1: unreadable. */
int proc_has_aio(uint32_t pid);
/*
 * Whether a process has never had a second thread, by its C library (__libc_single_threaded, see the GNU C Library's
 * manual); false also if that is not the file that this process has.
 */
bool proc_is_single(uint32_t pid);
/*
 * Signals with handlers that could end a wait: bit N-1 for signal N; without fault signals. All bits
 * if unknown.
 */
uint64_t proc_handlers(uint32_t pid);
/* Whether a process ignores that signal; false if the kernel does not tell. */
bool proc_ignores(uint32_t pid, int number);

/*
 * Whether a process has POSIX timers that send a signal, running or not: its default action may end
 * the process. Alarms are not visible (see MPSAN_PROCESS_ALARM).
 */
bool proc_has_timer(uint32_t pid);

/* The kernel's name of a thread if it differs from the process's, else "". */
void proc_thread_name(uint32_t pid, uint32_t tid, char name[32]);

/* The kernel function in which a thread sleeps; false: none, or unreadable. */
bool proc_wchan(uint32_t pid, uint32_t tid, char *name, size_t bytes);

#define PROC_FLAG_FORKED 0x40u /* the kernel's PF_FORKNOEXEC, among the flags in /proc/PID/stat */

/* /proc/PID/task/TID/stat; all is 0 if it cannot be read. Source of the fields: proc(5). */
struct proc_stat {
	char state; /* 0: ended */
	uint32_t parent; /* of its process */
	uint32_t threads; /* of its process, including an ended main thread */
	bool exits; /* the thread is exiting */
	bool kernel; /* it belongs to the kernel */
	bool forked; /* the process has not exec'd since it was forked */
	uint64_t start; /* of the thread, in ticks since boot */
	uint64_t stack; /* where exec began the process's stack, at random; 0: unreadable */
	uint64_t faults; /* pages that it got without reading a disk */
	uint64_t read_pages; /* how often it waited for a page from a disk */
	uint32_t processor; /* on which it ran last */
	int ended; /* as from waitpid, for those who may trace it; else 0 */
};
struct proc_stat proc_stat(uint32_t pid, uint32_t tid);
/* /proc/PID/stat: the main thread's, with the faults of all threads and the end of the process; slow with many. */
struct proc_stat proc_stat_all(uint32_t pid);
/* Whether a signal or a debugger has stopped it; or whether that is what a state says. */
bool proc_is_stopped(uint32_t pid, uint32_t tid);
static inline bool proc_state_is_stopped(char state)
{
	return state == 'T' || state == 't';
}

/*
 * Whether the number of a thread or process was given before another one, shortly before or after it:
 * numbers grow, and begin again at a limit.
 */
bool proc_number_precedes(uint32_t number, uint32_t other);

/* Whether a living thread was made before process `other`, which began at `start`, as in proc_stat. */
bool proc_precedes(uint32_t pid, uint32_t tid, uint32_t other, uint64_t start);

/*
 * Whether a process has ended, given the state of its main thread, which may end before other
 * threads.
 */
bool proc_stat_ended(const struct proc_stat *main_thread);

/*
 * Whether it is exiting or has ended: its descriptors may be closed before it is a zombie. False if
 * unknown.
 */
bool proc_leaves(uint32_t pid);

/* Whether a living process is, or descends from, one that `is_ours` accepts. */
bool proc_descends(uint32_t pid, bool (*is_ours)(uint32_t pid, void *context), void *context);

/* Bytes of shared memory resident in a process; 0: none, or unknown. */
uint64_t proc_shared_bytes(uint32_t pid);

/* The status of an unreaped process, as from waitpid; -1: unknown. */
int proc_ended(uint32_t pid);

/* Yama's ptrace_scope; 0 without Yama. */
unsigned proc_yama(void);
