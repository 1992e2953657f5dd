/*
 * The log: what the library leaves behind, and all that the command reads.
 *
 * A session is a private directory (mode 0700). It holds one file `session` (struct mpsan_session
 * and its process table), one file `SLOT.log` for each process that had something to say (struct
 * mpsan_log, then records), and a file `exports` where device memory is shared. Every file is allocated before it is mapped (fallocate, never sparse),
 * so that a store into it cannot raise SIGBUS; every byte written survives the death of the writer.
 *
 * Glossary
 *   slot      number of a process in the session's table: its identity, never reused
 *   position  byte offset of a record in a log file; 0 means "none"
 *   unit      64 bytes: records begin and end on units
 *   claim     an entry in a thread's list of held locks; it becomes a fact when memory confirms it
 *
 * All integers are native-endian, all times are CLOCK_MONOTONIC in nanoseconds, as it is outside of time
 * namespaces, unless said otherwise. Raise MPSAN_FORMAT when a reader of the old layout would misread the new one, and keep
 * a log of the old format in tests/golden.
 */
#ifndef MPSAN_LOG_H
#define MPSAN_LOG_H

#include <stdint.h>

#define MPSAN_FORMAT 1u
/* of the file `session`: its table grows; that of format 1 does not */
#define MPSAN_SESSION_FORMAT 2u
#define MPSAN_SESSION_MAGIC 0x534553534e50534dull /* "MSPNSSES" */
#define MPSAN_LOG_MAGIC 0x474f4c5f4e53504dull /* "MPSN_LOG" */
#define MPSAN_RECORD_MAGIC 0x6d70u

#define MPSAN_UNIT 64u
#define MPSAN_CHUNK \
	(256u << 10) /* a log grows by this many bytes; no record straddles two chunks */
#define MPSAN_PAGE 4096u

/*
 * How a process, or its present image, came to be. An exec in place takes a new slot for the same
 * pid.
 */
enum mpsan_how {
	MPSAN_HOW_ROOT, /* first of its session, or its parent is not watched */
	MPSAN_HOW_FORK,
	MPSAN_HOW__FORK, /* _Fork: runs no atfork handlers */
	MPSAN_HOW_VFORK,
	MPSAN_HOW_CLONE,
	MPSAN_HOW_SYSCALL, /* syscall(SYS_fork/clone/clone3/vfork) */
	MPSAN_HOW_POSIX_SPAWN,
	MPSAN_HOW_SYSTEM,
	MPSAN_HOW_POPEN,
	MPSAN_HOW_DAEMON,
	MPSAN_HOW_FORKPTY,
	MPSAN_HOW_EXEC, /* seen first after an exec whose parent said nothing of it */
};

/* What is known of the end of a process. */
enum mpsan_end {
	MPSAN_END_NONE, /* not ended, or ended unseen: look at /proc */
	MPSAN_END_EXIT, /* end_value is the exit code, or -1 when only the exit itself was seen */
	MPSAN_END_SIGNAL, /* end_value is the signal */
};

enum mpsan_process_flags {
	MPSAN_PROCESS_ATTACHED = 1, /* the library runs in its present image */
	MPSAN_PROCESS_EXEC = 2, /* it asked for an exec since birth */
	MPSAN_PROCESS_OFF = 4, /* the library switched itself off in it; `why_off` says why */
	MPSAN_PROCESS_LOG = 8, /* SLOT.log exists */
	MPSAN_PROCESS_MULTI = 16, /* it had more than one thread at some time */
	MPSAN_PROCESS_REPLACED =
		32, /* its exec came to pass: the next image has a slot of its own */
	MPSAN_PROCESS_ALARM = 128, /* an alarm runs: its end, or a handler, may be near */
	MPSAN_PROCESS_NO_BOOKS = 64, /* no log of its own could be made: nobody sees its claims */
	MPSAN_PROCESS_WAITED =
		256, /* its end was told by a wait call, not by itself: it was earlier */
	MPSAN_PROCESS_SESSION = 512, /* it called setsid or daemon: it means to live on by itself */
	MPSAN_PROCESS_DEATHSIG = 1024, /* PR_SET_PDEATHSIG: it ends with its parent */
	MPSAN_PROCESS_TORCH = 2048, /* libtorch was loaded, seen at a rare event */
	MPSAN_PROCESS_REAPED = 4096, /* its parent has asked for its end and was told */
	MPSAN_PROCESS_READLINE =
		8192, /* its handler of SIGWINCH is readline's, which ends no wait */
	MPSAN_PROCESS_SENDS = 16384, /* it sent a message with control data: perhaps descriptors */
};

