/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the descriptors of processes through /proc. */
#include "descriptors.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../base/filtered.h"
#include "../base/util.h"
#include "proc.h"
#include "procfs.h"

#define TABLES_MAX 16u

#define NEEDED 6

bool descriptors_suffice(void)
{
	int fd[NEEDED], count = 0;

	while (count < NEEDED && (fd[count] = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)) >= 0)
		count++;
	for (int i = 0; i < count; i++)
		close(fd[i]);
	return count == NEEDED;
}

/* A walk over one process; remembers which descriptor tables it has seen. */
struct walk {
	uint32_t pid;
	uint32_t seen[TABLES_MAX], count;
	bool may_compare; /* a seccomp filter may kill the caller of kcmp(2) */
	bool failed;
	void (*see)(const struct descriptor *descriptor, void *context);
	void *context;
};

static bool descriptors_find(struct descriptor *descriptor, uint32_t tid, const char *number)
{
	ssize_t bytes;

	procfs_path(descriptor->path, sizeof(descriptor->path), "%u/task/%u/fd/%.10s",
		    descriptor->pid, tid, number);
	bytes = readlink(descriptor->path, descriptor->target, sizeof(descriptor->target) - 1);
	descriptor->target[bytes > 0 ? bytes : 0] = '\0';
	return bytes > 0;
}

bool descriptor_of(uint32_t pid, int fd, struct descriptor *descriptor)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", fd);
	descriptor->pid = pid;
	return descriptors_find(descriptor, proc_living(pid), number);
}

bool descriptor_is_closed(uint32_t tid, int fd)
{
	struct descriptor descriptor;
	char path[64];

	if (descriptor_of(tid, fd, &descriptor) || errno != ENOENT)
		return false;
	procfs_path(path, sizeof(path), "%u/task/%u/fd", tid, proc_living(tid));
	return !access(path, R_OK | X_OK);
}

/* A process that ended meanwhile has no descriptors. */
static void see_table(struct walk *walk, uint32_t tid)
{
	struct descriptor descriptor = {.pid = walk->pid};
	struct dirent *entry;
	char path[48];
	DIR *dir;

	procfs_path(path, sizeof(path), "%u/task/%u/fd", walk->pid, tid);
	dir = opendir(path);
	if (!dir) {
		walk->failed |= procfs_source() || (errno != ENOENT && errno != ESRCH);
		return;
	}
	while ((entry = readdir(dir)))
		if (isdigit((unsigned char)*entry->d_name) &&
		    descriptors_find(&descriptor, tid, entry->d_name))
			walk->see(&descriptor, walk->context);
	closedir(dir);
}

static bool has_same(const struct walk *walk, uint32_t one, uint32_t other)
{
	return one == other || !walk->may_compare ||
	       filtered_call(SYS_kcmp, one, other, KCMP_FILES, 0, 0) <= 0;
}

static void see_thread(uint32_t tid, void *context)
{
	struct walk *walk = context;

	for (uint32_t i = 0; i < walk->count; i++)
		if (has_same(walk, walk->seen[i], tid))
			return;
	if (walk->count < TABLES_MAX)
		walk->seen[walk->count++] = tid;
	see_table(walk, tid);
}

bool descriptor_may_be_same(uint32_t one, uint32_t other, int fd)
{
	return one == other || procfs_source() ||
	       filtered_call(SYS_kcmp, proc_living(one), proc_living(other), KCMP_FILE, fd, fd) <=
		       0;
}

bool descriptors_each(uint32_t pid, void (*see)(const struct descriptor *descriptor, void *context),
		      void *context)
{
	struct walk walk = {.pid = pid, .see = see, .context = context};
	bool alone = proc_stat(pid, pid).threads == 1;
	uint32_t living = alone ? pid : proc_living(pid);

	if (!living)
		return true;
	walk.may_compare = filtered_may(SYS_kcmp);
	see_thread(living, &walk);
	if (!alone)
		proc_threads(pid, see_thread, &walk);
	return !walk.failed;
}

bool descriptor_stat(const struct descriptor *descriptor, struct statx *file)
{
	return !statx(AT_FDCWD, descriptor->path, AT_STATX_DONT_SYNC, STATX_BASIC_STATS, file);
}

static int64_t number_in(const char *path, const char *key, int base)
{
	size_t length = strlen(key);
	int64_t value = -1;
	AUTO_CLOSE FILE *file = fopen(path, "re");
	char line[128];

	while (file && value < 0 && fgets(line, sizeof(line), file))
		if (!strncmp(line, key, length) && line[length] == ':')
			value = strtoll(line + length + 1, NULL, base);
	return value;
}

