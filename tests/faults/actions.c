/*
 * What a program sees of its own signal actions. It makes faults possible that the library observes (memory left out of
 * a fork, memory shared with others), and prints, in children of its own, all that sigaction and its kin say and do.
 * With or without the library it must print the same.
 */
#include "../preload/lib.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define PAGE 4096
#if defined(__x86_64__)
#define PC_OF(context) ((context)->uc_mcontext.gregs[REG_RIP])
#else
#define PC_OF(context) ((context)->uc_mcontext.pc)
#endif

static char *excluded, *beyond;
static char *missing; /* in children: one of these two */
static int number; /* the signal under test */
static volatile int calls;
static sigjmp_buf back;
static char *alternate;

static void print_action(const char *what, const struct sigaction *a)
{
	printf("%s: %s flags %x mask %d%d\n", what,
	       a->sa_handler == SIG_DFL ? "default" :
	       a->sa_handler == SIG_IGN ? "ignored" :
					  "handler",
	       (unsigned)a->sa_flags, sigismember(&a->sa_mask, SIGUSR1),
	       sigismember(&a->sa_mask, SIGUSR2));
}

static void ask(const char *what)
{
	struct sigaction now;

	must(sigaction(number, NULL, &now) == 0);
	print_action(what, &now);
}

static void on_info(int n, siginfo_t *info, void *context)
{
	ucontext_t *at = context;
	char here;

	must(n == number);
	calls++;
	printf("code %d from me %d value %d address right %d at a place %d alternate %d blocked %d%d\n",
	       info->si_code, info->si_code <= 0 && info->si_pid == getpid(),
	       info->si_code == SI_QUEUE ? info->si_value.sival_int : 0,
	       info->si_code > 0 ? (char *)info->si_addr == missing + 16 : 0, PC_OF(at) != 0,
	       alternate && &here > alternate && &here < alternate + 16 * PAGE,
	       sigismember(&at->uc_sigmask, SIGUSR1), sigismember(&at->uc_sigmask, number));
	if (info->si_code > 0)
		siglongjmp(back, 1);
}

static struct sigaction set_info(int flags)
{
	struct sigaction mine = {.sa_sigaction = on_info, .sa_flags = SA_SIGINFO | flags}, old;

	sigaddset(&mine.sa_mask, SIGUSR1);
	must(sigaction(number, &mine, &old) == 0);
	return old;
}

/* A real fault: of memory that the fork left out, or behind the end of a segment. */
static void touch(void)
{
	if (sigsetjmp(back, 1) == 0)
		*(volatile char *)(missing + 16) = 1;
}

static void asks(void)
{
	struct sigaction old;

	ask("at first");
	old = set_info(SA_RESTART | SA_NODEFER | SA_ONSTACK);
	print_action("old", &old);
	ask("mine");
	old = set_info(SA_RESETHAND);
	print_action("old", &old);
	ask("mine again");
	printf("signal %d\n", signal(number, SIG_IGN) == (void (*)(int))(void *)on_info);
	ask("after signal");
	printf("sysv_signal %d\n", sysv_signal(number, SIG_DFL) == SIG_IGN);
	ask("after sysv_signal");
	printf("ssignal %d\n", ssignal(number, (void (*)(int))(void *)on_info) == SIG_DFL);
	ask("after ssignal");
	printf("sigset %d\n", sigset(number, SIG_DFL) == (void (*)(int))(void *)on_info);
	ask("after sigset");
	printf("refused %d\n", sigaction(SIGKILL, &old, NULL));
	set_info(0);
	must(siginterrupt(number, 0) == 0);
	ask("restarts");
	must(siginterrupt(number, 1) == 0);
	ask("interrupts");
}

static void asks_raw(void)
{
	struct {
		void *handler;
		unsigned long flags;
		void *restorer;
		uint64_t mask;
	} raw = {0};

	must(syscall(SYS_rt_sigaction, number, NULL, &raw, 8) == 0);
	printf("raw default %d %lx %d\n", raw.handler == NULL, raw.flags, raw.restorer == NULL);
	set_info(SA_NODEFER);
	must(syscall(SYS_rt_sigaction, number, NULL, &raw, 8) == 0);
	printf("raw mine %d %lx\n", raw.handler == (void *)on_info, raw.flags);
	raw.handler = SIG_IGN;
	must(syscall(SYS_rt_sigaction, number, &raw, NULL, 8) == 0);
	ask("after raw");
}

static void is_sent(void)
{
	union sigval value = {.sival_int = 42};

	set_info(0);
	must(kill(getpid(), number) == 0);
	must(raise(number) == 0);
	must(sigqueue(getpid(), number, value) == 0);
	printf("calls %d\n", calls);
}

