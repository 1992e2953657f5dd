/* SPDX-License-Identifier: Apache-2.0 */
/* Reads /proc/locks, in which each lock is followed by those that wait for it, marked by arrows. */
#include "file_locks.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "../base/util.h"
#include "procfs.h"

#define OF_FILE (-1)

/* A line of the table: proc_locks(5). */
struct line {
	bool waits;
	char type[8];
	int64_t pid; /* OF_FILE: of an open file, by fcntl */
	uint64_t inode;
};

static bool parse(const char *text, struct line *line)
{
	const char *arrow = strstr(text, "->"), *at = arrow ? arrow + 2 : strchr(text, ':');

	line->waits = arrow;
	return at && sscanf(arrow ? at : at + 1, "%7s %*s %*s %" SCNd64 " %*x:%*x:%" SCNu64,
			    line->type, &line->pid, &line->inode) == 3;
}

static bool same(const struct file_lock *one, const struct file_lock *other)
{
	return one->of_process == other->of_process && one->pid == other->pid;
}

static struct file_lock lock_of(const struct line *line)
{
	return (struct file_lock){!strcmp(line->type, "POSIX"),
				  line->pid > 0 ? (uint32_t)line->pid : 0};
}

/* The kernel does not say which process waits with an open file. */
static bool is_waiter(const struct line *line, uint32_t pid, const struct proc_call *call)
{
	bool of_file = call->number == SYS_fcntl && call->arg[1] == F_OFD_SETLKW;

	return line->waits && line->pid == (of_file ? OF_FILE : (int64_t)pid);
}

/* Whoever has what is wanted; `call`: NULL for any lock that is held. */
struct wanted {
	uint32_t pid;
	const struct proc_call *call;
	uint64_t inode, mask;
};

static bool is_wanted(const struct wanted *wanted, const struct line *line)
{
	return (line->inode & wanted->mask) == (wanted->inode & wanted->mask) &&
	       (wanted->call ? is_waiter(line, wanted->pid, wanted->call) : !line->waits);
}

static bool find(const struct wanted *wanted, struct file_lock *lock)
{
	AUTO_CLOSE FILE *file = procfs_stream("locks");
	struct line line, holder = {0};
	uint32_t found = 0;
	char text[256];

	while (file && fgets(text, sizeof(text), file)) {
		struct file_lock held;

		if (!parse(text, &line))
			continue;
		if (!line.waits)
			holder = line;
		if (!is_wanted(wanted, &line))
			continue;
		held = lock_of(&holder);
		found += !found || !same(lock, &held);
		*lock = held;
	}
	return found == 1;
}

bool file_lock_awaited(uint32_t pid, const struct proc_call *call, uint64_t inode,
		       struct file_lock *lock)
{
	return find(&(struct wanted){pid, call, inode, UINT64_MAX}, lock);
}

bool file_lock_held(uint64_t inode, struct file_lock *lock)
{
	return find(&(struct wanted){.inode = inode, .mask = (1ull << 48) - 1}, lock);
}
