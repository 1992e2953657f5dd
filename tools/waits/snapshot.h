/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot: the threads of all living processes of a session, what each is doing, and since when
 * it has not run. Repeated while a program runs; a thread that did not get a processor between two
 * snapshots is in exactly the same state. Neighbours: proc.h asks the kernel, waits.h says what a
 * thread waits for.
 */
#pragma once

#include "../proc/proc.h"
#include "../reader/threads.h"

/* The object that a thread waits for, if the kernel was asked; kept while it does not run. */
struct snapshot_object {
	bool known;
	bool is_shared; /* a pipe or connection, or memory that other processes may map */
	bool in_libc; /* memory of the C library or the loader */
	unsigned kind; /* of a descriptor: enum pipe_kind */
	uint64_t device, inode;
	uint64_t peer; /* inode of the socket at the other end, */
	bool is_tcp, is_queued; /* or of the listener that has yet to accept it */
	bool is_lock; /* a System V semaphore that is given back at the end of its process */
	uint64_t address; /* for memory: its address in this process */
};

/* Who will release the lock that a thread waits for, according to Python; see waits_python.c. */
struct snapshot_python {
	bool known;
	bool joins;
	bool asked; /* other threads, too: the thread had stood long enough */
	uint64_t asked_ns;
	uint64_t lock;
	uint32_t owner; /* TID; 0: unknown */
	uint32_t owner_slot; /* of a lock of multiprocessing */
	uint64_t owner_lock; /* its address in that process */
	uint32_t taker; /* TID of the thread that took it by acquire(), by its frames; 0: unknown */
	uint32_t holder; /* TID of the thread that claims the lock, and its run count */
	uint64_t holder_runs;
	uint64_t
		mutex; /* the PyMutex that it is parked for; 0: none. Its owner is the holder then */
};

/* The locks of the `with` blocks that a thread is in, once they were asked for; see waits_python.c. */
#define SNAPSHOT_BLOCKS 6u
struct snapshot_blocks {
	bool known;
	uint32_t count; /* more than SNAPSHOT_BLOCKS: not all are here */
	uint64_t lock[SNAPSHOT_BLOCKS];
};

/* Whether it waits in pthread_once or call_once, and for whom, see waits_once.c; or in OpenMP. */
struct snapshot_once {
	uint64_t asked_ns; /* 0: not yet */
	bool is;
	uint32_t runner; /* TID of the thread that runs the initialiser; 0: unknown */
	uint64_t caller; /* return address of the call */
	bool team_asked; /* see openmp.c: */
	uint64_t team; /* where it called what it waits in for others of its team; 0: it does not */
};

/* Run count and times that were read ahead; all 0: none. */
struct snapshot_reading {
	uint64_t runs;
	struct proc_time time;
};

struct snapshot_thread {
	uint32_t slot, pid, tid;
	uint32_t own_tid; /* in its own PID namespace: the TID in records, locks and events */
	uint32_t process; /* index of its process in this snapshot */
	uint32_t entry; /* its index in the ledger + 1; 0: it has none yet */
	const struct mpsan_thread *record; /* its own record; NULL: none (yet) */
	struct mpsan_thread *outside; /* the same, made by outside.h if the library is not there */
	struct proc_call call;
	uint64_t runs; /* from proc_runs; 0: unknown */
	uint64_t seen_ns, seen_runs; /* when it was seen first: runs and time then */
	struct proc_time seen_time;
	struct proc_time time, lately; /* total, and since the previous snapshot */
	uint64_t still_ns; /* time of the first snapshot since which it has not run */
	uint32_t looks; /* number of snapshots in this state */
	struct snapshot_object object;
	struct snapshot_python python;
	struct snapshot_blocks blocks;
	struct snapshot_once once;
	uint64_t harmless_ns; /* its still_ns when it was last asked whether it is a watchdog */
	bool harmless; /* it is one, see look_add_watchdog */
	uint64_t driver_entry; /* the start routine that was looked up for `driver` */
	bool driver; /* it belongs to the CUDA driver, see classify_driver */
	uint64_t task_ns; /* when it was last asked whether it waits for a task's result */
	bool task; /* it does, see waits_task.c */
	uint64_t loop_ns; /* when it was last asked for the fault of its event loop, */
	unsigned loop; /* enum pytasks_fault */
	/*
	 * In the same call, at the same place of its stack, whenever it was looked at, although it
	 * may have run in between: since when, how often it had, and its processor time then.
	 */
	uint64_t same_ns, same_ran_ns;
	uint32_t rounds;
	uint64_t round_ns; /* since when it is in the last of these rounds */
	struct proc_call same;
	uint64_t handled_ns,
		handled; /* its still_ns when it was last asked, and which signals it handles in Python */
	bool nested; /* in handlers of signals, each of which interrupted the wait of the one before */
	/* what it tries to get, without waiting for it, each time that it runs; since when, how often seen */
	struct mpsan_hold tried;
	uint64_t tried_ns;
	uint32_t tries;
	/* since when it has woken up for time limits only, to wait in that call again */
	uint64_t rest_ns, rest_runs;
	struct snapshot_reading reading;
	int runs_fd, call_fd; /* of proc_runs() and proc_call() */
	bool here; /* seen in this snapshot */
};

