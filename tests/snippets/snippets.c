/*
 * Proves for every row of hooks.def that a call is intercepted, from a constructor that runs before the
 * library's own, from a forked child and from a signal handler. Runs under build/tests/libmpsan-count.so,
 * which counts calls per row in the memory that mpsan_hook_counts points to. This file is a library of its own,
 * so that its constructor comes first; main is in snippets_main.c. It prints how each call ended, which must be
 * as without the library (test_snippets.sh compares).
 */
#include <assert.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <grp.h>
#include <iconv.h>
#include <libintl.h>
#include <link.h>
#include <locale.h>
#include <netdb.h>
#include <pthread.h>
#include <pty.h>
#include <pwd.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <syslog.h>
#include <threads.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <wchar.h>

#include "runtimes.h"
#include "snippets.h"

#ifdef __x86_64__
#define OLDEST_VERSION "GLIBC_2.2.5"
#else
#define OLDEST_VERSION "GLIBC_2.17"
__asm__(".symver __send, __send@" OLDEST_VERSION); /* there for old binaries alone */
#endif

enum row {
#define HOOK(library, name, kind) ROW_##name,
#include "../../shim/hooks.def"
#undef HOOK
	ROW_COUNT
};

extern uint64_t *mpsan_hook_counts __attribute__((weak));
pid_t __fork(void);
pid_t __vfork(void);
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int at, const char *path, int flags);
int __openat64_2(int at, const char *path, int flags);
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *dso);
int pidfd_send_signal(int pidfd, int signal, siginfo_t *info, unsigned flags);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static mtx_t c11_mutex;
static sem_t semaphore;
static struct timespec past = {1, 0};
static struct tm broken = {.tm_mday = 1};
static char text[128];
static wchar_t wide[16];
static uint64_t guard;
static uintptr_t no_reductions[16], *reductions = no_reductions;
static int number;
static struct sockaddr nobody;
static struct msghdr no_message;
static struct mmsghdr no_messages;
static char stack[65536] __attribute__((aligned(64)));
static char *arguments[] = {"true", NULL};
static uint64_t *counts;
static const char *context;
static int failures;

static void use(int value)
{
	number = value;
}

/* Not by a function that has a row of its own. */
static void raw_close(int fd)
{
	use(fd >= 0);
	if (fd >= 0)
		syscall(SYS_close, fd);
}

static void reap(pid_t pid)
{
	if (!pid)
		syscall(SYS_exit_group, 0);
	if (pid > 0)
		syscall(SYS_wait4, pid, NULL, 0, NULL);
}

static int nothing(void *argument)
{
	(void)argument;
	return 0;
}

static void *thread(void *argument)
{
	return argument;
}

static pthread_t new_thread(void)
{
	pthread_t t;

	if (pthread_create(&t, NULL, thread, NULL))
		abort();
	return t;
}

static void *signaller(void *argument)
{
	for (;;) {
		pthread_cond_broadcast(&condition);
		sched_yield();
	}
	return argument;
}

static void started_signaller(void)
{
	pthread_t t;

	if (pthread_create(&t, NULL, signaller, NULL))
		abort();
}

static pthread_mutex_t *locked(void)
{
	pthread_mutex_lock(&mutex);
	return &mutex;
}

static sem_t *named_semaphore(void)
{
	char name[64];
	sem_t *s;

	snprintf(name, sizeof(name), "/mpsan-snippet-%d", (int)getpid());
	s = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
	sem_unlink(name);
	return s == SEM_FAILED ? NULL : s;
}

/* The compiler must not see that it does nothing: GCC 16 leaves out a registration of that. */
static void nothing_at_exit(void *argument)
{
	use(argument != NULL);
}

static void nothing_on_exit(int status, void *argument)
{
	(void)status;
	(void)argument;
}

static int see_none(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)info;
	(void)size;
	(void)data;
	return 1;
}

static void log_listed(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsyslog(LOG_DEBUG, format, list);
	va_end(list);
}

static void log_checked(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	__vsyslog_chk(LOG_DEBUG, 1, format, list);
	va_end(list);
}

static void region(void *data)
{
	(void)data;
}

static void loop(void *data)
{
	(void)data;
	GOMP_loop_end_nowait();
}

static void sections(void *data)
{
	(void)data;
	while (GOMP_sections_next())
		;
	GOMP_sections_end_nowait();
}

/* New binaries carry a pthread_atfork of their own; the exported one is for those before glibc 2.34. */
static void old_pthread_atfork(void)
{
	int (*f)(void (*)(void), void (*)(void), void (*)(void)) =
		(int (*)(void (*)(void), void (*)(void), void (*)(void)))dlvsym(
			RTLD_DEFAULT, "pthread_atfork", OLDEST_VERSION);

	if (f)
		f(NULL, NULL, NULL);
	else
		counts[ROW_pthread_atfork]++; /* no libc of this processor has had it */
}

