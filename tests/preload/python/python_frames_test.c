/*
 * The library that python_frames.py runs under: shim/python*.c behind a few exported functions
 * (called through ctypes, with and without the GIL) and behind a hooked getppid (which os.getppid
 * reaches in places where ctypes cannot be imported, such as a sub-interpreter). Link with
 * -Wl,--wrap=sys_peek.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../shim/common/cpython/frame.h"
#include "../../shim/intercept/elf.h"
#include "../../shim/intercept/sys.h"
#include "../../shim/python/python.h"
#include "../../shim/python/python_self.h"

#define EXPORT __attribute__((visibility("default")))

long __real_sys_peek(void *to, const void *from, size_t bytes);
long __real_sys_peek_own(void *to, const void *from, size_t bytes);
long __wrap_sys_peek(void *to, const void *from, size_t bytes);
EXPORT size_t frames_stack(uint64_t pthread, char *text, size_t bytes);
EXPORT size_t frames_name(uint64_t pthread, char *text, size_t bytes);
EXPORT int frames_role(uint64_t pthread);
EXPORT int frames_holds_gil(void);
EXPORT uint32_t frames_version(void);
EXPORT const char *frames_limit(void);
EXPORT unsigned frames_line(uint64_t table, unsigned first_line, long wanted);
EXPORT const char *frames_last(void);
EXPORT size_t frames_from_foreign_thread(void);
EXPORT unsigned frames_mangled(uint64_t pthread, unsigned times);
EXPORT double frames_cost(uint64_t pthread, unsigned times);
EXPORT unsigned frames_peeks(void);
EXPORT unsigned frames_imports(uint64_t pthread, char *text, size_t bytes);
EXPORT const char *frames_awaited(void);
EXPORT int frames_is_preexec(void);
EXPORT int frames_above_mark(void);
EXPORT int frames_fork_was_preexec(void);
EXPORT unsigned frames_gil_waits(int of_gil);
EXPORT uint64_t frames_hash(const char *name);

static size_t stack_text(uint64_t pthread, char *text, size_t bytes)
{
	struct walk walk;

	return python_stack(pthread, &walk, text, bytes);
}

static __thread unsigned mangle; /* lies told in 1024 peeks */
static __thread unsigned peeks;
static __thread unsigned dice = 12345;
static __thread char last[1 << 16];

static unsigned roll(void)
{
	return (dice = dice * 1664525u + 1013904223u) >> 8;
}

/* Memory that changes under the reader: short reads, and words that are somebody else's by now. */
static long lie(void *to, long got)
{
	peeks++;
	if (!mangle || got <= 0 || roll() % 1024 >= mangle)
		return got;
	switch (roll() % 4) {
	case 0:
		return (long)(roll() % ((unsigned)got + 1));
	case 1:
		return -14;
	case 2:
		memset(to, (int)roll(), (size_t)got);
		return got;
	default:
		((char *)to)[roll() % (unsigned)got] = (char)roll();
		return got;
	}
}

long __wrap_sys_peek(void *to, const void *from, size_t bytes)
{
	return lie(to, __real_sys_peek(to, from, bytes));
}

long __wrap_sys_peek_own(void *to, const void *from, size_t bytes)
{
	return lie(to, __real_sys_peek_own(to, from, bytes));
}

size_t frames_stack(uint64_t pthread, char *text, size_t bytes)
{
	return stack_text(pthread, text, bytes);
}

size_t frames_name(uint64_t pthread, char *text, size_t bytes)
{
	return python_thread_name(pthread, text, bytes);
}

int frames_role(uint64_t pthread)
{
	return (int)python_role(pthread);
}

int frames_holds_gil(void)
{
	return python_holds_gil();
}

uint32_t frames_version(void)
{
	return python_version();
}

const char *frames_limit(void)
{
	return python_limit();
}

unsigned frames_line(uint64_t table, unsigned first_line, long wanted)
{
	return cpython_line(&python.py, table, first_line, wanted);
}

const char *frames_last(void)
{
	return last;
}

unsigned frames_peeks(void)
{
	return peeks;
}

pid_t getppid(void) __attribute__((visibility("default")));
pid_t getppid(void)
{
	python_search();
	stack_text(0, last, sizeof(last));
	return (pid_t)SYS1(SYS_getppid, 0);
}

/* ---- imports, forks, the GIL ---- */

struct text {
	char *at, *end;
};

