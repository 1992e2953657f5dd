/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The format of sessions and logs, which the library writes and the command reads.
 *
 * A session is a private directory (mode 0700). It holds the file `session` (struct mpsan_session
 * and its table of processes), one file `SLOT.log` for each process that recorded anything (struct
 * mpsan_log, then records), and the file `exports` if device memory is shared. Every file is
 * allocated before it is mapped (fallocate, never sparse), so that a store into it cannot raise
 * SIGBUS. Every byte that was stored survives the writer's death.
 *
 * slot      number of a process in the session's table: its identity, never reused
 * position  byte offset of a record in a log file; 0 means "none"
 * unit      64 bytes: records begin and end on units
 * claim     entry in a thread's list of held locks; a hold is proven only by the lock's memory
 * (shim/README.md has the full glossary.)
 *
 * All integers are native-endian. All times are CLOCK_MONOTONIC of the initial time namespace, in
 * nanoseconds, unless stated otherwise. Raise MPSAN_FORMAT when a reader of the old layout would
 * misread the new one, and keep a log of the old format in tests/golden.
 */
#ifndef MPSAN_LOG_H
#define MPSAN_LOG_H

#include <stdint.h>

#define MPSAN_FORMAT 1u
/* Of the file `session`. The table of format 1 does not grow; in that of format 2, slots lie where a hash of the PID says. */
#define MPSAN_SESSION_FORMAT 3u
#define MPSAN_SESSION_MAGIC 0x534553534e50534dull /* "MSPNSSES" */
#define MPSAN_LOG_MAGIC 0x474f4c5f4e53504dull /* "MPSN_LOG" */
#define MPSAN_RECORD_MAGIC 0x6d70u

#define MPSAN_UNIT 64u
#define MPSAN_CHUNK (256u << 10) /* by which a log grows; no record straddles two chunks */
#define MPSAN_PAGE 4096u
#define MPSAN_DIRECTORY_MAX 231u /* characters of a session's path that the library can take */
#define MPSAN_LOGS_MAX (8ull << 30) /* of a session, unless log-total says otherwise */
/* Generations that a chain of parents is followed: a damaged table may have a circle. */
#define MPSAN_ANCESTORS 64u

/* The enums of mpsan_enums.def: enum mpsan_how, enum mpsan_lock_kind, ... */
#define ENUM(name)        \
	enum mpsan_##name \
	{
#define BITS(name) ENUM(name)
#define VALUE(constant, number, text, meaning) constant = (number),
#define COUNT(constant) constant,
#define END(name) \
	}         \
	;
#include "mpsan_enums.def"
#undef ENUM
#undef BITS
#undef VALUE
#undef COUNT
#undef END

/* How a process ended, as far as it is known. */
enum mpsan_end {
	MPSAN_END_NONE, /* alive, or ended unseen: ask /proc */
	MPSAN_END_EXIT, /* end_value is the exit code, or -1 if only the call of exit was seen */
	MPSAN_END_SIGNAL, /* end_value is the signal */
};

enum mpsan_process_flags {
	MPSAN_PROCESS_ATTACHED = 1, /* the library runs in its current image */
	MPSAN_PROCESS_EXEC = 2, /* it has called exec since its birth */
	MPSAN_PROCESS_OFF = 4, /* the library switched itself off in it; `why_off` says why */
	MPSAN_PROCESS_LOG = 8, /* SLOT.log exists */
	MPSAN_PROCESS_MULTI = 16, /* it was multithreaded at some time */
	MPSAN_PROCESS_REPLACED = 32, /* its exec succeeded: the next image has a slot of its own */
	MPSAN_PROCESS_ALARM = 128, /* an alarm is set, which may end it or run a handler */
	MPSAN_PROCESS_NO_BOOKS = 64, /* it could not create a log: its claims are not visible */
	MPSAN_PROCESS_WAITED = 256, /* a wait call reported its end, so it ended earlier */
	MPSAN_PROCESS_SESSION = 512, /* it called setsid or daemon: it may outlive its parent */
	MPSAN_PROCESS_DEATHSIG = 1024, /* it set PR_SET_PDEATHSIG: it ends with its parent */
	MPSAN_PROCESS_TORCH = 2048, /* libtorch was loaded when an infrequent event was recorded */
	MPSAN_PROCESS_REAPED = 4096, /* its parent waited for it and got its status */
	MPSAN_PROCESS_READLINE = 8192, /* SIGWINCH has readline's handler, which ends no wait */
	MPSAN_PROCESS_SENDS = 16384, /* it sent control data, which may carry descriptors */
	MPSAN_PROCESS_OBSERVED = 32768, /* the supervisor filled in its end */
};

