/*
 * Workers and their parents: which processes a program made to share its work, who made them, and who was
 * left behind by whom. Neighbours: roles.h knows the processes of Python and PyTorch, facts.h.
 */
#ifndef MPSAN_PROCESSES_H
#define MPSAN_PROCESSES_H

#include "roles.h"
#include "facts.h"

/* How long a child must outlive its parent before it was left behind: one that ended by its own doing, or was ended. */
#define PROCESS_LEFT_NS 500000000ull
#define PROCESS_STRUCK_NS 2000000000ull

/*
 * A copy of another process that did not become another program, or a child of multiprocessing's
 * start methods; not what comes with them, and no part of a shell.
 */
bool process_is_worker(const struct facts *facts, uint32_t slot);

/* The same of a process that runs Python, or ran it when it was copied. */
bool process_is_python_worker(const struct facts *facts, uint32_t slot);

/* The slot with which this process began: each exec takes a further one. */
uint32_t process_born_as(const struct facts *facts, uint32_t slot);

/*
 * Who made a process, in its present image; of a fork server's child, who uses that server. FACT_NONE: not
 * watched.
 */
uint32_t process_parent(const struct facts *facts, uint32_t slot);

/* Whether the process, or one between it and `parent`, means to live on by itself. */
bool process_is_apart(const struct facts *facts, uint32_t slot);

/* A process that leaves others running on purpose: the first half of a double fork. */
bool process_leaves_on_purpose(const struct facts *facts, uint32_t slot);

/* Whether a process was ended by a signal, or without a word. */
bool process_was_killed(const struct facts *facts, uint32_t slot);

/*
 * Whether somebody else ended a process, by a signal that asks for an end: whoever started the job, a time
 * limit, the kernel for want of memory. Not a crash, nor a signal that it sent to itself.
 */
bool process_was_struck(const struct facts *facts, uint32_t slot);

/*
 * Whether another process of the job, or its supervisor, ended it: it sent the very signal that did, or one that
 * asks for an end.
 */
bool process_was_ended_by_another(const struct facts *facts, uint32_t slot);

/* Whether it ended by a signal that it sent to itself. */
bool process_ended_itself(const struct facts *facts, uint32_t slot);

/* A worker that lives so long after its parent's end, and is not known to mean it. */
bool process_is_left_behind(const struct facts *facts, uint32_t slot);

/* One that lives on after `parent` was killed, and will not end with it by itself. */
bool process_is_orphan_of(const struct facts *facts, uint32_t slot, uint32_t parent);

/* When that will be known of a living one: 0 when it has no dead parent, or means it. */
uint64_t process_left_ns(const struct facts *facts, uint32_t slot);

/*
 * The act that says what Python calls the process and what it is to do: the newest of its own, else its
 * maker's; FACT_NONE.
 */
uint32_t process_named(const struct facts *facts, uint32_t slot);
/* Whether it is a worker of PyTorch's DataLoader, which may be left with batches that nobody wants. */
bool process_loads_data(const struct facts *facts, uint32_t slot);

/* The fork that made a process; FACT_NONE. */
uint32_t process_fork(const struct facts *facts, uint32_t slot);

#endif