enum mpsan_off {
	MPSAN_OFF_NOT,
	MPSAN_OFF_RESOLVE, /* a next definition was not found */
	MPSAN_OFF_NO_LOG, /* no log file could be made */
	MPSAN_OFF_TABLE_FULL, /* the session's process table is full */
	MPSAN_OFF_CONFUSED, /* an inner check failed */
	MPSAN_OFF_SECCOMP, /* system calls are filtered: none of ours may be the end of it */
	/*
	 * Seen by who asked for the exec, and true where nothing was heard of the new image (without
	 * MPSAN_PROCESS_OFF).
	 */
	MPSAN_OFF_ENVIRONMENT, /* it got an environment without LD_PRELOAD */
	MPSAN_OFF_PRELOAD, /* its LD_PRELOAD names other libraries only */
	MPSAN_OFF_SESSION, /* it got LD_PRELOAD, but no MPSAN_DIR */
	MPSAN_OFF_LIBRARY, /* the library's path leads nowhere from where it is */
	MPSAN_OFF_DIRECTORY, /* that of the session does */
	MPSAN_OFF_USER, /* another user's than the session */
	MPSAN_OFF_STATIC,
	MPSAN_OFF_MACHINE, /* built for another machine, or word size */
	MPSAN_OFF_MUSL,
	MPSAN_OFF_SETUID, /* it runs with the rights of its file's owner or group */
	MPSAN_OFF_CAPABILITIES, /* its file has capabilities */
	MPSAN_OFF_FAILED, /* there was no such program */
	/* As MPSAN_OFF_NO_LOG, since December 2026: why there is no log. */
	MPSAN_OFF_LOG_SIZE, /* RLIMIT_FSIZE */
	MPSAN_OFF_LOG_SPACE, /* a full disk, a quota */
	MPSAN_OFF_LOG_FILES, /* no descriptor was left */
	MPSAN_OFF_LOG_MEMORY, /* no memory to map it */
	MPSAN_OFF_LOG_PLACE, /* its file system cannot reserve space */
};

#define MPSAN_ARGV_BYTES 148 /* up to November 2026 */
#define MPSAN_ARGV_KEPT 136 /* since then */
#define MPSAN_FED 64 /* descriptors */
#define MPSAN_SLOTS_FIRST 16u /* two pages of a file in all */
#define MPSAN_SLOTS_MAX 32768u

/*
 * One process. Written by the process itself; `how`, `end` and `end_value` also by its parent. 256
 * bytes.
 */
struct mpsan_process {
	uint32_t pid; /* 0: slot free. Claimed by compare-and-swap, never freed */
	uint32_t parent; /* slot of the parent + 1; 0: not watched */
	uint32_t parent_pid;
	uint16_t how; /* enum mpsan_how */
	uint16_t flags; /* enum mpsan_process_flags */
	uint64_t birth_ns; /* not before the kernel's start time of the process */
	uint64_t exec_ns; /* last exec asked for; 0: none */
	uint64_t attach_ns; /* when the library was set up in the present image */
	uint64_t end_ns; /* 0: alive, or died without a word */
	uint64_t
		fork_pos; /* position in the parent's log of the fork event it came from; 0: none */
	uint64_t pid_ns; /* inode of its pid namespace */
	int32_t end_value;
	uint16_t end; /* enum mpsan_end */
	uint16_t why_off; /* enum mpsan_off */
	uint32_t uid;
	uint32_t python; /* Py_Version as hex (0x030b02f0), 0: no Python */
	uint16_t execs; /* exec calls asked for */
	uint16_t spawning; /* enum mpsan_how: its last spawn-like call */
	uint32_t argv_bytes; /* bytes of argv below */
	char exec_path[16]; /* tail of the last exec's path, NUL-terminated when shorter */
	union {
		char argv[MPSAN_ARGV_BYTES]; /* NUL-separated, cut off when longer */
		struct {
			char argv_kept[MPSAN_ARGV_KEPT];
			/* while it runs: descriptors below 64 from which data came */
			uint32_t fed[2];
		};
	};
	uint32_t rank; /* of a job, + 1; ask mpsan_process_rank() */
};

