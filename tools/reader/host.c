/* SPDX-License-Identifier: Apache-2.0 */
/* Describes this host and process for a new session. */
#include "host.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "../../shim/common/rank.h"
#include "../base/filtered.h"
#include "../base/util.h"
#include "../proc/proc.h"

#define START_SLACK_NS 20000000ull /* start times are in ticks of 10 ms */
#define CLOCK_READINGS 5

static const char *variable(const char *name)
{
	return getenv(name);
}

char *host_directory(const char *pattern)
{
	char *dir = memory_get(PATH_MAX);
	struct utsname name = {0};
	struct rank_names names = {name.nodename, getpid(), variable};

	uname(&name);
	if (rank_expand(dir, PATH_MAX, pattern, &names))
		return dir;
	free(dir);
	return NULL;
}

char *host_literal(const char *dir)
{
	char *literal, *at;

	if (!rank_is_pattern(dir))
		return text_copy(dir);
	at = literal = memory_get(2 * strlen(dir) + 1);
	for (; *dir; dir++) {
		if (*dir == '%')
			*at++ = '%';
		*at++ = *dir;
	}
	return literal;
}

static void read_boot(struct mpsan_host *host)
{
	AUTO_CLOSE FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (!file)
		return;
	if (fgets(host->boot, sizeof(host->boot), file))
		host->boot[strcspn(host->boot, "\n")] = '\0';
}

bool host_is_here(const struct mpsan_host *host, bool *known)
{
	static struct mpsan_host own;

	if (!*own.boot)
		read_boot(&own);
	*known = *own.boot && *host->boot;
	return *known && !strncmp(own.boot, host->boot, sizeof(own.boot));
}

bool host_proc_is_own(void)
{
	static int known = -1;
	char name[24] = "";

	if (known < 0)
		known = readlink("/proc/self", name, sizeof(name) - 1) > 0 &&
			atoi(name) == getpid();
	return known;
}

uint64_t host_start_of(uint32_t pid)
{
	struct proc_stat stat = proc_stat(pid, pid);
	int64_t ahead = clock_ahead_ns("boottime") / (1000000000 / sysconf(_SC_CLK_TCK));

	return stat.state ? stat.start - (uint64_t)ahead : 0;
}

uint64_t host_start_ns(uint64_t start)
{
	uint64_t boot = start * (1000000000ull / (uint64_t)sysconf(_SC_CLK_TCK)), offset;

	/* Read in this order: time passes between the two, and the offset may be zero. */
	offset = clock_ns(CLOCK_MONOTONIC);
	offset = clock_ns(CLOCK_BOOTTIME) - offset;
	return boot > offset ? boot - offset : 0;
}

bool host_started_later(uint64_t start, uint64_t birth_ns)
{
	return host_start_ns(start) > birth_ns + START_SLACK_NS;
}

uint64_t host_pid_namespace(void)
{
	static uint64_t inode;
	struct stat st;

	if (!inode && !stat("/proc/self/ns/pid", &st))
		inode = st.st_ino;
	return inode;
}

/* As in shim/record/session_dir.c: the file system, perhaps on a server, tells the time. */
static void compare_clocks(struct mpsan_host *host, const char *file)
{
	struct statfs fs;

	if (!statfs(file, &fs))
		host->filesystem = (uint32_t)fs.f_type;
	for (int i = 0; i < CLOCK_READINGS && filtered_may(SYS_utimensat); i++) {
		uint64_t before = clock_ns(CLOCK_REALTIME), after;
		int set = utimensat(AT_FDCWD, file, NULL, 0);
		struct stat st;

		after = clock_ns(CLOCK_REALTIME);
		if (set || lstat(file, &st))
			return;
		rank_clock(host, before, after,
			   (uint64_t)st.st_mtim.tv_sec * 1000000000u + st.st_mtim.tv_nsec);
	}
}

uint64_t host_proc_mount(void)
{
	char self[16] = "";
	struct stat st;

	if (readlink("/proc/self", self, sizeof(self) - 1) <= 0 || stat("/proc", &st))
		return 0;
	return mpsan_proc_mount(strtoull(self, NULL, 10), (uint64_t)getpid(), st.st_dev,
				(uint64_t)st.st_ctim.tv_sec * 1000000000u +
					(uint64_t)st.st_ctim.tv_nsec);
}

void host_describe(struct mpsan_host *host, const char *file)
{
	struct timex timex = {0};
	struct utsname name = {0};

	if (!uname(&name))
		memcpy(host->name, name.nodename, sizeof(host->name) - 1); /* keeps its NUL */
	read_boot(host);
	rank_describe(host, variable);
	compare_clocks(host, file);
	if (!filtered_may(SYS_adjtimex) || !filtered_may(SYS_clock_adjtime) || adjtimex(&timex) < 0)
		return;
	host->clock |= timex.status & STA_UNSYNC ? MPSAN_CLOCK_LOOSE : MPSAN_CLOCK_SYNCED;
	host->max_error_ns = (uint64_t)timex.maxerror * 1000;
}
