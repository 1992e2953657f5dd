/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only way from the library to the system: raw system calls (no errno, no cancellation, nothing
 * that another interposer sees), the clock, and a tiny printer. Results are the kernel's: negative
 * errno values.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "../abi/glibc.h"
#include "arch.h"

long sys_call(long number, long a, long b, long c, long d, long e, long f);
#define SYS_ARG(x) ((long)(x))
#define SYS1(n, a) sys_call(n, SYS_ARG(a), 0, 0, 0, 0, 0)
#define SYS2(n, a, b) sys_call(n, SYS_ARG(a), SYS_ARG(b), 0, 0, 0, 0)
#define SYS3(n, a, b, c) sys_call(n, SYS_ARG(a), SYS_ARG(b), SYS_ARG(c), 0, 0, 0)
#define SYS4(n, a, b, c, d) sys_call(n, SYS_ARG(a), SYS_ARG(b), SYS_ARG(c), SYS_ARG(d), 0, 0)
#define SYS6(n, a, b, c, d, e, f) \
	sys_call(n, SYS_ARG(a), SYS_ARG(b), SYS_ARG(c), SYS_ARG(d), SYS_ARG(e), SYS_ARG(f))

/*
 * What the kernel told this image at its start; sys_start reads it after the end of the
 * environment.
 */
struct timespec;
struct sys_image {
	bool secure; /* AT_SECURE: do nothing at all */
	/* a system call may kill the process: only those in `calls` are made, see seccomp.h */
	bool filtered;
	bool checked; /* Valgrind runs it */
	bool no_clock; /* nor can the time be read without one */
	uint32_t pid, tid_at; /* own IDs, if the kernel cannot be asked; 0: it can */
	int8_t probes; /* peek.c: 1: probes tell what can be read; -1: they do not; 0: not tried */
	uint64_t stopped_ns; /* the time when the clock became unavailable */
	uint64_t calls; /* a bit for each row of mpsan_calls.def */
	const char *const *env;
	int (*clock)(int, struct timespec *); /* clock_gettime of the vDSO; NULL: none */
	/* Offsets of the clocks of the own time namespace from the initial one. */
	int64_t monotonic_ahead_ns, boot_ahead_ns;
};
extern struct sys_image sys_image;
void sys_start(const char *const *envp);

/*
 * The rows of mpsan_calls.def. After the first sys_filter every call outside the mask fails with
 * ENOSYS.
 */
enum {
#define CALL(name, unknown) SYS_ROW_##name,
#include "../../include/mpsan_calls.def"
#undef CALL
	SYS_CALLS
};
_Static_assert(SYS_CALLS < 64, "a bit each");
long sys_number(unsigned row);
void sys_filter(uint64_t calls);
bool sys_may(long number);

const char *sys_getenv(const char *name);

/*
 * This process is or was multithreaded: set before another thread is created, and never unset. Hooks that matter
 * only for forks by another thread do nothing before.
 */
extern bool sys_threaded;

/* Reads the offsets of the own time namespace: where the session may be of another one, and in a child whose clock has jumped. */
void sys_leave_time_namespace(void);

/*
 * CLOCK_MONOTONIC of the initial time namespace in nanoseconds, through the vDSO if there is one.
 */
uint64_t sys_now(void);
uint64_t sys_now_real(void);
/* Both at the same moment. */
struct sys_clocks {
	uint64_t ns, real_ns;
};
struct sys_clocks sys_clocks(void);

uint32_t sys_pid(void);
uint32_t sys_tid(void);

/* How far a pthread_t lies before the thread pointer, where the two differ. */
extern uint64_t sys_pthread_before;
/* The calling thread's pthread_t. */
static inline uint64_t sys_pthread(void)
{
	return arch_thread_pointer() - (ARCH_THREAD_APART ? sys_pthread_before : 0);
}
/* True when `tid` is a living thread of process `pid`. */
bool sys_thread_alive(uint32_t pid, uint32_t tid);
/*
 * The number of threads of this process; 0 without /proc. Costs one stat of /proc/self/task, whose
 * link count is the number of threads + 2.
 */
uint32_t sys_thread_count(void);

/*
 * Copies memory of this process that may not be mapped: bytes copied (perhaps fewer), or a negative
 * errno value.
 */
long sys_peek(void *to, const void *from, size_t bytes);
/*
 * As sys_peek, but cheaper in a multithreaded process. Only for memory that no other thread unmaps: the caller's stack,
 * frames and arguments.
 */