/* 0: none. Before there were ranks, longer arguments went on where it is: those say a larger number of bytes. */
static inline uint32_t mpsan_process_rank(const struct mpsan_process *process)
{
	return process->argv_bytes <= MPSAN_ARGV_BYTES ? process->rank : 0;
}

enum mpsan_clock {
	MPSAN_CLOCK_MEASURED = 1, /* ahead_ns and ahead_error_ns are known */
	MPSAN_CLOCK_SYNCED = 2, /* the kernel is told that its clock is kept in step */
	MPSAN_CLOCK_LOOSE = 4, /* it is told that it is not; neither flag: it was not asked */
};

/* Where a session was made and by which process of a job. All zero in sessions of before November 2026. */
struct mpsan_host {
	char name[64]; /* each text NUL-terminated, cut off when longer, empty when not known */
	char boot[40]; /* /proc/sys/kernel/random/boot_id: who has the same has the same clock */
	char launcher[16]; /* a row of mpsan_ranks.def */
	char job[64];
	uint32_t rank, world, local; /* each + 1; 0: not known */
	uint32_t clock; /* enum mpsan_clock */
	int64_t ahead_ns; /* by which CLOCK_REALTIME is ahead of the clock that stamps files here */
	uint64_t ahead_error_ns; /* by how much that may be wrong */
	uint64_t filesystem; /* statfs.f_type: whether that clock is a server's */
	uint64_t max_error_ns; /* of a clock kept in step, as the kernel was told */
};

/* First page of the file `session`; the table of `slots` processes follows at MPSAN_PAGE. */
struct mpsan_session {
	uint64_t magic;
	uint32_t format; /* MPSAN_SESSION_FORMAT or less */
	uint32_t slots; /* there now: it only grows, after their blocks were allocated */
	uint64_t start_ns;
	uint64_t start_real_ns; /* CLOCK_REALTIME at start_ns: turns times into wall clock */
	uint32_t uid;
	uint32_t supervisor; /* pid of the command that follows this session live; 0: none */
	uint64_t unrecorded; /* processes that found no free slot */
	uint64_t off; /* set by the command: the library passes everything through from now on */
	char options[1024]; /* MPSAN_OPTIONS of the session, NUL-terminated */
	uint64_t end_ns; /* when the command stopped following it; 0: not yet */
	uint64_t claimed; /* slots claimed so far; 0 in sessions of before November 2026 */
	struct mpsan_host host;
	/* From here on: 0 in sessions of format 1. */
	uint32_t slots_first; /* of its first part: each further one doubles the table */
	uint32_t slots_max; /* number of the supervisor's own log; where it is 0, `slots` is */
	uint64_t pid_ns; /* of who made it */
	/* processes that could make no log; 0 in sessions of before December 2026 */
	uint64_t unlogged;
};

/* First page of SLOT.log; one page of thread index follows, records begin at MPSAN_LOG_START. */
struct mpsan_log {
	uint64_t magic;
	uint32_t format;
	uint32_t slot;
	uint32_t pid;
	uint32_t chunk; /* MPSAN_CHUNK */
	uint64_t cap; /* bytes the file may grow to */
	uint64_t birth_ns;
	uint64_t head; /* bytes reserved, from the start of the file */
	/* What could not be kept, counted: the report's `limits`. */
	uint64_t dropped; /* records that found no room */
	uint64_t holds_lost; /* locks taken while the thread's list was full */
	uint64_t threads_lost; /* threads that found no record */
	uint64_t stacks_cut; /* stacks longer than MPSAN_STACK_BYTES */
	uint64_t forks_blind; /* forks without a snapshot: too many at the same time */
	uint64_t claims_unread; /* claims that memory could neither confirm nor refute */
	uint64_t modules_skipped; /* times the module list was changing and was not read */
	uint64_t orphans_lost; /* locks held at a fork that found no room in its list */
	/* From here on: zero in logs of before December 2026. */
	char directory[512]; /* in which the image began; "": longer, or not known */
};

#define MPSAN_THREADS 1024u /* threads with a record at a time */
#define MPSAN_LOG_START (2 * MPSAN_PAGE)
#define MPSAN_THREAD_INDEX MPSAN_PAGE /* uint32_t[MPSAN_THREADS]: position / MPSAN_UNIT, 0: free */

/*
 * A record: this header, then `units * MPSAN_UNIT - sizeof(header)` bytes of payload. `commit` is
 * stored last (release): 0 means reserved but never finished. Bits 16..31 hold MPSAN_RECORD_MAGIC,
 * bits 0..15 a sum over the payload, so that garbage is told from records.
 */
