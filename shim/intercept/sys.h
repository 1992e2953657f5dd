/*
 * The only door from the library to the system: raw system calls (no errno, no cancellation,
 * nothing that another interposer sees), the clock, and a tiny printer. Results are those of the
 * kernel: negative errno.
 */
#ifndef MPSAN_SYS_H
#define MPSAN_SYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "../abi/glibc.h"

long sys_call(long number, long a, long b, long c, long d, long e, long f);
#define SYS_ARG(x) ((long)(x))
#define SYS1(n, a) sys_call(n, SYS_ARG(a), 0, 0, 0, 0, 0)
#define SYS2(n, a, b) sys_call(n, SYS_ARG(a), SYS_ARG(b), 0, 0, 0, 0)
#define SYS3(n, a, b, c) sys_call(n, SYS_ARG(a), SYS_ARG(b), SYS_ARG(c), 0, 0, 0)
#define SYS4(n, a, b, c, d) sys_call(n, SYS_ARG(a), SYS_ARG(b), SYS_ARG(c), SYS_ARG(d), 0, 0)
#define SYS6(n, a, b, c, d, e, f) \
	sys_call(n, SYS_ARG(a), SYS_ARG(b), SYS_ARG(c), SYS_ARG(d), SYS_ARG(e), SYS_ARG(f))

/*
 * What the kernel told this image at its start; sys_start reads it from the end of the environment.
 */
struct sys_image {
	bool secure; /* AT_SECURE: do nothing at all */
	/* a system call may be the end of the process: only `calls` are made, see filter.h */
	bool filtered;
	bool no_clock; /* nor can the time be read without one */
	uint32_t pid, tid_at; /* who we are, where the kernel cannot be asked; 0: it can */
	uint64_t stopped_ns; /* the time since when there is no clock */
	uint64_t calls; /* a bit for each row of mpsan_calls.def */
	const char *const *env;
	/* By which the clocks of our time namespace are ahead of the machine's. */
	int64_t monotonic_ahead_ns, boot_ahead_ns;
};
extern struct sys_image sys_image;
void sys_start(const char *const *envp);

/* The rows of mpsan_calls.def. From the first sys_filter on all that is not in the mask fails with ENOSYS. */
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

/* Learns by how much our clocks are ahead of the machine's: asked again by a child whose clock has jumped. */
void sys_leave_time_namespace(void);

/* CLOCK_MONOTONIC of the machine in nanoseconds, through the vdso where there is one. */
uint64_t sys_now(void);
uint64_t sys_now_real(void);

uint32_t sys_pid(void);
uint32_t sys_tid(void);

/* The calling thread's pthread_t. gcc knows the built-in function on x86 from version 11 on. */
static inline uint64_t sys_thread_pointer(void)
{
#if defined(__x86_64__)
	uint64_t pointer;

	__asm__("movq %%fs:0, %0" : "=r"(pointer));
	return pointer;
#else
	return (uint64_t)(uintptr_t)__builtin_thread_pointer();
#endif
}
/* True when `tid` is a living thread of process `pid`. */
bool sys_thread_alive(uint32_t pid, uint32_t tid);
/* Threads of this process; 0 when /proc is not there. One stat, whatever the number (facts 1.6). */
uint32_t sys_thread_count(void);

/*
 * Copies memory of this process that may not be there: bytes copied (perhaps fewer), or negative
 * errno.
 */
long sys_peek(void *to, const void *from, size_t bytes);
/* The same for several pieces at once; stops at the first byte that is not there. */
struct iovec;
long sys_peek_many(const struct iovec *to, const struct iovec *from, size_t count);

/* True when `address` lies in a shared mapping. Reads the list of mappings: for rare moments. */
bool sys_is_shared(const void *address);

/* True when a mapping's line contains `text`, which does not begin twice in itself. The same cost. */
bool sys_maps_have(const char *text);

/*
 * Whether a timer of this process is running that ends in a signal: an alarm, which outlives an exec and not a
 * fork, or (false alarms are possible) one of timer_create, which outlives neither. Timers that count processor
 * time stand still while all threads wait.
 */
bool sys_has_alarm(void);
bool sys_has_timer(void);

/*
 * True when this process handles signals other than those that mean its end (SIGINT, SIGSEGV, …). `window`: a handler
 * of SIGWINCH counts.
 */
bool sys_has_handlers(bool window);

/*
 * The same with those that mean the end: a handler of SIGTERM may well tell the program to stop by
 * ending a wait. Not SIGINT's in a Python program, which has one always.
 */
bool sys_handles_signals(bool python, bool window);

/* A file that the kernel writes in one piece, by one read. */
long sys_read_line(const char *path, char *to, size_t bytes);

/* A whole small file into `to`, NUL-terminated: bytes, or negative errno. */
long sys_read_file(const char *path, char *to, size_t bytes);

/* False: a file of that size would mean SIGXFSZ. */
bool sys_size_allowed(uint64_t size);

/* What follows `key` in the line of a file that begins with it, cut to fit; false: there is none. */
bool sys_line_of(const char *path, const char *key, char *to, size_t bytes);

/*
 * Blocks for these bytes of a file that is as long as `offset`, or has them. It was opened with the flags of
 * sys_growing. What is there stays as it is.
 */
int sys_growing(void);
long sys_allocate(long fd, uint64_t offset, uint64_t bytes);

/*
 * Maps `bytes` at `offset` of a file, shared and writable, after allocating its blocks (facts 1.8:
 * a sparse file means SIGBUS in the program; a file beyond RLIMIT_FSIZE means SIGXFSZ). NULL when
 * that cannot be, `error` is then its negative errno. With `create` the file must not exist yet. No descriptor stays open.
 */
void *sys_map_file(const char *path, uint64_t offset, size_t bytes, bool create, long *error);

/*
 * Memory of our own, or of a file, readable and writable; NULL: none to be had. Nothing is mapped above
 * an address, or in the gibibyte below it, once that was said (0: never).
 */
void *sys_map(size_t bytes, int flags, long fd, uint64_t offset);
void sys_map_below(uint64_t address);

/* One line to standard error. Pieces end with NULL. */
void sys_print(const char *const *piece);

/*
 * Text without stdio: each returns the end, where a NUL stands; `end` is the first byte that must
 * not be written.
 */
char *text_put(char *at, char *end, const char *string);
char *text_put_number(char *at, char *end, uint64_t value, unsigned base);
bool text_starts(const char *text, const char *with);
bool text_equal(const char *a, const char *b);
/* What stands behind the last '/'. */
const char *text_tail(const char *path);
uint64_t text_number(const char *text, const char **rest);
uint64_t text_hex(const char *text);

#endif
