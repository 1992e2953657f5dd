/*
 * Functions that the libc of today has and an older one has not, so that the programs of the tests can be built with both. It
 * stands where libc does, behind libmpsan; with a libc that has them it defines nothing.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "../../../shim/abi/glibc.h"

#if !__GLIBC_PREREQ(2, 36)
/* Not by syscall(), which libmpsan hooks: libc's own functions enter the kernel themselves. */
static long enter(long number, long a, long b, long c, long d, long e)
{
	register long fourth __asm__("r10") = d;
	register long fifth __asm__("r8") = e;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth)
			 : "rcx", "r11", "memory");
	if (result >= 0)
		return result;
	errno = (int)-result;
	return -1;
}

int pidfd_send_signal(int pidfd, int signal, siginfo_t *info, unsigned flags)
{
	return (int)enter(SYS_pidfd_send_signal, pidfd, signal, (long)info, flags, 0);
}
#endif

#if !__GLIBC_PREREQ(2, 34)
pid_t _Fork(void)
{
	return (pid_t)enter(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

int execveat(int at, const char *path, char *const argv[], char *const envp[], int flags)
{
	return (int)enter(SYS_execveat, at, (long)path, (long)argv, (long)envp, flags);
}

int close_range(unsigned first, unsigned last, int flags)
{
	return (int)enter(SYS_close_range, first, last, flags, 0, 0);
}

void closefrom(int first)
{
	enter(SYS_close_range, first, ~0u, 0, 0, 0);
}
#endif
