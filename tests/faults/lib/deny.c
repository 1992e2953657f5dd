/*
 * An interposer to stand behind the library: ends the program when the library calls one of these functions of libc,
 * or a lock function on a lock of its own. Who called follows from the return address, so what a hook calls on behalf
 * of the program and waits for (open, fopen, kill) is not among them; hooks that jump on are.
 */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim/intercept/elf.h" /* the library's own look-up: dlsym might allocate */

static uintptr_t first, last; /* of libmpsan.so in memory */

static long raw(long number, long a, long b, long c)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return result;
}

static void find_library(void)
{
	for (const struct link_map *map = _r_debug.r_map; map && !last; map = map->l_next) {
		const ElfW(Ehdr) *head = (const void *)map->l_addr;
		const ElfW(Phdr) * p;

		if (!strstr(map->l_name, "libmpsan"))
			continue;
		p = (const void *)(map->l_addr + head->e_phoff);
		for (int i = 0; i < head->e_phnum; i++)
			if (p[i].p_type == PT_LOAD)
				last = map->l_addr + p[i].p_vaddr + p[i].p_memsz;
		first = map->l_addr;
	}
}

static int is_ours(const void *address)
{
	if (!last)
		find_library();
	return (uintptr_t)address >= first && (uintptr_t)address < last;
}

static void deny(const char *name)
{
	static const char said[] = "denied: the library called ";

	raw(SYS_write, 2, (long)said, sizeof(said) - 1);
	raw(SYS_write, 2, (long)name, (long)strlen(name));
	raw(SYS_write, 2, (long)"\n", 1);
	raw(SYS_exit_group, 99, 0, 0);
}

/* Any function: checks its caller, then becomes the next definition with all its arguments. */
#define DENY(name)                                                          \
	static void *real_##name;                                           \
	__attribute__((used)) static void *check_##name(const void *caller) \
	{                                                                   \
		if (is_ours(caller))                                        \
			deny(#name);                                        \
		if (!real_##name)                                           \
			real_##name = elf_next(#name, NULL);                \
		return real_##name;                                         \
	}                                                                   \
	STUB(name, "movq 72(%rsp), %rdi")

/* A lock function: its own locks are denied to the library, the program's are not. */
#define DENY_LOCK(name)                                                   \
	static void *real_##name;                                         \
	__attribute__((used)) static void *check_##name(const void *lock) \
	{                                                                 \
		if (is_ours(lock))                                        \
			deny(#name);                                      \
		if (!real_##name)                                         \
			real_##name = elf_next(#name, NULL);              \
		return real_##name;                                       \
	}                                                                 \
	STUB(name, "nop")

#define STUB(name, first_argument)                                                                      \
	__asm__(".globl " #name "\n.type " #name ", @function\n" #name ":\n"                            \
		"pushq %rax\npushq %rdi\npushq %rsi\npushq %rdx\npushq %rcx\npushq %r8\n"               \
		"pushq %r9\npushq %r10\nsubq $8, %rsp\n" first_argument "\ncall check_" #name "\n"      \
		"movq %rax, %r11\naddq $8, %rsp\npopq %r10\npopq %r9\npopq %r8\npopq %rcx\npopq %rdx\n" \
		"popq %rsi\npopq %rdi\npopq %rax\njmp *%r11\n.size " #name ", . - " #name "\n");

// clang-format off
DENY(malloc)
DENY(calloc)
DENY(realloc)
DENY(free)
DENY(posix_memalign)
DENY(aligned_alloc)
DENY(close)
DENY(write)
DENY(mmap)
DENY(mmap64)
DENY(munmap)
DENY(fclose)
DENY(fwrite)
DENY(fputs)
DENY(puts)
DENY(printf)
DENY(fprintf)
DENY(snprintf)
DENY(vsnprintf)
DENY(getenv)
DENY(setenv)
DENY(localtime)
DENY(localtime_r)
DENY(gettimeofday)
DENY(getpid)
DENY(dl_iterate_phdr)
DENY(dlopen)
DENY(dladdr)
DENY(atexit)
DENY(__cxa_atexit)
DENY(on_exit)
DENY(raise)
DENY(sched_yield)
DENY(usleep)
DENY(nanosleep)
DENY(abort)
DENY_LOCK(pthread_mutex_lock)
DENY_LOCK(pthread_mutex_trylock)
DENY_LOCK(pthread_rwlock_rdlock)
DENY_LOCK(pthread_rwlock_wrlock)
DENY_LOCK(pthread_spin_lock)
DENY_LOCK(sem_wait)
DENY_LOCK(pthread_cond_signal)
// clang-format on