static void see_import(uint64_t hash, const char *name, void *context)
{
	struct text *text = context;

	if (text->end - text->at > 300)
		text->at += snprintf(text->at, 300, "%llx %s\n", (unsigned long long)hash, name);
}

unsigned frames_imports(uint64_t pthread, char *to, size_t bytes)
{
	struct text text = {to, to + bytes};

	*to = '\0';
	return python_imports(pthread, see_import, &text);
}

uint64_t frames_hash(const char *name)
{
	return python_module_hash(name);
}

static char awaited[600]; /* what the last thread that waited for an import waited for */

const char *frames_awaited(void)
{
	return awaited;
}

int sem_wait(sem_t *sem) __attribute__((visibility("default")));
int sem_wait(sem_t *sem)
{
	static int (*real)(sem_t *);
	char name[300];
	uint64_t hash = python_awaited_import(name, sizeof(name));

	if (hash)
		snprintf(awaited, sizeof(awaited), "%llx %s\n", (unsigned long long)hash, name);
	if (!real)
		real = elf_next("sem_wait", NULL);
	return real(sem);
}

static struct python_mark mark;
static int fork_was_preexec = -1; /* no fork since the last question */

int frames_is_preexec(void)
{
	return python_is_preexec();
}

int frames_above_mark(void)
{
	return python_above_mark(&mark);
}

int frames_fork_was_preexec(void)
{
	int was = fork_was_preexec;

	fork_was_preexec = -1;
	return was;
}

pid_t fork(void) __attribute__((visibility("default")));
pid_t fork(void)
{
	pid_t (*real)(void) = elf_next("fork", NULL);

	fork_was_preexec = python_is_preexec();
	if (!python_mark(&mark))
		mark = (struct python_mark){0};
	return real();
}

static _Atomic unsigned waits[2];

int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until)
	__attribute__((visibility("default")));
int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until)
{
	static int (*real)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);

	waits[python_is_gil(c)]++;
	if (!real)
		real = elf_next("pthread_cond_timedwait", NULL);
	return real(c, m, until);
}

unsigned frames_gil_waits(int of_gil)
{
	return waits[of_gil];
}

static void *foreign(void *result)
{
	char text[256];

	*(size_t *)result = stack_text(0, text, sizeof(text)) + (size_t)python_holds_gil() * 1000 +
			    python_thread_name(0, text, sizeof(text)) + (size_t)python_role(0);
	return NULL;
}

/* What a thread that Python has never seen finds: must be 0. */
size_t frames_from_foreign_thread(void)
{
	size_t result = 1;
	pthread_t thread;

	if (!pthread_create(&thread, NULL, foreign, &result))
		pthread_join(thread, NULL);
	return result;
}

/* Reads a thread again and again while memory lies; a crash or an endless loop is the failure. */
unsigned frames_mangled(uint64_t pthread, unsigned times)
{
	unsigned alive = 0;
	char text[3000];

	for (unsigned i = 0; i < times; i++) {
		size_t size = roll() % sizeof(text);

		mangle = 1 + roll() % 300;
		memset(text, 'x', sizeof(text));
		if (stack_text(pthread, text, size) && strlen(text) >= size)
			abort();
		python_thread_name(pthread, text, size);
		python_role(pthread);
		frames_imports(pthread, text, sizeof(text));
		python_awaited_import(text, size);
		python_is_preexec();
		python_above_mark(&mark);
		alive++;
	}
	mangle = 0;
	return alive;
}

/* Microseconds of this CPU for one stack. */
double frames_cost(uint64_t pthread, unsigned times)
{
	struct timespec a, b;
	char text[8192];

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
	for (unsigned i = 0; i < times; i++)
		stack_text(pthread, text, sizeof(text));
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
	return ((double)(b.tv_sec - a.tv_sec) * 1e6 + (double)(b.tv_nsec - a.tv_nsec) / 1e3) /
	       times;
}

__attribute__((constructor)) static void start(void)
{
	char text[64];

	/* Before Python is initialised: nothing, and no crash. */
	python_search();
	if (python_present() || stack_text(0, text, sizeof(text)) || python_holds_gil())
		abort();
}

/* After Python has gone: the same. Other programs under this library (a shell) never had one. */
__attribute__((destructor)) static void stop(void)
{
	char text[64];

	if (python_present() && !python.is_finalizing())
		return; /* left without Py_Finalize: Python is still there */
	if (stack_text(0, text, sizeof(text)))
		abort();
}
