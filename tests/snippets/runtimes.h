/*
 * Functions that the snippets call and no public header declares: what compilers call in the C++ and OpenMP runtimes, and
 * libc's entries behind fortified or hidden names.
 */
#ifndef MPSAN_TESTS_SNIPPETS_RUNTIMES_H
#define MPSAN_TESTS_SNIPPETS_RUNTIMES_H

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>

int __cxa_atexit(void (*f)(void *), void *argument, void *dso);
int __cxa_at_quick_exit(void (*f)(void *), void *dso);
void __syslog_chk(int priority, int flag, const char *format, ...);
void __vsyslog_chk(int priority, int flag, const char *format, va_list list);

int __cxa_guard_acquire(uint64_t *guard);
void __cxa_guard_release(uint64_t *guard);
void __cxa_guard_abort(uint64_t *guard);

typedef void region_f(void *);
void GOMP_parallel(region_f *, void *, unsigned, unsigned);
void GOMP_parallel_start(region_f *, void *, unsigned);
void GOMP_parallel_end(void);
unsigned GOMP_parallel_reductions(region_f *, void *, unsigned, unsigned);
void GOMP_parallel_sections(region_f *, void *, unsigned, unsigned, unsigned);
void GOMP_parallel_sections_start(region_f *, void *, unsigned, unsigned);
void GOMP_sections_end_nowait(void);
unsigned GOMP_sections_next(void);
void GOMP_loop_end_nowait(void);
#define LOOP(name) void name(region_f *, void *, unsigned, long, long, long, long, unsigned)
#define LOOP_START(name) void name(region_f *, void *, unsigned, long, long, long, long)
#define LOOP_RUNTIME(name) void name(region_f *, void *, unsigned, long, long, long, unsigned)
LOOP(GOMP_parallel_loop_static);
LOOP_START(GOMP_parallel_loop_static_start);
LOOP(GOMP_parallel_loop_dynamic);
LOOP_START(GOMP_parallel_loop_dynamic_start);
LOOP(GOMP_parallel_loop_guided);
LOOP_START(GOMP_parallel_loop_guided_start);
LOOP(GOMP_parallel_loop_nonmonotonic_dynamic);
LOOP(GOMP_parallel_loop_nonmonotonic_guided);
LOOP_RUNTIME(GOMP_parallel_loop_runtime);
void GOMP_parallel_loop_runtime_start(region_f *, void *, unsigned, long, long, long);
LOOP_RUNTIME(GOMP_parallel_loop_nonmonotonic_runtime);
LOOP_RUNTIME(GOMP_parallel_loop_maybe_nonmonotonic_runtime);
int omp_pause_resource(int kind, int device);
int omp_pause_resource_all(int kind);

/* What headers do not declare, or no longer recommend. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
int __sigaction(int, const struct sigaction *, struct sigaction *);
void (*bsd_signal(int, void (*)(int)))(int);
ssize_t __read(int, void *, size_t);
ssize_t __write(int, const void *, size_t);
ssize_t __send(int, const void *, size_t, int);
ssize_t __read_chk(int, void *, size_t, size_t);
ssize_t __recv_chk(int, void *, size_t, size_t, int);
ssize_t __recvfrom_chk(int, void *, size_t, size_t, int, struct sockaddr *, socklen_t *);
void *ibv_reg_mr(void *, void *, size_t, int);
int ibv_fork_init(void);

#endif