/* A row without a snippet leaves its function undefined: the build fails and names it. */
#define HOOK(library, name, kind) static void call_##name(void);
#include "../../shim/hooks.def"
#undef HOOK
#define SNIPPET(name, ...)            \
	static void call_##name(void) \
	{                             \
		__VA_ARGS__           \
	}
#include "snippets.def"
#undef SNIPPET

/*
 * Functions of NCCL and CUDA get nothing but zeros, as many as any of them takes. What the stand-in lacks is bound to the library
 * alone, and to nothing without it.
 */
typedef int words(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
		  uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
#define HOOK(library, name, kind) __attribute__((weak)) words name;
#include "../../shim/hooks_cuda.def"
#include "../../shim/hooks_nccl.def"
#undef HOOK
/*
 * Handles of CUDA (second) and NCCL's unique id (third) go by value: on the stack of x86-64, on aarch64 as the
 * address of a copy.
 */
static uint64_t word(int place, const char *name)
{
#ifdef __aarch64__
	static const uint64_t zeros[16];

	if ((place == 2 && strstr(name, "IpcOpen")) ||
	    (place == 3 &&
	     (!strcmp(name, "ncclCommInitRank") || !strcmp(name, "ncclCommInitRankConfig"))))
		return (uint64_t)(uintptr_t)zeros;
#else
	(void)place;
	(void)name;
#endif
	return 0;
}

#define HOOK(library, name, kind)                                                                 \
	static void call_##name(void)                                                             \
	{                                                                                         \
		if (name)                                                                         \
			use(name(0, word(2, #name), word(3, #name), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
				 0, 0, 0));                                                       \
	}
#include "../../shim/hooks_cuda.def"
#include "../../shim/hooks_nccl.def"
#undef HOOK

static void (*const call[])(void) = {
#define HOOK(library, name, kind) call_##name,
#include "../../shim/hooks.def"
#undef HOOK
};
static const char *const name_of[] = {
#define HOOK(library, name, kind) #name,
#include "../../shim/hooks.def"
#undef HOOK
};

static volatile enum row row_now;

static void on_signal(int signal)
{
	(void)signal;
	call[row_now]();
}

/* In the child: SIGALRM ends a call that hangs, raw system calls keep the counts clean. */
static void run_row(enum row row)
{
	alarm(20);
	if (&mpsan_hook_counts)
		mpsan_hook_counts = counts;
	row_now = row;
	if (!strcmp(context, "a signal handler")) {
		signal(SIGUSR1, on_signal);
		raise(SIGUSR1);
	} else {
		call[row]();
	}
	syscall(SYS_exit_group, 0);
}

void snippets_run(const char *from)
{
	context = from;
	counts = mmap(NULL, ROW_COUNT * sizeof(*counts), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (int row = 0; row < ROW_COUNT; row++) {
		pid_t child;
		int status = 0;

		counts[row] = 0;
		child = strcmp(from, "a forked child") ?
				(pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) :
				fork();
		if (!child)
			run_row((enum row)row);
		waitpid(child, &status, 0);
		printf("%s from %s ends with %x\n", name_of[row], from, status);
		fflush(stdout);
		if (counts[row] || !&mpsan_hook_counts)
			continue;
		fprintf(stderr, "%s from %s: not intercepted\n", name_of[row], from);
		failures++;
	}
}

/* ---- how much stack a call takes ---- */

#define STACK_BYTES (256u << 10)
#define PAINT 0xa5

static void call_row_now(void)
{
	call[row_now]();
	syscall(SYS_exit_group, 0);
}

/* In a child: the call runs on painted memory that the parent has, too. */
static void run_on_paint(enum row row, unsigned char *paint)
{
	static ucontext_t here, there;

	alarm(20);
	row_now = row;
	getcontext(&there);
	there.uc_stack.ss_sp = paint;
	there.uc_stack.ss_size = STACK_BYTES;
	there.uc_link = NULL;
	makecontext(&there, call_row_now, 0);
	swapcontext(&here, &there);
}

void snippets_measure(void)
{
	unsigned char *paint =
		mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	for (int row = 0; row < ROW_COUNT; row++) {
		unsigned free = 0;
		int status;
		pid_t child;

		memset(paint, PAINT, STACK_BYTES);
		child = fork();
		if (!child)
			run_on_paint((enum row)row, paint);
		waitpid(child, &status, 0);
		while (free < STACK_BYTES && paint[free] == PAINT)
			free++;
		printf("%s %u\n", name_of[row], STACK_BYTES - free);
		fflush(stdout);
	}
}

int snippets_report(void)
{
	return failures != 0;
}

__attribute__((constructor)) static void before_the_library(void)
{
	if (!getenv("SNIPPETS_STACK"))
		snippets_run("a constructor");
}
