/* SPDX-License-Identifier: Apache-2.0 */
/* Reads /proc files of other processes. */
#include "proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "../base/filtered.h"
#include "../base/util.h"
#include "process/status.h"
#include "procfs.h"

#define FLAG_EXITING 4u /* the kernel's PF_EXITING, in stat */
#define FLAG_KERNEL 0x200000u /* PF_KTHREAD */

void proc_each(void (*see)(uint32_t pid, void *context), void *context)
{
	procfs_list(see, context, ".");
}

bool proc_is_self(uint32_t pid)
{
	return pid == (uint32_t)getpid() && !procfs_source();
}

static bool is_zombie(uint32_t pid, uint32_t tid)
{
	char state = proc_stat(pid, tid).state;

	return state == 'Z' || state == 'X';
}

/* Reads one of a thread's files, which stays open in `fd` while it can be read; bytes read, 0: none. */
static size_t read_kept(int *fd, uint32_t pid, uint32_t tid, const char *name, char *text,
			size_t bytes)
{
	int file = fd && *fd >= 0 ? *fd : procfs_open("%u/task/%u/%s", pid, tid, name);
	ssize_t got = file < 0 ? -1 : pread(file, text, bytes - 1, 0);

	if (file >= 0 && (!fd || got <= 0)) {
		close(file);
		file = -1;
	}
	if (fd)
		*fd = file;
	text[got > 0 ? got : 0] = '\0';
	return got > 0 ? (size_t)got : 0;
}

/* Reads numbers; how many there are, of `count`. */
static unsigned read_numbers(const char *text, int base, uint64_t *number, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		char *end;

		number[i] = strtoull(text, &end, base);
		if (end == text)
			return i;
		text = end;
	}
	return count;
}

/* "NUMBER arg0 ... arg5 SP PC", "-1 SP PC" if stopped outside a system call, or "running". */
struct proc_call proc_call(uint32_t pid, uint32_t tid, int *fd)
{
	struct proc_call call = {.state = PROC_UNKNOWN};
	char text[256], *rest;
	uint64_t a[8];

	if (!read_kept(fd, pid, tid, "syscall", text, sizeof(text)) ||
	    !strcmp(text, "-1 0x0 0x0\n")) {
		call.state = is_zombie(pid, tid) ? PROC_ENDED : PROC_UNKNOWN;
		return call;
	}
	call.state = PROC_RUNS;
	call.number = strtol(text, &rest, 10);
	if (rest == text || read_numbers(rest, 16, a, 8) < 8)
		return call;
	call.state = PROC_IN_CALL;
	memcpy(call.arg, a, sizeof(call.arg));
	call.sp = a[6];
	call.pc = a[7];
	return call;
}

/* For kernels built without schedstat. */
static uint64_t switches(uint32_t pid, uint32_t tid)
{
	char text[PROC_STATUS_BYTES];
	const char *left, *lost; /* the processor */

	if (!proc_status(pid, tid, text) ||
	    !(left = proc_status_line(text, "voluntary_ctxt_switches")) ||
	    !(lost = proc_status_line(left, "nonvoluntary_ctxt_switches")))
		return 0;
	return strtoull(left, NULL, 10) + strtoull(lost, NULL, 10);
}

uint64_t proc_runs(uint32_t pid, uint32_t tid, int *fd, struct proc_time *time)
{
	char text[96];
	uint64_t number[3]; /* ran, waited, runs */

	*time = (struct proc_time){0};
	if (!read_kept(fd, pid, tid, "schedstat", text, sizeof(text)) ||
	    read_numbers(text, 10, number, 3) < 3 || !number[2])
		return switches(pid, tid);
	*time = (struct proc_time){number[0], number[1]};
	return number[2];
}

/* Source: clock_getcpuclockid() makes the same number, but asks the kernel whether the clock exists. */
uint64_t proc_ran_ns(uint32_t pid)
{
	clockid_t clock = (clockid_t)(~pid << 3 | 2);
	struct timespec ran;

	if (procfs_source() || clock_gettime(clock, &ran))
		return 0;
	return (uint64_t)ran.tv_sec * 1000000000ull + (uint64_t)ran.tv_nsec;
}

bool proc_threads(uint32_t pid, void (*see)(uint32_t tid, void *context), void *context)
{
	return procfs_list(see, context, "%u/task", pid);
}

/* Source: the kernel counts them among the links of the directory, beside "." and "..". */
uint32_t proc_thread_count(uint32_t pid)
{
	struct stat st;
	char path[32];

	procfs_path(path, sizeof(path), "%u/task", pid);
	return *path && !stat(path, &st) && st.st_nlink > 2 ? (uint32_t)st.st_nlink - 2 : 0;
}