/* More of them. */
enum mpsan_process_marks {
	MPSAN_MARK_CALLS_BACK = 1, /* the CUDA driver's threads may run functions of the program */
	MPSAN_MARK_LEAVES = 2, /* it closed a descriptor while its interpreter was shut down */
	MPSAN_MARK_IGNORES_CHLD = 4, /* SIGCHLD: the kernel reaps its children */
	MPSAN_MARK_IGNORES_HUP = 8, /* SIGHUP, as nohup does */
	MPSAN_MARK_IGNORES_INT = 16, /* SIGINT, as a job does that a script starts with & */
	MPSAN_MARK_IGNORES = 28, /* any of these */
};

#define MPSAN_ARGV_BYTES 148 /* up to November 2026 */
#define MPSAN_ARGV_KEPT 128 /* since then */
#define MPSAN_FED 64 /* descriptors */
/*
 * The table grows as soon as half of it is used, because a later process may be unable to make it grow: it has dropped
 * its privileges, used up its descriptors, changed its root directory or reached a limit on files.
 */
#define MPSAN_SLOTS_FIRST 256u
#define MPSAN_SLOTS_MAX 32768u
#define MPSAN_LISTS 1024u /* of slots by PID */

/* One process: 256 bytes. Written by the process itself; `how`, `end` and `end_value` also by its parent. */
struct mpsan_process {
	uint32_t pid; /* 0: nothing here (yet). Never freed */
	uint32_t parent; /* slot of the parent + 1; 0: not watched */
	uint32_t parent_pid;
	uint8_t how; /* enum mpsan_how */
	uint8_t marks; /* enum mpsan_process_marks */
	uint16_t flags; /* enum mpsan_process_flags */
	uint64_t birth_ns; /* not before the kernel's start time of the process */
	uint64_t exec_ns; /* last call of exec; 0: none */
	uint64_t attach_ns; /* when the library started in the current image */
	uint64_t end_ns; /* 0: alive, or died without recording its end */
	uint64_t fork_pos; /* position of its fork event in the parent's log; 0: none */
	uint64_t pid_ns; /* inode of its pid namespace */
	int32_t end_value;
	uint16_t end; /* enum mpsan_end */
	uint16_t why_off; /* enum mpsan_off */
	uint32_t uid;
	uint32_t python; /* Py_Version as hex (0x030b02f0), 0: no Python */
	uint16_t execs; /* number of exec calls */
	uint16_t spawning; /* enum mpsan_how: its last spawn-like call */
	uint32_t argv_bytes; /* length of argv below */
	char exec_path[16]; /* tail of the last exec's path, NUL-terminated when shorter */
	union {
		char argv[MPSAN_ARGV_BYTES]; /* NUL-separated, cut off when longer */
		struct {
			char argv_kept[MPSAN_ARGV_KEPT];
			/*
			 * While it runs: when its SIGALRM is due (MPSAN_PROCESS_ALARM), UINT64_MAX
			 * if unknown or repeated; descriptors below 64 that data was read from.
			 */
			uint64_t alarm_ns;
			uint32_t fed[2];
			/* slot + 1 of an earlier process in the same list; 0: none, or format < 3 */
			uint32_t earlier;
		} __attribute__((packed, aligned(4))); /* no padding before `rank` */
	};
	uint32_t rank; /* rank in a job, + 1; use mpsan_process_rank() */
};

/*
 * A process's rank + 1; 0: none. Logs of before ranks existed have argument bytes in its place and
 * then an argv_bytes beyond MPSAN_ARGV_BYTES.
 */
static inline uint32_t mpsan_process_rank(const struct mpsan_process *process)
{
	return process->argv_bytes <= MPSAN_ARGV_BYTES ? process->rank : 0;
}