long sys_peek_own(void *to, const void *from, size_t bytes);
/* The number of bytes from there on, of such memory, that can be read; 0 also where the kernel does not tell. */
uint64_t sys_readable(uint64_t from, uint64_t bytes);
/* Copies several pieces at once; stops at the first byte that is not readable. */
struct iovec;
long sys_peek_many(const struct iovec *to, const struct iovec *from, size_t count);

/*
 * Bracket a batch of peeks: each costs one system call, and none makes the kernel copy a page that an earlier child
 * shares. The caller must not fork in between.
 */
void sys_snapshot_begin(void);
void sys_snapshot_end(void);

/* Writes a word where the program may write; false: it may not. */
bool sys_poke(uint64_t to, uint64_t word);

/* Whether `address` lies in a shared mapping. Slow: reads the list of mappings. */
bool sys_is_shared(const void *address);
/* As a number that is the same for that place in all processes that share it; 0: it does not. */
uint64_t sys_shared_object(const void *address);

/*
 * Whether a mapping's line contains `text`, whose beginning must not recur in it. Slow, as above.
 */
bool sys_maps_have(const char *text);

/*
 * Whether a timer of this process is running that ends in a signal: an alarm, which survives an
 * exec but not a fork, or one of timer_create, which survives neither (this may be a false
 * positive). Timers of CPU time do not count: they stand still while all threads wait.
 */
bool sys_has_alarm(void);
/* When its alarm is due; UINT64_MAX: unknown, or again and again; 0: there is none. */
uint64_t sys_alarm_ns(void);
/* Whether it has a handler. */
bool sys_catches_alarm(void);
bool sys_has_timer(void);

/*
 * Whether this process handles signals other than those that usually end it (SIGINT, SIGSEGV, …).
 * `window`: a handler of SIGWINCH counts. `blocked`: so do those of signals that the main thread
 * blocks; without it for the only thread of a process.
 */
bool sys_has_handlers(bool window, bool blocked);

/*
 * The signals of sys_has_handlers, as bits, and those that usually end a process: a handler of SIGTERM may stop
 * the program by ending a wait. Without SIGINT in a Python program, which always has a handler.
 */
uint64_t sys_handled_signals(bool python, bool window, bool blocked);

/* Reads a one-line file of /proc or /sys by one read. */
long sys_read_line(const char *path, char *to, size_t bytes);

/* Reads a small file into `to`, NUL-terminated: bytes, or a negative errno value. */
long sys_read_file(const char *path, char *to, size_t bytes);

/* Whether a file may have that size; beyond it a write raises SIGXFSZ. */
bool sys_size_allowed(uint64_t size);

/*
 * Copies what follows `key` in the line of a file that starts with it, truncated to fit; false:
 * there is none.
 */
bool sys_line_of(const char *path, const char *key, char *to, size_t bytes);

/*
 * Allocates blocks for `bytes` at `offset`, the end of the file; existing data is kept. Open the
 * file with the flags of sys_growing.
 */
int sys_growing(void);
long sys_allocate(long fd, uint64_t offset, uint64_t bytes);

/*
 * Maps `bytes` at `offset` of a file, shared and writable, after allocating its blocks: a store
 * into a sparse file may raise SIGBUS in the program, and growing a file beyond RLIMIT_FSIZE raises
 * SIGXFSZ. NULL on failure, with the negative errno value in `error`. With `create` the file must
 * not exist yet. No descriptor stays open. Each page is prepared when it is first touched: with
 * read-ahead the first store would clear all 256 KiB of a new log, which takes 60 us.
 */
void *sys_map_file(const char *path, uint64_t offset, size_t bytes, bool create, long *error);

/*
 * Maps private memory or a file, readable and writable; NULL on failure. Nothing is mapped above an
 * address given to sys_map_below, or in the GiB below it (0: no limit).
 */
void *sys_map(size_t bytes, int flags, long fd, uint64_t offset);
void sys_map_below(uint64_t address);

/* Prints one line to standard error; NULL ends the pieces. */
void sys_print(const char *const *piece);

/*
 * Text without stdio: each returns the end of the text, where the NUL is; `end` is the first byte
 * that must not be written.
 */
char *text_put(char *at, char *end, const char *string);
char *text_put_number(char *at, char *end, uint64_t value, unsigned base);
bool text_starts(const char *text, const char *with);
bool text_equal(const char *a, const char *b);
/* The part after the last '/'. */
const char *text_tail(const char *path);
uint64_t text_number(const char *text, const char **rest);
uint64_t text_hex(const char *text);