bool proc_lives(uint32_t pid)
{
	struct pollfd end = {.fd = -1, .events = POLLIN};
	bool lives = true;

	if (procfs_source())
		return proc_stat(pid, pid).state;
	if (kill((pid_t)pid, 0) && errno != EPERM)
		return false;
#ifdef SYS_pidfd_open
	end.fd = (int)filtered_call(SYS_pidfd_open, (pid_t)pid, 0, 0, 0, 0);
	if (end.fd < 0)
		return errno != ESRCH && errno != EINVAL; /* a TID that is not a pid */
	lives = poll(&end, 1, 0) <= 0; /* a zombie's pidfd is readable */
	close(end.fd);
#endif
	return lives;
}

bool proc_thread_alive(uint32_t pid, uint32_t tid)
{
	char path[64];

	if (procfs_source()) /* of other processes it does not tell */
		return pid == tid || proc_stat(pid, tid).state;
	procfs_path(path, sizeof(path), "%u/task/%u", pid, tid);
	if (!access(path, F_OK))
		return true;
	/* It may be hidden. With equal numbers, checks whether any thread has the number. */
	return !(pid == tid ? filtered_call(SYS_tkill, tid, 0, 0, 0, 0) :
			      filtered_call(SYS_tgkill, pid, tid, 0, 0, 0)) ||
	       errno != ESRCH;
}

struct children {
	uint32_t pid;
	bool known;
	void (*see)(uint32_t child, void *context);
	void *context;
};

/* A process's children are listed by thread. */
static void children_of_thread(uint32_t tid, void *context)
{
	struct children *of = context;
	unsigned child;
	AUTO_CLOSE FILE *file = procfs_stream("%u/task/%u/children", of->pid, tid);

	if (!file)
		return;
	of->known = true;
	while (fscanf(file, "%u", &child) == 1)
		of->see(child, of->context);
}

bool proc_children(uint32_t pid, void (*see)(uint32_t child, void *context), void *context)
{
	struct children of = {pid, false, see, context};

	return proc_threads(pid, children_of_thread, &of) && of.known;
}

static long read_mem_file(uint32_t pid, uint64_t from, void *to, size_t bytes)
{
	char path[32];
	long got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/mem", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	got = pread(fd, to, bytes, (off_t)from);
	close(fd);
	return got;
}

static long read_by(uint32_t tid, uint64_t from, void *to, size_t bytes)
{
	struct iovec local = {to, bytes}, remote = {(void *)(uintptr_t)from, bytes};

	if (procfs_source())
		return procfs_source()->memory(tid, from, to, bytes);
	if (!filtered_may(SYS_process_vm_readv))
		return read_mem_file(tid, from, to, bytes);
	return process_vm_readv((pid_t)tid, &local, 1, &remote, 1, 0);
}

long proc_read(uint32_t pid, uint64_t from, void *to, size_t bytes)
{
	long got = read_by(pid, from, to, bytes);
	uint32_t living;

	if (got > 0 || (got < 0 && errno != ESRCH))
		return got;
	living = proc_living(pid);
	errno = ESRCH;
	return living && living != pid ? read_by(living, from, to, bytes) : got;
}

bool proc_peek(uint32_t pid, uint64_t from, void *to, size_t bytes)
{
	return proc_read(pid, from, to, bytes) == (long)bytes;
}

/* Threads of a process are asked about one after the other: the last answer counts for a moment. */
#define MOMENT_NS 1000000ull
struct moment {
	uint32_t pid;
	uint64_t read_ns, answer;
};

static bool is_answered(struct moment *moment, uint32_t pid)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	if (moment->pid == pid && now_ns - moment->read_ns < MOMENT_NS)
		return true;
	*moment = (struct moment){pid, now_ns, 0};
	return false;
}

/* Takes the first living thread of a process. */
static void see_living(uint32_t tid, void *context)
{
	uint32_t *of = context;

	if (!of[1] && !is_zombie(of[0], tid))
		of[1] = tid;
}

uint32_t proc_living(uint32_t pid)
{
	static struct moment last;
	uint32_t of[] = {pid, pid};

	if (is_answered(&last, pid))
		return (uint32_t)last.answer;
	if (is_zombie(pid, pid)) {
		of[1] = 0;
		proc_threads(pid, see_living, of);
	}
	last.answer = of[1];
	return of[1];
}

bool proc_descends(uint32_t pid, bool (*is_ours)(uint32_t pid, void *context), void *context)
{
	if (!proc_living(pid))
		return false;
	for (unsigned depth = 0; pid && depth < MPSAN_ANCESTORS; depth++) {
		if (is_ours(pid, context))
			return true;
		pid = proc_stat(pid, pid).parent;
	}
	return false;
}

bool proc_ignores(uint32_t pid, int number)
{
	uint64_t mask;

	return proc_status_number(pid, 0, "SigIgn", 16, &mask) && mask >> (number - 1) & 1;
}

static uint64_t read_handlers(uint32_t pid)
{
	static const int faults[] = {SIGILL,  SIGTRAP, SIGABRT, SIGBUS, SIGFPE,
				     SIGSEGV, SIGSYS,  32,	33};
	uint64_t mask;

	if (!proc_status_number(pid, 0, "SigCgt", 16, &mask))
		return UINT64_MAX;
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		mask &= ~(1ull << (faults[i] - 1));
	return mask;
}