struct mpsan_record {
	uint32_t commit;
	uint16_t type; /* enum mpsan_event_type */
	uint16_t units;
	uint32_t tid;
	uint32_t slot; /* who wrote it: a child that can make no log uses its parent's */
	uint64_t time_ns;
	uint64_t later; /* the one word that may change after the commit; see enum mpsan_later */
};

/* mpsan_record.later of a `held` event, set by the forked child. */
enum mpsan_later {
	MPSAN_LATER_REPAIRED =
		1, /* the child's atfork handlers released or re-initialised that lock */
};

/*
 * mpsan_record.later of an event that was stated before its call, because others may act on what that does: the
 * call failed, and the event means nothing. Without it the call succeeded, is under way, or was its process's last:
 * it may have happened.
 */
#define MPSAN_LATER_FAILED (1ull << 60)

/*
 * mpsan_record.later of a `shm` event: the size that its process gave the segment, and what it did
 * with it. That of a `shm_map` event is the time of its end, 0: still mapped.
 */
#define MPSAN_LATER_BYTES(later) ((later) & ((1ull << 48) - 1))
#define MPSAN_LATER_UNLINKED (1ull << 63) /* the name was removed by this process */
#define MPSAN_LATER_SENT (1ull << 62) /* its descriptor was sent at least once */

/* Folds a payload of whole 8-byte words into 16 bits. */
static inline uint16_t mpsan_record_sum(const uint64_t *word, uint64_t words)
{
	uint64_t sum = words;

	for (uint64_t i = 0; i < words; i++)
		sum = (sum ^ word[i]) * 0x9e3779b97f4a7c15ull;
	return (uint16_t)(sum >> 48);
}

/* Kinds of locks. */
enum mpsan_lock_kind {
	MPSAN_LOCK_NONE,
	MPSAN_LOCK_MUTEX,
	MPSAN_LOCK_RWLOCK_READ,
	MPSAN_LOCK_RWLOCK_WRITE,
	MPSAN_LOCK_SPIN,
	MPSAN_LOCK_SEMAPHORE,
	MPSAN_LOCK_CUSTOM, /* mpsan_lock_acquired() */
	MPSAN_WAIT_COND, /* waits only, never held */
	MPSAN_WAIT_BARRIER,
	MPSAN_WAIT_JOIN, /* the address is the pthread_t of the thread that is to end */
	MPSAN_LOCK_LIBC, /* inside a libc function with a lock of its own (shim/hooks/libc.c) */
	MPSAN_LOCK_IMPORT, /* of a Python module under import: the address is a hash of its name */
	MPSAN_LOCK_GUARD, /* of a C++ static under construction: its guard variable */
	MPSAN_WAIT_FUTEX, /* a bare futex word */
	MPSAN_WAIT_GIL, /* Python's global interpreter lock: its condition variable */
	MPSAN_WAIT_POOL, /* an OpenMP region that needs the threads of a pool */
	/* Seen by the supervisor only. The address is a pid or the inode of a pipe. */
	MPSAN_WAIT_PROCESS,
	MPSAN_WAIT_PIPE_READ,
	MPSAN_WAIT_PIPE_WRITE,
	MPSAN_WAIT_SYSCALL,
	MPSAN_KIND_COUNT
};

/* Whether a claim of this kind is a hold that a forked child may miss, not a mere wait. */
static inline int mpsan_kind_is_lock(unsigned kind)
{
	return (kind >= MPSAN_LOCK_MUTEX && kind <= MPSAN_LOCK_CUSTOM) ||
	       (kind >= MPSAN_LOCK_LIBC && kind <= MPSAN_LOCK_GUARD);
}

