/*
 * Everybody who is there: the threads of all living processes of a session, what each is doing, and
 * since when it has not moved. Taken again and again while a program runs; a thread that did not
 * get a processor between two looks stands exactly as it stood. Neighbours: proc.h asks the kernel,
 * waits.h says what a thread waits for.
 */
#ifndef MPSAN_SNAPSHOT_H
#define MPSAN_SNAPSHOT_H

#include "../proc/proc.h"
#include "../reader/reader.h"

/* What a thread waits at, where the kernel had to be asked; kept while it stands still. */
struct snapshot_object {
	bool known;
	bool is_shared; /* a pipe without a name, or memory that other processes may map */
	bool in_libc; /* memory of the C library or the loader */
	uint64_t device, inode;
	uint64_t address; /* of memory: where this process has it */
};

struct snapshot_thread {
	uint32_t slot, pid, tid;
	uint32_t process; /* index of its process in this look */
	const struct mpsan_thread *record; /* its own record, NULL: it has none (yet) */
	struct proc_call call;
	uint64_t runs; /* as proc_runs says; 0: not known */
	struct proc_time time, lately; /* in all, and since the last look */
	uint64_t still_ns; /* time of the first look since which it has not run */
	uint32_t looks; /* at which it stood like this */
	struct snapshot_object object;
	bool told; /* part of a deadlock that was stated, or explained by an event of its own */
	bool doubted; /* told without a proof, which may still come */
	bool idle; /* part of a dead end that was meant, see idle.h */
	int fd; /* of proc_runs */
	bool here; /* seen in this look */
};

/* One living process: its threads lie side by side. */
struct snapshot_process {
	uint32_t slot, pid;
	uint32_t begin, end; /* into threads */
};

struct snapshot {
	const struct reader *reader;
	uint64_t now_ns;
	uint64_t passed_ns; /* since the look before this one, 0: there was none */
	ARRAY(struct snapshot_thread) threads; /* by process, then by TID */
	ARRAY(struct snapshot_process) processes; /* in the order of their births */
	ARRAY(struct snapshot_thread) before; /* of the last look, to be taken over */
	uint32_t fds, fds_max;
};

#define SNAPSHOT_NONE UINT32_MAX

void snapshot_init(struct snapshot *snapshot, const struct reader *reader);
void snapshot_finish(struct snapshot *snapshot);

/* Looks at everybody. Costs about 2 us for a thread that has not moved, 20 for one that has. */
void snapshot_take(struct snapshot *snapshot, uint64_t now_ns);

/*
 * Whether a thread has run, or was woken, since its look: what was learned of others meanwhile is not what it
 * waits for any more. False where the kernel does not tell.
 */
bool snapshot_has_moved(const struct snapshot_thread *thread);

/* Index of a thread, SNAPSHOT_NONE: not there. */
uint32_t snapshot_find(const struct snapshot *snapshot, uint32_t slot, uint32_t tid);
/* The same in any process of the session. */
uint32_t snapshot_find_tid(const struct snapshot *snapshot, uint32_t tid);
/* Index of a living process, SNAPSHOT_NONE. */
uint32_t snapshot_process(const struct snapshot *snapshot, uint32_t slot);
uint32_t snapshot_process_of_pid(const struct snapshot *snapshot, uint32_t pid);

/* The record of a thread, also of one that is gone; NULL: it left none, or another has its place. */
const struct mpsan_thread *snapshot_record(const struct reader *reader, uint32_t slot,
					   uint32_t tid);
/* The same for a claim in such a record. */
bool snapshot_record_holds(const struct mpsan_thread *record, uint64_t lock,
			   struct mpsan_hold *hold);

/* The claim that is a wait: the newest, if it is one. 0: none. */
struct mpsan_hold snapshot_wanted(const struct snapshot_thread *thread);
/* Whether the thread claims to hold a lock; its claim in `hold`. */
bool snapshot_holds(const struct snapshot_thread *thread, uint64_t lock, struct mpsan_hold *hold);

#endif