static void is_sent_first_kind(void)
{
	union sigval value = {.sival_int = 42};

	set_info(0);
	must(sigqueue(getpid(), number, value) == 0);
	printf("calls %d\n", calls);
}

static void dies_by_raise(void)
{
	raise(number);
}

static void dies_by_kill(void)
{
	kill(getpid(), number);
}

static void dies_ignored(void)
{
	signal(number, SIG_IGN);
	raise(number);
	puts("ignored");
}

static void faults_twice(void)
{
	set_info(0);
	touch();
	touch();
	printf("calls %d\n", calls);
	ask("then");
}

static void faults_on_alternate(void)
{
	stack_t stack = {.ss_size = 16 * PAGE};

	alternate = stack.ss_sp = malloc(stack.ss_size);
	must(sigaltstack(&stack, NULL) == 0);
	set_info(SA_ONSTACK);
	touch();
	touch();
}

/* As small as glibc calls right: nobody may write below it. */
static void faults_on_small(void)
{
	size_t size = (size_t)SIGSTKSZ; /* since 2.34 a call of sysconf */
	char *memory = malloc(size + 2 * PAGE);
	stack_t stack = {.ss_sp = memory + 2 * PAGE, .ss_size = size};
	int harmed = 0;

	memset(memory, 'x', 2 * PAGE);
	must(sigaltstack(&stack, NULL) == 0);
	set_info(SA_ONSTACK);
	touch();
	for (int i = 0; i < 2 * PAGE; i++)
		harmed += memory[i] != 'x';
	printf("harmed %d\n", harmed);
}

static void faults_resetting(void)
{
	set_info(SA_RESETHAND);
	touch();
	ask("reset");
	touch();
}

static void faults_by_default(void)
{
	*(volatile char *)(missing + 16) = 1;
}

static void faults_blocked(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	set_info(0);
	sigprocmask(SIG_BLOCK, &set, NULL);
	touch();
}

static void faults_ignored(void)
{
	signal(number, SIG_IGN);
	*(volatile char *)(missing + 16) = 1;
}

/* As torch's workers do: say so, restore the default, die of it. */
static void on_worker_fault(int n, siginfo_t *info, void *context)
{
	struct sigaction plain = {.sa_handler = SIG_DFL};

	(void)info;
	(void)context;
	must(write(1, "worker handler\n", 15) == 15);
	sigaction(n, &plain, NULL);
	kill(getpid(), n);
}

static void faults_as_worker(void)
{
	struct sigaction mine = {.sa_sigaction = on_worker_fault,
				 .sa_flags = SA_RESTART | SA_SIGINFO | SA_NOCLDSTOP | SA_NODEFER};

	must(sigaction(number, &mine, NULL) == 0);
	fflush(stdout);
	*(volatile char *)(missing + 16) = 1;
	for (;;)
		pause();
}

static void *thread_faults(void *argument)
{
	*(volatile char *)(missing + 16) = 1;
	return argument;
}

static volatile int shared_calls;

static void on_thread_fault(int n)
{
	must(n == number);
	__atomic_add_fetch(&shared_calls, 1, __ATOMIC_SEQ_CST);
	pthread_exit(NULL);
}

static void faults_in_threads(void)
{
	struct sigaction mine = {.sa_handler = on_thread_fault, .sa_flags = SA_NODEFER};
	pthread_t thread[8];

	must(sigaction(number, &mine, NULL) == 0);
	for (int i = 0; i < 8; i++)
		must(pthread_create(&thread[i], NULL, thread_faults, NULL) == 0);
	for (int i = 0; i < 8; i++)
		must(pthread_join(thread[i], NULL) == 0);
	printf("threads %d\n", shared_calls);
}

static volatile int deepest = 1 << 30;

static void overflow(int depth)
{
	volatile char room[PAGE];

	room[0] = (char)depth;
	if (depth < deepest)
		overflow(depth + 1);
	room[1] = room[0];
}

static void overflows(void)
{
	overflow(0);
}

static void on_overflow(int n)
{
	must(n == SIGSEGV);
	must(write(1, "overflow handled\n", 17) == 17);
	_exit(7);
}

static void overflows_handled(void)
{
	stack_t stack = {.ss_sp = malloc(16 * PAGE), .ss_size = 16 * PAGE};
	struct sigaction mine = {.sa_handler = on_overflow, .sa_flags = SA_ONSTACK};

	must(sigaltstack(&stack, NULL) == 0);
	must(sigaction(SIGSEGV, &mine, NULL) == 0);
	fflush(stdout);
	overflow(0);
}

static struct gate blocked;

static void *interrupts(void *tid)
{
	until_asleep(getpid(), *(pid_t *)tid);
	must(syscall(SYS_tgkill, getpid(), *(pid_t *)tid, number) == 0);
	while (!calls)
		sched_yield();
	until_asleep(getpid(), *(pid_t *)tid);
	gate_open(&blocked);
	return NULL;
}