/* Properties of a lock or of one hold of it, as far as they were seen. */
enum mpsan_lock_flags {
	MPSAN_LF_SHARED = 1, /* process-shared */
	MPSAN_LF_ROBUST = 2,
	MPSAN_LF_RECURSIVE = 4,
	MPSAN_LF_ERRORCHECK = 8,
	MPSAN_LF_VERIFIED = 16, /* memory confirmed it: the owner's TID, or a locked word */
	MPSAN_LF_MUTUAL =
		32, /* semaphore: given back by its taker before now, so it serves as a lock */
	MPSAN_LF_HANDOFF = 64, /* semaphore: given back by another thread, so it is a signal */
	MPSAN_LF_PI = 128,
	MPSAN_LF_TIMED = 256, /* a wait with a time limit */
	MPSAN_LF_STATIC = 512, /* the lock lies in the image of a module */
	MPSAN_LF_PYTHON = 1024, /* taken by the interpreter */
	MPSAN_LF_WANTED = 2048, /* waited for when seen, not held */
	MPSAN_LF_SIGNALS = 4096, /* a wait that a signal handler of this process could end */
	MPSAN_LF_HANDLER = 8192, /* a wait inside an atfork handler: fork has not returned */
	MPSAN_LF_OWNER_DEAD = 16384, /* the owner's thread or process is gone */
	MPSAN_LF_CYCLE = 32768, /* this wait lies on a cycle of owners */
	MPSAN_LF_PARKED = 131072, /* of a job that seems to wait for its end by a signal */
	MPSAN_LF_HOLDS_GIL = 65536, /* the waiting thread holds Python's global interpreter lock */
};

/*
 * One claim: 16 bytes. The tag is the address (48 bits), the kind (7 bits at 48) and, for the
 * supervisor, what is known of a wait: that it is one, has a time limit, holds the GIL, and what
 * was learned of a semaphore.
 */
struct mpsan_hold {
	uint64_t tag;
	uint64_t caller; /* return address of the call that took it */
};

#define MPSAN_TAG_WANTED (1ull << 63)
#define MPSAN_TAG_TIMED (1ull << 62)
#define MPSAN_TAG_GIL (1ull << 61)
#define MPSAN_TAG_MUTUAL (1ull << 60) /* as MPSAN_LF_MUTUAL */
#define MPSAN_TAG_HANDOFF (1ull << 59)
#define MPSAN_TAG(address, kind) ((uint64_t)(uintptr_t)(address) | (uint64_t)(kind) << 48)
#define MPSAN_TAG_ADDRESS(tag) ((tag)&0xffffffffffffull)
#define MPSAN_TAG_KIND(tag) ((unsigned)((tag) >> 48 & 0x7f))

#define MPSAN_HOLDS 56u

/* One thread: the payload of a `thread` record. Written by the thread alone, read by anybody. */
struct mpsan_thread {
	uint32_t tid; /* 0: the record is free */
	uint32_t holds_used; /* claims in use, at most MPSAN_HOLDS; it changes under you */
	uint64_t pthread; /* pthread_self(); 0 until known */
	uint64_t entry; /* start routine; 0: main thread or unknown */
	uint64_t creator_caller; /* return address of the pthread_create call */
	uint64_t start_ns;
	uint32_t creator; /* TID */
	uint32_t waits; /* waits that were logged */
	uint64_t name_pos; /* position of a `text` record with its name, 0: none */
	uint64_t snap_key; /* what it held when its stack was last taken at a fork */
	uint64_t snap_ns; /* when that was */
	uint64_t snap_stack; /* positions of that stack and those Python frames */
	uint64_t snap_python;
	uint64_t role; /* enum mpsan_thread_role, learned from its outermost Python frames */
	struct mpsan_hold hold[MPSAN_HOLDS];
	/* From here on: not in records of before November 2026, which are two units shorter. */
	uint64_t pool; /* base of the libgomp whose pool this thread has used, 0: none */
	uint64_t pool_team; /* threads of its largest region */
	uint64_t pool_caller; /* return address of that region's start */
	uint64_t loading; /* position of a `text` record: the path of the dlopen under way */
	uint64_t pool_held; /* position of a `held` event: where that pool was used first */
	uint64_t pool_slot; /* slot + 1 of the process that used it, in whose log that event is */
	uint64_t loading_frame; /* where that call's return address stands, and what it is */
	uint64_t loading_back;
	uint64_t
		/* position of the `wait` event of the call under way, 0: none was stated */
		waiting;
	uint64_t
		/* since when it waits for its newest claim, 0: it does not, or not known */
		wait_ns;
	uint64_t ended; /* its start_ns once a fork found it at its end: no successor's */
	uint64_t name_ns; /* when its name was last looked up */
	uint64_t python_state; /* its PyThreadState, where another thread saw it last */
	uint64_t buried; /* its start_ns once the kernel did not list it any more */
	uint64_t spare[2];
};

/* Where in the thread index the search for a TID begins; it goes on upwards, to the first free place. */
static inline uint32_t mpsan_thread_place(uint32_t tid)
{
	return (uint32_t)((uint64_t)(tid * 2654435761u) * MPSAN_THREADS >> 32);
}

