/*
 * A process that spoils what is read of it, again and again while it is looked at: a thread's list of robust mutexes and
 * the words before it, where its descriptor would be; a stack of frames in a circle. Children of it fork, exec and end.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORDS 1024u

static uint64_t area[2 * WORDS];

static void pause_us(long us)
{
	nanosleep(&(struct timespec){0, us * 1000}, NULL);
}

/* Its list of robust mutexes lies in `area`, and leads in circles or nowhere. */
static void *spoilt(void *number)
{
	unsigned seed = (unsigned)(uintptr_t)number;

	syscall(SYS_set_robust_list, &area[WORDS + seed % 16], 24);
	for (;;) {
		for (unsigned i = 0; i < 2 * WORDS; i++)
			switch (rand_r(&seed) % 4) {
			case 0:
				area[i] = (uintptr_t)&area[rand_r(&seed) % (2 * WORDS)];
				break;
			case 1:
				area[i] = (uintptr_t)&area[i];
				break;
			case 2:
				area[i] = (uint64_t)rand_r(&seed) << 33;
				break;
			default:
				area[i] = 0;
			}
		pause_us(300);
	}
	return NULL;
}

/* It stands in a futex call on a stack that unwinds to itself. */
static void *circle(void *unused)
{
	uint64_t *stack =
		mmap(NULL, 1u << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static uint32_t word;

	(void)unused;
	for (unsigned i = 0; i < (1u << 16) / 8; i++)
		stack[i] = i % 2 ? (uintptr_t)&stack[i] : (uintptr_t)circle;
		/* the stack and frame pointers point into it; the call has no limit and does not return */
#if defined(__x86_64__)
	__asm__ volatile("mov %0, %%rsp\n\tmov %0, %%rbp\n\txor %%r10d, %%r10d\n\tsyscall\n\thlt"
			 :
			 : "r"(&stack[512]), "a"(SYS_futex), "D"(&word), "S"(0L), "d"(0L)
			 : "rcx", "r10", "r11", "memory");
#else
	register uint64_t call __asm__("x8") = SYS_futex;
	register uint32_t *at __asm__("x0") = &word;

	__asm__ volatile(
		"mov sp, %1\n\tmov x29, %1\n\tmov x1, #0\n\tmov x2, #0\n\tmov x3, #0\n\tsvc #0\n\tbrk #1"
		: "+r"(at)
		: "r"(&stack[512]), "r"(call)
		: "x1", "x2", "x3", "memory");
#endif
	return NULL;
}

int main(void)
{
	pthread_t thread;

	for (uintptr_t i = 1; i <= 4; i++)
		pthread_create(&thread, NULL, spoilt, (void *)i);
	pthread_create(&thread, NULL, circle, NULL);
	for (unsigned i = 0;; i++) {
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (i % 3 == 1)
				execl("/bin/sleep", "sleep", "0.02", (char *)NULL);
			pause_us(3000);
			_exit((int)(i % 2));
		}
		if (i % 8 == 7)
			while (waitpid(-1, NULL, WNOHANG) > 0)
				;
		pause_us(2000);
	}
}