static void *interrupts_once(void *tid)
{
	until_asleep(getpid(), *(pid_t *)tid);
	must(syscall(SYS_tgkill, getpid(), *(pid_t *)tid, number) == 0);
	return NULL;
}

static void read_interrupted(int flags)
{
	pid_t tid = gettid();
	pthread_t thread;
	ssize_t result;
	char byte;

	gate_init(&blocked);
	set_info(flags);
	must(pthread_create(&thread, NULL, flags & SA_RESTART ? interrupts : interrupts_once,
			    &tid) == 0);
	result = read(blocked.fd[0], &byte, 1);
	printf("read %zd %s\n", result, result < 0 ? strerror(errno) : "");
	must(pthread_join(thread, NULL) == 0);
}

static void interrupted(void)
{
	read_interrupted(0);
}

static void restarted(void)
{
	read_interrupted(SA_RESTART);
}

static void waited_for(void)
{
	siginfo_t info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	must(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
	must(kill(getpid(), number) == 0);
	printf("sigwaitinfo %d\n", sigwaitinfo(&set, &info) == number);
	must(kill(getpid(), number) == 0);
	must(read(signalfd(-1, &set, 0), (char[sizeof(struct signalfd_siginfo)]){0},
		  sizeof(struct signalfd_siginfo)) > 0);
	puts("signalfd");
}

static void vfork_changes(void)
{
	pid_t child;

	set_info(SA_RESTART);
	child = vfork();
	if (child == 0) {
		struct sigaction plain = {.sa_handler = SIG_DFL}, old;

		sigaction(number, &plain, &old);
		_exit(old.sa_sigaction == on_info ? 5 : 6);
	}
	printf("vfork child %d\n", child_wait(child));
	ask("after vfork");
	child = vfork();
	if (child == 0) {
		raise(number);
		_exit(9);
	}
	printf("vfork child %d\n", child_wait(child));
	ask("after its signal");
}

static void execs(void)
{
	fflush(stdout);
	execl("/bin/sed", "sed", "-n", "/^Sig[IC]/p", "/proc/self/status", NULL);
}

static void execs_ignoring(void)
{
	signal(number, SIG_IGN);
	execs();
}

static void execs_handling(void)
{
	set_info(0);
	execs();
}

static void forks_on(void)
{
	set_info(0);
	fflush(stdout);
	if (fork() == 0) {
		touch();
		printf("grandchild calls %d\n", calls);
		exit(0);
	}
	must(wait(NULL) > 0);
	touch();
	printf("calls %d\n", calls);
}

// clang-format off
#define CASE(body, stack) {#body, body, stack}
static const struct {
	const char *name;
	void (*body)(void);
	bool stack; /* a fault of the stack: SIGSEGV only */
} cases[] = {
	CASE(asks, false), CASE(asks_raw, false), CASE(is_sent, false),
	CASE(is_sent_first_kind, false), CASE(dies_by_raise, false), CASE(dies_by_kill, false),
	CASE(dies_ignored, false), CASE(interrupted, false), CASE(restarted, false),
	CASE(waited_for, false), CASE(vfork_changes, false), CASE(execs, false),
	CASE(execs_ignoring, false), CASE(execs_handling, false), CASE(faults_twice, false),
	CASE(faults_on_alternate, false), CASE(faults_on_small, false),
	CASE(faults_resetting, false), CASE(faults_by_default, false), CASE(faults_blocked, false),
	CASE(faults_ignored, false), CASE(faults_as_worker, false), CASE(faults_in_threads, false),
	CASE(overflows, true), CASE(overflows_handled, true), CASE(forks_on, false),
};
// clang-format on

static void run(unsigned i)
{
	pid_t child;
	int status;

	printf("-- %s %d\n", cases[i].name, number);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		alarm(20);
		cases[i].body();
		exit(0);
	}
	must(waitpid(child, &status, 0) == child);
	/* whether a core was written is the machine's affair */
	printf("ended with %x\n", status & ~0x80);
}

/* A segment of shared memory makes SIGBUS possible; behind its end it is certain. */
static void share(void)
{
	int fd = memfd_create("actions", MFD_CLOEXEC);

	must(fd >= 0 && ftruncate(fd, PAGE) == 0);
	beyond = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(beyond != MAP_FAILED && ftruncate(fd, 0) == 0);
}

int main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	excluded = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(excluded != MAP_FAILED && madvise(excluded, PAGE, MADV_DONTFORK) == 0);
	share();
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		number = SIGSEGV;
		missing = excluded;
		run(i);
		number = SIGBUS;
		missing = beyond;
		if (!cases[i].stack)
			run(i);
	}
	return 0;
}