enum mpsan_thread_role {
	MPSAN_ROLE_UNKNOWN,
	MPSAN_ROLE_OTHER,
	MPSAN_ROLE_QUEUE_FEEDER, /* multiprocessing.Queue's own thread */
};

#define MPSAN_STACK_BYTES (48u << 10) /* of raw stack in one snapshot */
#define MPSAN_STACK_REGS 17 /* DWARF numbering: on x86-64 0..15 general, 16 the program counter */

/*
 * Head of a `stack` record's payload: a thread as it stood; raw stack from regs[sp] upwards
 * follows.
 */
struct mpsan_stack {
	uint64_t hash; /* over the code addresses found in it: equal stacks are written once */
	uint64_t bytes; /* of raw stack behind this head */
	uint64_t valid; /* bit n: regs[n] is known */
	uint64_t regs[MPSAN_STACK_REGS];
};

/*
 * The file `exports`: device memory that other processes of the session may open. Its first page is
 * struct mpsan_exports; a table of ranges (shim/common/ranges.h) over struct mpsan_export_place follows.
 */
#define MPSAN_EXPORTS_MAGIC 0x545250584e53504dull /* "MPSNXPRT" */
#define MPSAN_EXPORT_NAME 32

/* Why memory that was to be exported was not (mpsan_exports.refused). */
enum mpsan_export_refusal {
	MPSAN_REFUSED_MEMORY, /* this kind has no handles */
	MPSAN_REFUSED_DRIVER, /* the driver made none */
	MPSAN_REFUSED_DESCRIPTOR, /* no descriptor, or no place to remember it */
	MPSAN_REFUSED_FULL, /* the table has no room */
	MPSAN_REFUSED_COUNT
};

struct mpsan_exports {
	uint64_t magic;
	uint32_t format;
	uint32_t place_bytes;
	uint64_t places;
	uint64_t refused[8]; /* by enum mpsan_export_refusal */
	uint64_t reclaimed; /* entries of processes that died without taking them back */
};

/* struct mpsan_export_place.owner of what is not an export, beside its slot. */
#define MPSAN_EXPORT_IMPORT 0x80000000u /* of the process that has it open: start is the handle */
#define MPSAN_EXPORT_NAMED UINT32_MAX /* a name: start is a hash of it */

enum mpsan_export_flags {
	MPSAN_EXPORT_AUTO = 1, /* the library made the handle */
	MPSAN_EXPORT_OPENED = 2, /* some process has opened it */
};

/*
 * One export, or one process's mapping of one, or the name of one. Written by its owner but for the
 * flag OPENED.
 */
struct mpsan_export_place {
	/* As struct range begins. */
	uint32_t state;
	uint32_t owner; /* slot */
	uint64_t start;
	uint64_t bytes;

	uint32_t memory; /* enum mpsan_memory */
	int32_t device; /* ordinal in the owner */
	uint64_t gpu; /* as in ev_ipc_export */
	uint64_t handle; /* the same */
	uint8_t handle_bytes[64];
	int32_t fd; /* descriptor of the owner that is the handle, or the pool's; -1: none */
	uint32_t flags; /* enum mpsan_export_flags */
	uint64_t born_ns;
	uint64_t stack, python; /* positions in the owner's log */
	uint64_t name_hash; /* 0: it has no name */
	/* Of an import and a name: the export that it is of. Of a pool's piece: which pool of its owner. */
	uint64_t of_start;
	uint32_t of_slot;
	uint32_t count; /* opens of this import that were not closed */
	uint64_t mapped, bytes_mapped; /* where the importer has it */
	uint64_t caller;
	char name[MPSAN_EXPORT_NAME]; /* of a name */
};

_Static_assert(sizeof(struct mpsan_process) == 256, "a slot is 256 bytes");
_Static_assert(sizeof(struct mpsan_record) == 32, "a record's header is 32 bytes");
_Static_assert(sizeof(struct mpsan_hold) == 16, "a claim is 16 bytes");
_Static_assert(sizeof(struct mpsan_thread) + sizeof(struct mpsan_record) == 1152,
	       "a thread is 18 units");
_Static_assert(sizeof(struct mpsan_session) <= MPSAN_PAGE, "the session's head fits its page");
_Static_assert(sizeof(struct mpsan_log) <= MPSAN_PAGE, "a log's head fits its page");
_Static_assert(sizeof(struct mpsan_export_place) == 224, "a place is 28 words");

#endif