/* A living process; its threads are contiguous. */
struct snapshot_process {
	uint32_t slot, pid;
	uint32_t begin, end; /* range in threads */
};

struct snapshot_pid {
	uint32_t pid, process;
};

struct snapshot {
	const struct reader *reader;
	uint64_t now_ns;
	uint64_t passed_ns; /* since the previous snapshot; 0: there was none */
	ARRAY(struct snapshot_thread) threads; /* by process, then by TID */
	ARRAY(struct snapshot_process) processes; /* in the order of their start */
	ARRAY(struct snapshot_pid) pids; /* the same processes, by PID */
	ARRAY(struct snapshot_thread) before; /* of the previous snapshot */
	uint32_t fds, fds_max;
	uint64_t *ran_ns; /* by slot: proc_ran_ns() in the previous snapshot; 0: unknown */
	struct outside *outside; /* NULL: the library runs in these processes */
	struct ledger *ledger; /* what others have concluded of the threads */
};

#define SNAPSHOT_NONE UINT32_MAX

void snapshot_init(struct snapshot *snapshot, const struct reader *reader);
void snapshot_finish(struct snapshot *snapshot);

/* Takes a snapshot. Costs about 1 us for a process that has not run, 5 us for each thread that has. */
void snapshot_take(struct snapshot *snapshot, uint64_t now_ns);

/*
 * Whether a thread polls: it has come back to the same call at least three times for two seconds,
 * and hardly used a processor.
 */
bool snapshot_polls(const struct snapshot *snapshot, const struct snapshot_thread *thread);

/*
 * Whether it polls, and asks for one thing between two calls, always in vain, and gives up nothing
 * meanwhile.
 */
bool snapshot_tries(const struct snapshot *snapshot, const struct snapshot_thread *thread);

/*
 * Since when a thread has done nothing but wait, or wait again after a time limit; UINT64_MAX: it
 * makes progress.
 */
uint64_t snapshot_rests(const struct snapshot *snapshot, const struct snapshot_thread *thread);
/* How often it woke up meanwhile. */
uint64_t snapshot_wakes(const struct snapshot_thread *thread);

/*
 * Whether a thread has run, or was woken, since the snapshot: data read meanwhile may not match its
 * wait. False if the kernel does not tell.
 */
bool snapshot_has_moved(const struct snapshot_thread *thread);
/* Whether it stands in a call, now as in the snapshot. */
static inline bool snapshot_stands(const struct snapshot_thread *thread)
{
	return thread->call.state == PROC_IN_CALL && !snapshot_has_moved(thread);
}

/* Index of a thread, by its own TID; SNAPSHOT_NONE: not found. */
uint32_t snapshot_find(const struct snapshot *snapshot, uint32_t slot, uint32_t own_tid);
/* Index of the thread that another one knows by that TID, in any process; SNAPSHOT_NONE: not found. */
uint32_t snapshot_find_tid(const struct snapshot *snapshot, const struct snapshot_thread *by,
			   uint32_t own_tid);
/* Index of a living process; SNAPSHOT_NONE: not found. */
uint32_t snapshot_process(const struct snapshot *snapshot, uint32_t slot);
uint32_t snapshot_process_of_pid(const struct snapshot *snapshot, uint32_t pid);
static inline bool snapshot_has_pid(uint32_t pid, void *snapshot)
{
	return snapshot_process_of_pid(snapshot, pid) != SNAPSHOT_NONE;
}

/* What its record claims, as in threads.h. */
static inline struct mpsan_hold snapshot_wanted(const struct snapshot_thread *thread)
{
	return threads_record_wanted(thread->record);
}

static inline bool snapshot_holds(const struct snapshot_thread *thread, uint64_t lock,
				  struct mpsan_hold *hold)
{
	return threads_record_holds(thread->record, lock, hold);
}