enum mpsan_clock {
	MPSAN_CLOCK_MEASURED = 1, /* ahead_ns and ahead_error_ns are known */
	MPSAN_CLOCK_SYNCED = 2, /* the kernel's clock is marked as synchronised */
	MPSAN_CLOCK_LOOSE = 4, /* it is marked as not synchronised; neither flag: not asked */
};

/*
 * The host of a session, and the process of a job that created it. All zero in sessions of before
 * November 2026.
 */
struct mpsan_host {
	char name[64]; /* all texts: NUL-terminated, truncated when longer, empty when unknown */
	char boot[40]; /* /proc/sys/kernel/random/boot_id: the same where the clock is */
	char launcher[16]; /* a row of mpsan_ranks.def */
	char job[64];
	uint32_t rank, world, local; /* each + 1; 0: not known */
	uint32_t clock; /* enum mpsan_clock */
	int64_t ahead_ns; /* of CLOCK_REALTIME before the clock that timestamps files */
	uint64_t ahead_error_ns; /* uncertainty of that */
	uint64_t filesystem; /* statfs.f_type: shows whether that clock is a file server's */
	uint64_t max_error_ns; /* of a synchronised clock, from the kernel */
};

/* First page of the file `session`; the table of `slots` processes follows at MPSAN_PAGE. */
struct mpsan_session {
	uint64_t magic;
	uint32_t format; /* MPSAN_SESSION_FORMAT or less */
	uint32_t slots; /* current number; it only grows, after the blocks were allocated */
	uint64_t start_ns;
	uint64_t start_real_ns; /* CLOCK_REALTIME at start_ns: turns times into wall clock */
	uint32_t uid;
	uint32_t supervisor; /* PID of the command that supervises this session live; 0: none */
	uint64_t unrecorded; /* processes that found no free slot */
	uint64_t off; /* set by the command: from now on the library passes every call through */
	char options[1024]; /* MPSAN_OPTIONS of the session, NUL-terminated */
	uint64_t end_ns; /* when the command stopped supervising; 0: not yet */
	/*
	 * Slots claimed so far: of format 3 the first ones of the table, some of them for a child that is yet to be
	 * born. 0 in sessions of before November 2026.
	 */
	uint64_t claimed;
	struct mpsan_host host;
	/* From here on: 0 in sessions of format 1. */
	uint32_t slots_first; /* of format 2: where its table's first part ends */
	uint32_t slots_max; /* number of the supervisor's own log; if 0, `slots` is */
	uint64_t pid_ns; /* of the process that created the session */
	/* processes that could not create a log; 0 in sessions of version 0.1.0 */
	uint64_t unlogged;
	uint64_t seen_ns; /* when the supervisor last looked; 0 in older sessions */
	/* `mpsan attach` found its processes in /proc: the library runs in none of them */
	uint64_t outside;
	uint64_t proc_mount; /* mpsan_proc_mount of that process; 0 in older sessions */
	/*
	 * From here on: 0 in sessions of before format 3. Slot + 1 of the newest process of each list, see
	 * mpsan_list_of().
	 */
	uint16_t newest[MPSAN_LISTS];
	/* From here on: 0 in sessions of before December 2026. */
	uint32_t asked; /* the signal that first asked the supervised program to end; 0: none did */
	uint32_t failed; /* that by which the supervisor failed */
	uint64_t asked_ns, failed_ns; /* when */
	uint64_t logs_max, logs_bytes; /* all logs may take so much (0: any), and take */
	uint64_t logs_refused; /* processes whose logs could not grow for that reason */
};

/* The list of a process. PIDs mostly count up, so that those of one list were born far from each other. */
static inline uint32_t mpsan_list_of(uint32_t pid, uint64_t pid_ns)
{
	return (pid ^ (uint32_t)pid_ns * 40503u) % MPSAN_LISTS;
}

/*
 * Names the /proc of a process by what stat() says of it; 0 unless its link `self` has the number that
 * getpid() returns. Processes with the same one have their numbers from the same PID namespace. Source: procfs
 * makes a device for each mount, and its time of change is that of the mount.
 */