static void info_path(const struct descriptor *descriptor, char *path, size_t bytes)
{
	const char *number = strstr(descriptor->path, "/fd/");

	snprintf(path, bytes, "%.*s/fdinfo/%s", (int)(number - descriptor->path), descriptor->path,
		 number + 4);
}

int64_t descriptor_info(const struct descriptor *descriptor, const char *key, int base)
{
	char path[sizeof(descriptor->path) + 4];

	info_path(descriptor, path, sizeof(path));
	return number_in(path, key, base);
}

static FILE *info_open(const struct descriptor *descriptor)
{
	char path[sizeof(descriptor->path) + 4];

	info_path(descriptor, path, sizeof(path));
	return fopen(path, "re");
}

bool descriptor_says(const struct descriptor *descriptor, const char *line)
{
	AUTO_CLOSE FILE *file = info_open(descriptor);
	size_t length = strlen(line);
	bool says = false;
	char text[128];

	while (file && !says && fgets(text, sizeof(text), file))
		says = !strncmp(text, line, length) && text[length] == '\n';
	return says;
}

bool descriptor_ring_rests(const struct descriptor *descriptor)
{
	AUTO_CLOSE FILE *file = info_open(descriptor);
	unsigned given = 0, taken = 1, answered = 2, found = 0;
	bool polls = true, is_list = false;
	char text[128];

	while (file && fgets(text, sizeof(text), file)) {
		found += sscanf(text, "SqTail: %u", &given) == 1 ||
			 sscanf(text, "CachedSqHead: %u", &taken) == 1 ||
			 sscanf(text, "CqTail: %u", &answered) == 1;
		polls = is_list ? strncmp(text, "CqOverflowList:", 15) != 0 : polls;
		is_list = !strncmp(text, "PollList:", 9);
	}
	return found == 3 && given == taken && taken == answered && !polls;
}

uint64_t descriptor_timer_ns(const struct descriptor *descriptor)
{
	bool is_timer = !strcmp(descriptor->target, "anon_inode:[timerfd]"), found = false;
	AUTO_CLOSE FILE *file = is_timer ? info_open(descriptor) : NULL;
	unsigned long long seconds = 0, ns = 0;
	char text[128];

	while (file && !found && fgets(text, sizeof(text), file))
		found = sscanf(text, "it_value: (%llu, %llu)", &seconds, &ns) == 2;
	return found ? seconds * 1000000000u + ns : 0;
}

bool descriptor_has_lock(const struct descriptor *descriptor)
{
	AUTO_CLOSE FILE *file = *descriptor->target == '/' ? info_open(descriptor) : NULL;
	bool has = false;
	char text[128];

	while (file && !has && fgets(text, sizeof(text), file))
		has = !strncmp(text, "lock:", 5) &&
		      (strstr(text, " FLOCK ") || strstr(text, " OFDLCK "));
	return has;
}

bool descriptor_carries(const struct descriptor *descriptor)
{
	if (!strncmp(descriptor->target, "socket:", 7))
		return descriptor_info(descriptor, "scm_fds", 10) > 0;
	return !strcmp(descriptor->target, "anon_inode:[io_uring]") &&
	       descriptor_info(descriptor, "UserFiles", 10) > 0;
}

/* Whether fdinfo has scm_fds; checked with a socket of our own. */
static bool kernel_tells(void)
{
	int fd = filtered_socket(AF_UNIX, SOCK_STREAM, 0);
	char path[32];
	bool tells;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	tells = number_in(path, "scm_fds", 10) >= 0;
	if (fd >= 0)
		close(fd);
	return tells;
}

uint64_t descriptor_socket(const struct descriptor *descriptor)
{
	unsigned long inode;

	return sscanf(descriptor->target, "socket:[%lu]", &inode) == 1 ? inode : 0;
}

bool descriptor_unix_path(const struct descriptor *descriptor, char to[DESCRIPTOR_PATH])
{
	char line[256];
	unsigned long inode = descriptor_socket(descriptor), found;
	AUTO_CLOSE FILE *file = inode ? procfs_stream("%u/net/unix", descriptor->pid) : NULL;
	bool is_one = false;

	while (file && !is_one && fgets(line, sizeof(line), file)) {
		*to = '\0';
		is_one = sscanf(line, "%*s %*s %*s %*s %*s %*s %lu %107s", &found, to) >= 1 &&
			 found == inode;
	}
	return is_one;
}

bool descriptor_may_carry(const struct descriptor *descriptor)
{
	static int tells = -1;
	char path[DESCRIPTOR_PATH];

	if (tells < 0)
		tells = kernel_tells();
	return !tells && descriptor_unix_path(descriptor, path);
}
