/*
 * What the kernel says of another process and its threads, read from /proc without stopping
 * anybody. Every answer may be out of date when it arrives, and a process may end at any moment:
 * "not known" is always possible. Neighbour: snapshot.h keeps what is learned here.
 */
#ifndef MPSAN_PROC_H
#define MPSAN_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "../../include/mpsan_log.h"

enum proc_state {
	PROC_UNKNOWN, /* gone, or not to be read */
	PROC_RUNS, /* on a processor, waiting for one, or stopped outside a system call */
	PROC_IN_CALL, /* asleep in a system call */
	PROC_ENDED, /* a zombie: the main thread of a process whose other threads go on */
};

/* A thread in a system call. Numbers and arguments as syscall(2) has them. */
struct proc_call {
	enum proc_state state;
	long number;
	uint64_t arg[6];
	uint64_t sp, pc;
};

/* /proc/PID/task/TID/syscall (needs the right to trace: an ancestor has it under Yama's preset). */
struct proc_call proc_call(uint32_t pid, uint32_t tid);

/* For how long a thread was on a processor, and waited for one, in all; 0: not known. */
struct proc_time {
	uint64_t ran_ns, waited_ns;
};

/*
 * How often a thread got a processor: equal numbers at two looks mean that it did not run between
 * them. 0: not known. From schedstat, else from the context switches in status. `fd` keeps the
 * file open between looks: -1 at first, to be closed by the caller; not kept when `keep` is false.
 */
uint64_t proc_runs(uint32_t pid, uint32_t tid, int *fd, bool keep, struct proc_time *time);

/* Calls `see` for each thread; false when the process is gone. */
bool proc_threads(uint32_t pid, void (*see)(uint32_t tid, void *context), void *context);
/* Also of one that /proc hides. `pid` equal to `tid`: of whatever process. */
bool proc_thread_alive(uint32_t pid, uint32_t tid);
/*
 * A thread that lives, of whose files and memory the kernel tells in /proc/LIVING: the main thread, or another one
 * where that has ended. 0: none.
 */
uint32_t proc_living(uint32_t pid);
/* Whether a process is there, shown or not; not so a zombie. A few system calls. */
bool proc_lives(uint32_t pid);

/* Calls `see` for every process of the machine. */
void proc_each(void (*see)(uint32_t pid, void *context), void *context);

/* Calls `see` for each child of a process. False: the kernel does not tell, or it is gone. */
bool proc_children(uint32_t pid, void (*see)(uint32_t child, void *context), void *context);

/* Copies another process's memory: bytes, perhaps fewer than asked for; -1 with errno: none. */
long proc_read(uint32_t pid, uint64_t from, void *to, size_t bytes);
/* All of it or false. */
bool proc_peek(uint32_t pid, uint64_t from, void *to, size_t bytes);

#define PROC_PATH_BYTES 256u

/* The mapping at an address. */
struct proc_mapping {
	uint64_t start, end;
	uint64_t device, inode;
	bool shared;
	bool in_libc; /* the C library or the loader, their data included */
	char path[PROC_PATH_BYTES]; /* cut off when longer */
};
bool proc_mapping(uint32_t pid, uint64_t address, struct proc_mapping *mapping);
/* How often a process maps that file or shared memory; -1: it cannot be looked into. */
int proc_maps(uint32_t pid, uint64_t device, uint64_t inode);
/* /proc/PID/maps, also where only another thread than the main one is left; NULL: not to be read. */
FILE *proc_open_maps(uint32_t pid);

/*
 * Signals whose handlers could run code of the process that ends a wait: bit N-1 for signal N, not
 * those of faults, nor readline's own for SIGWINCH. All bits when that is not known.
 */
uint64_t proc_handlers(const struct mpsan_process *process);

/*
 * Whether a process has timers of timer_create that end in a signal, running or not: their default is to
 * end it. Alarms are not told to others (MPSAN_PROCESS_ALARM).
 */
bool proc_has_timer(uint32_t pid);

/* The kernel's name of a thread where it is another than that of its process, "" else. */
void proc_thread_name(uint32_t pid, uint32_t tid, char name[32]);

/* The kernel function in which a thread sleeps; false: none, or not to be read. */
bool proc_wchan(uint32_t pid, uint32_t tid, char *name, size_t bytes);

/* State of a thread (as proc(5) has it), parent and number of threads of its process. state 0: gone. */
struct proc_stat {
	char state;
	uint32_t parent;
	uint32_t threads; /* with a main thread that has ended before others */
	bool exits; /* the thread is being taken down */
	uint64_t start; /* of the thread, in ticks since the machine was started */
};
struct proc_stat proc_stat(uint32_t pid, uint32_t tid);
/* Whether a process has ended, by the state of its main thread, which may end before others do. */
bool proc_stat_ended(const struct proc_stat *main_thread);

/*
 * Whether the kernel is taking it down, or has: its descriptors may be closed although it is no zombie yet, for as
 * long as its files and devices take. False when that cannot be seen.
 */
bool proc_leaves(uint32_t pid);

/* Whether it is in our own namespace of that kind ("pid", "ipc"); false also when that is not known. */
bool proc_same_namespace(uint32_t pid, const char *which);

/* Whether a process that has not ended is, or descends from, one that `is_ours` knows. */
bool proc_descends(uint32_t pid, bool (*is_ours)(uint32_t pid, void *context), void *context);

/* Bytes of shared memory that a process has in its memory now; 0: none, or not known. */
uint64_t proc_shared_bytes(uint32_t pid);

/* How a process ended that nobody has asked for yet, as waitpid tells it; -1: not known. */
int proc_ended(uint32_t pid);

/* Yama's ptrace_scope, 0 where there is no Yama. */
unsigned proc_yama(void);

#endif