static inline uint64_t mpsan_proc_mount(uint64_t self, uint64_t pid, uint64_t device,
					uint64_t changed_ns)
{
	return self == pid ? (changed_ns ^ device << 1) | 1 : 0;
}

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
	/* Counts of what could not be recorded: the report's `limits`. */
	uint64_t dropped; /* records that did not fit */
	uint64_t holds_lost; /* locks taken while the thread's list was full */
	uint64_t threads_lost; /* threads without a record */
	uint64_t stacks_cut; /* copies of MPSAN_STACK_BYTES: there is more of the stack */
	uint64_t forks_blind; /* forks without a snapshot: too many at the same time */
	uint64_t claims_unread; /* claims that memory could neither confirm nor refute */
	uint64_t modules_skipped; /* times the list of modules changed while it was read */
	uint64_t orphans_lost; /* locks held at a fork that did not fit into its list */
	char directory[512]; /* at the start; "": longer, unknown, or of version 0.1.0 */
	uint64_t exceptions_lost; /* beyond those recorded; zero in logs of before December 2026 */
};

#define MPSAN_THREADS 1024u /* threads with a record at a time */
#define MPSAN_LOG_START (2 * MPSAN_PAGE)
#define MPSAN_THREAD_INDEX MPSAN_PAGE /* uint32_t[MPSAN_THREADS]: position / MPSAN_UNIT, 0: free */

/*
 * A record: this header, then `units * MPSAN_UNIT - sizeof(header)` bytes of payload. `units` is
 * stored before the payload, and `commit` last (release): 0 means reserved but never finished. Bits 16..31 hold MPSAN_RECORD_MAGIC,
 * bits 0..15 a checksum of the payload, to distinguish records from garbage.
 */
struct mpsan_record {
	uint32_t commit;
	uint16_t type; /* enum mpsan_event_type */
	uint16_t units;
	uint32_t tid;
	uint32_t slot; /* the writer: a child without a log of its own uses its parent's */
	uint64_t time_ns;
	uint64_t later; /* the only word that may change after the commit; see enum mpsan_later */
};

/* mpsan_record.later of a `held` event, set by the forked child. */
enum mpsan_later {
	MPSAN_LATER_REPAIRED = 1, /* the child's atfork handlers released or reset that lock */
};

/*
 * mpsan_record.later of an event that was recorded before its call, because other processes may act on the call's
 * effect: it failed, and the event is void. Else it succeeded, or is in progress, or was the last of its process.
 */
#define MPSAN_LATER_FAILED (1ull << 60)

/*
 * mpsan_record.later of a `shm` event: the size that its process gave the segment, and what it did
 * with it. That of a `shm_map` event is the time of the unmap, 0: still mapped.
 */
#define MPSAN_LATER_BYTES(later) ((later) & ((1ull << 48) - 1))
#define MPSAN_LATER_UNLINKED (1ull << 63) /* this process unlinked the name */
#define MPSAN_LATER_SENT (1ull << 62) /* its descriptor was sent at least once */

/* Checksum of a payload of whole 8-byte words, in 16 bits. */
static inline uint16_t mpsan_record_sum(const uint64_t *word, uint64_t words)
{
	uint64_t sum = words;

	for (uint64_t i = 0; i < words; i++)
		sum = (sum ^ word[i]) * 0x9e3779b97f4a7c15ull;
	return (uint16_t)(sum >> 48);
}

/* Whether a claim of this kind is a lock that is held, not a mere wait. */
static inline int mpsan_kind_is_lock(unsigned kind)
{
	return (kind >= MPSAN_LOCK_MUTEX && kind <= MPSAN_LOCK_CUSTOM) ||
	       (kind >= MPSAN_LOCK_LIBC && kind <= MPSAN_LOCK_GUARD) || kind == MPSAN_LOCK_PYTHON ||
	       kind == MPSAN_LOCK_ONCE;
}

/*
 * One claim: 16 bytes. The tag is the address (48 bits), the kind (7 bits at 48) and flags for the
 * supervisor: that it is a wait, has a time limit, holds the GIL, and what is known of a semaphore.
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
#define MPSAN_TAG_EXIT (1ull << 58) /* of a join: after exit() was called */
#define MPSAN_TAG_USED (1ull << 57) /* under it, a file or connection was used that a fork shares */
#define MPSAN_TAG(address, kind) ((uint64_t)(uintptr_t)(address) | (uint64_t)(kind) << 48)
#define MPSAN_TAG_ADDRESS(tag) ((tag)&0xffffffffffffull)
#define MPSAN_TAG_KIND(tag) ((unsigned)((tag) >> 48 & 0x7f))

