/*
 * Runs on a coroutine's stack that ends at a hole right before the thread's descriptor; or passes bad pointers to execve, before
 * and after it installs a filter that kills for rt_sigprocmask, by which the library asks what can be read, or answers it.
 *
 * usage: odd_memory coroutine|kill|kill-odd|answer
 */
#define _GNU_SOURCE 1

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define PAGE 4096ul
#define STACK (8 * PAGE)
#define SMALL (7 * PAGE) /* less than what is kept of a stack */

static ucontext_t outer, inner;

static void share(void)
{
	int fd = shm_open("/mpsan-odd-memory", O_RDWR | O_CREAT, 0600);

	shm_unlink("/mpsan-odd-memory");
	close(fd);
	if (!fork())
		_exit(0);
	wait(NULL);
	puts("shared");
}

static void *run_coroutine(void *stack)
{
	getcontext(&inner);
	inner.uc_stack.ss_sp = stack;
	inner.uc_stack.ss_size = STACK;
	inner.uc_link = &outer;
	makecontext(&inner, share, 0);
	swapcontext(&outer, &inner);
	return NULL;
}

/* A coroutine's stack, a hole, and a thread's stack, at the end of which is its descriptor. */
static int run_thread(void)
{
	char *stack = mmap(NULL, STACK + PAGE + SMALL, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	if (stack == MAP_FAILED || mprotect(stack + STACK, PAGE, PROT_NONE) ||
	    pthread_attr_setstack(&attributes, stack + STACK + PAGE, SMALL) ||
	    pthread_create(&thread, &attributes, run_coroutine, stack))
		return 77;
	return pthread_join(thread, NULL);
}

static void exec_badly(void)
{
	static char *arguments[] = {"x", NULL}, *variables[] = {"A=b", NULL};
	static const char *const paths[] = {"/nonexistent", NULL, (char *)1, (char *)PAGE};

	for (unsigned i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		execve(paths[i], arguments, variables);
		puts(strerror(errno));
	}
}

/* `odd`: only with a first argument that no program gives. */
static int filter(uint32_t action, int odd)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigprocmask, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, odd ? 3 : 0, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	uint32_t action = strcmp(mode, "answer") ? SECCOMP_RET_KILL_PROCESS :
						   SECCOMP_RET_ERRNO | EINVAL;

	setvbuf(stdout, NULL, _IONBF, 0);
	if (!strcmp(mode, "coroutine"))
		return run_thread();
	exec_badly(); /* from here on it is known how memory is asked for */
	if (filter(action, !strcmp(mode, "kill-odd")))
		return 77;
	exec_badly();
	return 0;
}
