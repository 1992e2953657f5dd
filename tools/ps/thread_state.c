/* SPDX-License-Identifier: Apache-2.0 */
/* Reads sched and stack of threads, and frozen groups. */
#include "thread_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../base/util.h"
#include "../proc/proc.h"
#include "../proc/process/cgroup.h"
#include "../proc/process/status.h"
#include "../proc/procfs.h"

#define KERNEL_FRAMES 5u

/* ---- since when ---- */

/*
 * When a thread last ran, by the scheduler's clock of its processor, in nanoseconds; 0: unknown. That
 * clock leaves out the time for which the processor was taken away, or served interrupts.
 */
static uint64_t last_ran(uint32_t pid, uint32_t tid)
{
	static const char key[] = "se.exec_start";
	char text[1024], *at;

	at = procfs_read(text, sizeof(text), "%u/task/%u/sched", pid, tid) ? strstr(text, key) :
									     NULL;
	at = at ? strchr(at, ':') : NULL;
	return at ? (uint64_t)(strtod(at + 1, NULL) * 1e6) : 0;
}

#define PROCESSORS 1024u

static void read_left_out(uint64_t *ticks)
{
	AUTO_CLOSE FILE *file = procfs_stream("stat");
	unsigned long long parts[3];
	unsigned processor;
	char line[512];

	memset(ticks, 0, PROCESSORS * sizeof(*ticks));
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "cpu%u %*u %*u %*u %*u %*u %llu %llu %llu", &processor, &parts[0],
			   &parts[1], &parts[2]) == 4 &&
		    processor < PROCESSORS)
			ticks[processor] = parts[0] + parts[1] + parts[2]; /* irq, softirq, steal */
}

/* By how much that clock of a processor is behind, at most: of threads that have not run since this look began. */
static uint64_t left_out_ns(unsigned processor)
{
	static uint64_t ticks[PROCESSORS];
	static uint32_t look;

	if (!look || look != kept_look())
		read_left_out(ticks);
	look = kept_look();
	return processor < PROCESSORS ?
		       ticks[processor] * (1000000000ull / (uint64_t)sysconf(_SC_CLK_TCK)) :
		       0;
}

/* CLOCK_MONOTONIC minus the scheduler's clock, at most, as this thread sees it; 0: unknown. */
static uint64_t clock_lead(void)
{
	static uint64_t lead;
	struct timespec moment = {0, 1000000};
	uint64_t ran;

	if (lead)
		return lead;
	nanosleep(&moment, NULL); /* the clock is noted when a thread gets a processor */
	ran = last_ran((uint32_t)getpid(), (uint32_t)gettid());
	lead = ran ? clock_ns(CLOCK_MONOTONIC) - ran : 0;
	return lead;
}

static uint64_t asleep_since(uint32_t pid, uint32_t tid, unsigned processor)
{
	uint64_t ran = last_ran(pid, tid), lead = ran ? clock_lead() : 0;

	return ran && lead ? ran + lead + left_out_ns(processor) : 0;
}

/* ---- states ---- */

static uint32_t tracer_of(uint32_t pid, uint32_t tid)
{
	uint64_t tracer;

	return proc_status_number(pid, tid, "TracerPid", 10, &tracer) ? (uint32_t)tracer : 0;
}

struct thread_state thread_state(uint32_t pid, uint32_t tid)
{
	struct proc_stat stat = proc_stat(pid, tid);
	struct thread_state found = {.state = stat.state, .read_pages = stat.read_pages};

	if (proc_state_is_stopped(found.state))
		found.tracer = tracer_of(pid, tid);
	if (found.state && found.state != 'R')
		found.asleep_ns = asleep_since(pid, tid, stat.processor);
	return found;
}

/* Lines like "[<0>] futex_wait+0x12/0x34". */
void thread_state_kernel(uint32_t pid, uint32_t tid, char *text, size_t bytes)
{
	AUTO_CLOSE FILE *file = procfs_stream("%u/task/%u/stack", pid, tid);
	char line[256], function[128];
	unsigned count = 0;
	size_t used = 0;

	*text = '\0';
	while (file && count < KERNEL_FRAMES && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "[<%*[^>]>] %127[^+ \n]", function) != 1)
			continue;
		used += (size_t)snprintf(text + used, bytes - used, "%s%s", count++ ? " < " : "",
					 function);
		if (used >= bytes)
			break;
	}
	if (!*text && !proc_wchan(pid, tid, text, bytes))
		*text = '\0';
}

bool thread_state_is_frozen(uint32_t pid)
{
	static struct {
		uint32_t look, pid;
		bool frozen;
	} last;

	if (!last.look || last.look != kept_look() || last.pid != pid)
		last.frozen = cgroup_is_frozen(pid);
	last.look = kept_look();
	last.pid = pid;
	return last.frozen;
}