#define MPSAN_HOLDS 56u

/*
 * A call that does not wait, and found the lock taken, or the thread or child alive: its tag has how many
 * of the thread's oldest claims it has kept since the first such call. Its caller has how often that happened
 * in a row.
 */
#define MPSAN_TRIED(address, kind, held) (MPSAN_TAG(address, kind) | (uint64_t)(held) << 56)
#define MPSAN_TRIED_WHAT(tag) ((tag) << 8 >> 8)
#define MPSAN_TRIED_HELD(tag) ((uint32_t)((tag) >> 56))
#define MPSAN_TRIED_TIMES(caller) ((uint32_t)((caller) >> 48))

/* One thread: the payload of a `thread` record. Written by the thread, read by any process. */
struct mpsan_thread {
	uint32_t tid; /* 0: the record is free */
	uint32_t holds_used; /* claims in use, at most MPSAN_HOLDS; changes while it is read */
	uint64_t pthread; /* pthread_self(); 0 until known */
	uint64_t entry; /* start routine; 0: main thread or unknown */
	uint64_t creator_caller; /* return address of the pthread_create call */
	uint64_t start_ns;
	uint32_t creator; /* TID */
	uint32_t waits; /* waits that were logged */
	uint64_t name_pos; /* position of a `text` record with its name, 0: none */
	uint64_t snap_key; /* what it held when its stack was last recorded at a fork */
	uint64_t snap_ns; /* when that was */
	uint64_t snap_stack; /* positions of that stack and of its Python frames */
	uint64_t snap_python;
	uint64_t role; /* enum mpsan_thread_role, from its outermost Python frames */
	struct mpsan_hold hold[MPSAN_HOLDS];
	/* From here on: not in records of before November 2026, which are two units shorter. */
	uint64_t pool; /* base of the libgomp whose pool this thread used; 0: none */
	uint64_t pool_team; /* threads of its largest region */
	uint64_t pool_caller; /* return address of the call that started that region */
	uint64_t loading; /* position of a `text` record: the path of the dlopen in progress */
	uint64_t pool_held; /* position of a `held` event: the first use of that pool */
	uint64_t pool_slot; /* slot + 1 of the process that used it, whose log has that event */
	uint64_t loading_frame; /* address and value of that call's return address */
	uint64_t loading_back;
	uint64_t waiting; /* position of the `wait` event of the current call; 0: none */
	uint64_t wait_ns; /* since when it waits for its newest claim; 0: no wait, or unknown */
	/* its start_ns once a fork found it ended, to distinguish it from a successor */
	uint64_t ended;
	uint64_t name_ns; /* when its name was last looked up */
	uint64_t python_state; /* its PyThreadState, as another thread last saw it */
	uint64_t buried; /* its start_ns once the kernel no longer listed it */
	uint64_t python_free; /* a hash of its Python frames when they held no lock; 0: unknown */
	struct mpsan_hold tried; /* see MPSAN_TRIED */
	uint64_t snap_frames; /* a hash of the frames of snap_python; 0: unknown */
	/* changes whenever it begins or ends to wait for the device or for other ranks of NCCL; odd: it waits */
	uint64_t for_peers;
	uint64_t for_peers_frame; /* where that call keeps its state; 0: in none */
	uint64_t spare[4];
};

/*
 * Where the search for a TID in the thread index starts; it goes upwards to the first free entry.
 */
static inline uint32_t mpsan_thread_place(uint32_t tid)
{
	return (uint32_t)((uint64_t)(tid * 2654435761u) * MPSAN_THREADS >> 32);
}

enum mpsan_thread_role {
	MPSAN_ROLE_UNKNOWN,
	MPSAN_ROLE_OTHER,
	MPSAN_ROLE_QUEUE_FEEDER, /* multiprocessing.Queue's own thread */
};

#define MPSAN_STACK_BYTES (48u << 10) /* of raw stack in one record */
#define MPSAN_STACK_BLOCKED \
	(1ull               \
	 << 63) /* in `valid`: regs[0], of no use in a call, has the signals that are blocked */