uint64_t proc_handlers(uint32_t pid)
{
	static struct moment last;

	if (!is_answered(&last, pid))
		last.answer = read_handlers(pid);
	return last.answer;
}

bool proc_has_timer(uint32_t pid)
{
	static struct moment last;
	char text[4096];

	if (!is_answered(&last, pid))
		last.answer = procfs_read(text, sizeof(text), "%u/timers", pid) &&
			      strstr(text, "notify: signal");
	return last.answer;
}

static void read_name(uint32_t pid, uint32_t tid, char name[32])
{
	procfs_read(name, 32, "%u/task/%u/comm", pid, tid);
	name[strcspn(name, "\n")] = '\0';
}

void proc_thread_name(uint32_t pid, uint32_t tid, char name[32])
{
	static struct moment last;
	static char process[32];

	if (!is_answered(&last, pid))
		read_name(pid, pid, process);
	read_name(pid, tid, name);
	if (!strcmp(name, process))
		name[0] = '\0';
}

bool proc_wchan(uint32_t pid, uint32_t tid, char *name, size_t bytes)
{
	return procfs_read(name, bytes, "%u/task/%u/wchan", pid, tid) && strcmp(name, "0");
}

/* Fields of stat that are numbers, counted as in proc(5). A core file has them up to STACK. */
enum {
	PARENT = 4,
	FLAGS = 9,
	FAULTS = 10,
	READ_PAGES = 12,
	THREADS = 20,
	START = 22,
	STACK = 28,
	PROCESSOR = 39,
	ENDED = 52,
	FIELDS
};

static struct proc_stat parse_stat(const char *text)
{
	const char *after = strrchr(text, ')'); /* the name may contain parentheses itself */
	uint64_t field[FIELDS] = {0};

	if (!after || after[1] != ' ' || !after[2] ||
	    read_numbers(after + 3, 10, field + PARENT, FIELDS - PARENT) <= START - PARENT)
		return (struct proc_stat){0};
	return (struct proc_stat){
		.state = after[2],
		.parent = (uint32_t)field[PARENT],
		.threads = (uint32_t)field[THREADS],
		.exits = field[FLAGS] & FLAG_EXITING,
		.kernel = field[FLAGS] & FLAG_KERNEL,
		.forked = field[FLAGS] & PROC_FLAG_FORKED,
		.start = field[START],
		.stack = field[STACK],
		.faults = field[FAULTS],
		.read_pages = field[READ_PAGES],
		.processor = (uint32_t)field[PROCESSOR],
		.ended = (int)field[ENDED],
	};
}

struct proc_stat proc_stat(uint32_t pid, uint32_t tid)
{
	char text[1024];

	procfs_read(text, sizeof(text), "%u/task/%u/stat", pid, tid);
	return parse_stat(text);
}

struct proc_stat proc_stat_all(uint32_t pid)
{
	char text[1024];

	procfs_read(text, sizeof(text), "%u/stat", pid);
	return parse_stat(text);
}

bool proc_is_stopped(uint32_t pid, uint32_t tid)
{
	return proc_state_is_stopped(proc_stat(pid, tid).state);
}

#define NUMBERS_CLOSE 16384u /* half of the usual limit; so many are not given within a tick */

bool proc_number_precedes(uint32_t number, uint32_t other)
{
	return number < other ? other - number < NUMBERS_CLOSE : number - other > NUMBERS_CLOSE;
}

bool proc_precedes(uint32_t pid, uint32_t tid, uint32_t other, uint64_t start)
{
	struct proc_stat stat = proc_stat(pid, tid);

	if (!stat.start && !start) /* unknown, as in a core file */
		return stat.state && tid < other;
	return stat.state &&
	       (stat.start == start ? proc_number_precedes(tid, other) : stat.start < start);
}

bool proc_stat_ended(const struct proc_stat *main_thread)
{
	return (main_thread->state == 'Z' || main_thread->state == 'X') &&
	       main_thread->threads <= 1;
}

bool proc_leaves(uint32_t pid)
{
	struct proc_stat stat = proc_stat(pid, pid);

	if (stat.state == 'Z' || stat.state == 'X')
		stat = proc_stat(pid, proc_living(pid));
	return stat.state ? stat.exits : !proc_lives(pid);
}

uint64_t proc_shared_bytes(uint32_t pid)
{
	uint64_t kib;

	return proc_status_number(proc_living(pid), 0, "RssShmem", 10, &kib) ? kib * 1024 : 0;
}

int proc_ended(uint32_t pid)
{
	struct proc_stat stat = proc_stat(pid, pid);

	if (proc_stat_ended(&stat))
		stat = proc_stat_all(pid);
	return proc_stat_ended(&stat) ? stat.ended : -1;
}

unsigned proc_yama(void)
{
	char text[16];

	return procfs_read(text, sizeof(text), "sys/kernel/yama/ptrace_scope") ?
		       (unsigned)strtoul(text, NULL, 10) :
		       0;
}
