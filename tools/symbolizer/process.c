/* SPDX-License-Identifier: Apache-2.0 */
/* Starts and ends the symbolizer's process, and talks to it: see process.h. */
#include "process.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../base/filtered.h"
#include "../base/system_calls.h"
#include "../base/util.h"
#include "sandbox.h"
#include "serve.h"

#define SECOND_NS 1000000000ull
#define BLOCKED_NS (2 * SECOND_NS) /* without any progress */
#define COMPUTES_NS (5 * SECOND_NS)
#define ALTOGETHER_NS (20 * SECOND_NS) /* a cold disk, a busy machine */
#define GLANCE_MS 100
#define ANSWER_BYTES (1u << 20)

static struct {
	pid_t pid; /* 0: none */
	int fd;
	uint32_t number;
	volatile uint32_t *module; /* see serve() */
	uint32_t blamed;
	uint64_t used_ns; /* processor time, when its question was asked */
} process;

void (*symbolizer_meanwhile)(void);

uint32_t process_module(void)
{
	return process.blamed;
}

pid_t process_pid(void)
{
	return process.pid;
}

/* ---- its life ---- */

static bool share_page(void)
{
	void *page;

	if (process.module)
		return true;
	page = mmap(NULL, sizeof(*process.module), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return false;
	process.module = page;
	return true;
}

static _Noreturn void run(int fd, pid_t parent)
{
	if (filtered_may(SYS_prctl)) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "mpsan-symbols");
	}
	if (getppid() != parent)
		_exit(0);
	sandbox_enter(fd);
	serve(process.module);
}

static bool may_start(void)
{
	static const long needed[] = {SYS_socketpair, SYS_sendto, SYS_recvfrom};

	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
		if (!filtered_may(needed[i])) {
			errno = EPERM;
			return false;
		}
	return true;
}

uint32_t process_start(void)
{
	pid_t self = getpid();
	int pair[2];
	long pid;

	if (process.pid)
		return process.number;
	if (!may_start() || !share_page() ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return 0;
	pid = syscall(SYS_clone, 0, 0, 0, 0, 0); /* as fork(), without SIGCHLD */
	if (!pid)
		run(pair[1], self);
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return 0;
	}
	process.pid = (pid_t)pid;
	process.fd = pair[0];
	return ++process.number;
}

/* It may be in a call that not even SIGKILL ends, so it is not waited for. */
void process_stop(void)
{
	struct timespec moment = {.tv_nsec = 1000000};

	if (!process.pid)
		return;
	close(process.fd);
	kill(process.pid, SIGKILL);
	for (int i = 0; i < GLANCE_MS && !waitpid(process.pid, NULL, WNOHANG | __WALL); i++)
		nanosleep(&moment, NULL);
	process.pid = 0;
}

/* ---- questions ---- */

static uint64_t processor_ns(void)
{
	struct timespec time;
	clockid_t clock;

	if (clock_getcpuclockid(process.pid, &clock) || clock_gettime(clock, &time))
		return 0;
	return (uint64_t)time.tv_sec * SECOND_NS + (uint64_t)time.tv_nsec;
}

/* What is known of a question that is not answered yet. */
struct patience {
	uint64_t begun_ns, moved_ns, used_ns;
};

static enum process_end look_at(struct patience *patience)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC), used_ns = processor_ns();

	if (used_ns != patience->used_ns)
		patience->moved_ns = now_ns;
	patience->used_ns = used_ns;
	if (now_ns - patience->moved_ns > BLOCKED_NS)
		return PROCESS_STUCK;
	return used_ns - process.used_ns > COMPUTES_NS ||
			       now_ns - patience->begun_ns > ALTOGETHER_NS ?
		       PROCESS_SLOW :
		       PROCESS_ANSWERED;
}

/* Waits until it can be written to or read from; PROCESS_ANSWERED: it can. */
static enum process_end await(short events, struct patience *patience)
{
	struct pollfd poll_fd = {.fd = process.fd, .events = events};
	enum process_end end = PROCESS_ANSWERED;

	while (end == PROCESS_ANSWERED && poll(&poll_fd, 1, GLANCE_MS) <= 0) {
		if (symbolizer_meanwhile)
			symbolizer_meanwhile();
		end = look_at(patience);
	}
	return end;
}

static enum process_end move_bytes(void *bytes, size_t count, bool out, struct patience *patience)
{
	for (size_t done = 0; done < count;) {
		enum process_end end = await(out ? POLLOUT : POLLIN, patience);
		char *at = (char *)bytes + done;
		ssize_t moved;

		if (end != PROCESS_ANSWERED)
			return end;
		moved = out ? send(process.fd, at, count - done, MSG_DONTWAIT | MSG_NOSIGNAL) :
			      recv(process.fd, at, count - done, MSG_DONTWAIT);
		if (moved < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (moved <= 0)
			return PROCESS_CRASHED;
		done += (size_t)moved;
	}
	return PROCESS_ANSWERED;
}

static enum process_end exchange(const struct message *question, struct message *answer,
				 struct patience *patience)
{
	uint64_t length = question->used;
	enum process_end end = move_bytes(&length, sizeof(length), true, patience);

	if (end == PROCESS_ANSWERED)
		end = move_bytes(question->bytes, question->used, true, patience);
	if (end == PROCESS_ANSWERED)
		end = move_bytes(&length, sizeof(length), false, patience);
	if (end != PROCESS_ANSWERED)
		return end;
	if (length > ANSWER_BYTES)
		return PROCESS_CRASHED;
	message_begin(answer);
	if (length > answer->room) {
		answer->room = length;
		answer->bytes = memory_grow(answer->bytes, length);
	}
	answer->used = length;
	return move_bytes(answer->bytes, length, false, patience);
}

enum process_end process_ask(const struct message *question, struct message *answer)
{
	struct patience patience = {0};
	enum process_end end;

	if (!process_start())
		return PROCESS_UNAVAILABLE;
	patience.begun_ns = patience.moved_ns = clock_ns(CLOCK_MONOTONIC);
	process.used_ns = processor_ns();
	end = exchange(question, answer, &patience);
	process.blamed = *process.module;
	if (end != PROCESS_ANSWERED || process.used_ns > SANDBOX_CPU_S * SECOND_NS / 2)
		process_stop();
	return end;
}