/* Registers in DWARF numbering, then the program counter. */
#if defined(__aarch64__)
#define MPSAN_MACHINE 183 /* EM_AARCH64 */
#define MPSAN_STACK_FRAME 29
#define MPSAN_STACK_LINK 30 /* the return address, until a function saves it */
#define MPSAN_STACK_SP 31
#define MPSAN_STACK_PC 32
#else
#define MPSAN_MACHINE 62 /* EM_X86_64 */
#define MPSAN_STACK_FRAME 6
#define MPSAN_STACK_SP 7
#define MPSAN_STACK_PC 16
#endif
#define MPSAN_STACK_REGS (MPSAN_STACK_PC + 1)

/*
 * Head of the payload of a `stack` record: the registers of a thread. Raw stack from regs[sp]
 * upwards follows.
 */
struct mpsan_stack {
	uint64_t hash; /* of the code addresses found in it: equal stacks are recorded once */
	uint64_t bytes; /* of raw stack after this head */
	uint64_t valid; /* bit n: regs[n] is known */
	uint64_t regs[MPSAN_STACK_REGS];
};

/*
 * The file `exports`: device memory that other processes of the session may open. Its first page is
 * struct mpsan_exports; a table of ranges (shim/common/ranges.h) of struct mpsan_export_place
 * follows.
 */
#define MPSAN_EXPORTS_MAGIC 0x545250584e53504dull /* "MPSNXPRT" */
#define MPSAN_EXPORT_NAME 32

struct mpsan_exports {
	uint64_t magic;
	uint32_t format;
	uint32_t place_bytes;
	uint64_t places;
	uint64_t refused[8]; /* by enum mpsan_export_refusal */
	uint64_t reclaimed; /* entries of processes that died without removing them */
};

/* Values of struct mpsan_export_place.owner for entries that are not exports. */
/* a mapping, in addition to the importer's slot: start is the handle */
#define MPSAN_EXPORT_IMPORT 0x80000000u
#define MPSAN_EXPORT_NAMED UINT32_MAX /* a name: start is a hash of it */

enum mpsan_export_flags {
	MPSAN_EXPORT_AUTO = 1, /* the library created the handle */
	MPSAN_EXPORT_OPENED = 2, /* some process has opened it */
};

/*
 * One export, or one process's mapping of an export, or the name of one. Written by its owner,
 * except for the flag OPENED.
 */
struct mpsan_export_place {
	/* The same first members as struct range. */
	uint32_t state;
	uint32_t owner; /* slot */
	uint64_t start;
	uint64_t bytes;

	uint32_t memory; /* enum mpsan_memory */
	int32_t device; /* ordinal in the owner */
	uint64_t gpu; /* as in ev_ipc_export */
	uint64_t handle; /* the same */
	uint8_t handle_bytes[64];
	int32_t fd; /* the owner's descriptor that is the handle, or the pool's; -1: none */
	uint32_t flags; /* enum mpsan_export_flags */
	uint64_t born_ns;
	uint64_t stack, python; /* positions in the owner's log */
	uint64_t name_hash; /* 0: it has no name */
	/* Of a mapping and a name: their export. Of an allocation in a pool: its owner's pool. */
	uint64_t of_start;
	uint32_t of_slot;
	uint32_t count; /* opens of this mapping that were not closed */
	uint64_t mapped, bytes_mapped; /* address in the importer */
	uint64_t caller;
	char name[MPSAN_EXPORT_NAME]; /* of a name */
};

_Static_assert(sizeof(struct mpsan_process) == 256, "a slot is 256 bytes");
_Static_assert(sizeof(struct mpsan_record) == 32, "a record's header is 32 bytes");
_Static_assert(sizeof(struct mpsan_hold) == 16, "a claim is 16 bytes");
_Static_assert(sizeof(struct mpsan_thread) + sizeof(struct mpsan_record) == 1216,
	       "a thread is 19 units");
_Static_assert(sizeof(struct mpsan_session) <= MPSAN_PAGE, "the session's head fits its page");
_Static_assert(sizeof(struct mpsan_log) <= MPSAN_PAGE, "a log's head fits its page");
_Static_assert(sizeof(struct mpsan_export_place) == 224, "a place is 28 words");

#endif
