/* SPDX-License-Identifier: Apache-2.0 */
/* Reads mappings of other processes: see proc.h. */
#include <dirent.h>
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "../base/util.h"
#include "proc.h"
#include "procfs.h"

#define LATELY_NS 20000000ull

/* Takes a hexadecimal number and the character behind it; if it is another one, `at` becomes "". */
static uint64_t take_hex(const char **at, char behind)
{
	uint64_t number = 0;
	char c;

	for (; (c = **at) && ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')); ++*at)
		number = number << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	*at = c == behind ? *at + 1 : "";
	return number;
}

/* One line of /proc/PID/maps: "START-END rwxp OFFSET MAJOR:MINOR INODE   PATH". */
static bool parse_mapping(const char *line, struct proc_mapping *mapping)
{
	unsigned major_number, minor_number;
	const char *at = line;
	char *path;

	*mapping = (struct proc_mapping){.start = take_hex(&at, '-')};
	mapping->end = take_hex(&at, ' ');
	if (mapping->end <= mapping->start || strlen(at) < 6 || at[4] != ' ')
		return false;
	mapping->shared = at[3] == 's';
	at += 5;
	take_hex(&at, ' ');
	major_number = (unsigned)take_hex(&at, ':');
	minor_number = (unsigned)take_hex(&at, ' ');
	if (!*at)
		return false;
	mapping->device = makedev(major_number, minor_number);
	mapping->inode = strtoull(at, &path, 10);
	path += strspn(path, " ");
	snprintf(mapping->path, sizeof(mapping->path), "%.*s", (int)strcspn(path, "\n"), path);
	return true;
}

/* Uninitialised data is in an unnamed mapping after those of the file. */
static bool is_libc(const struct proc_mapping *mapping, const struct proc_mapping *before)
{
	const char *base = strrchr(mapping->path, '/');

	if (!*mapping->path)
		return before->in_libc && before->end == mapping->start;
	return base && (!strncmp(base, "/libc.so", 8) || !strncmp(base, "/libc-2", 7) ||
			!strncmp(base, "/ld-", 4) || !strncmp(base, "/libpthread", 11));
}

static void skip_line(FILE *file)
{
	int c;

	do
		c = getc_unlocked(file);
	while (c != '\n' && c != EOF);
}

/* Counts the mappings that `is_it` accepts, up to `most`; -1: unknown. */
static int find_mapping(uint32_t pid, bool (*is_it)(const struct proc_mapping *, const void *),
			const void *context, struct proc_mapping *found, int most)
{
	struct proc_mapping before = {0};
	FILE *file = proc_open_maps(pid);
	char line[PROC_PATH_BYTES + 96];
	int result = 0;

	if (!file)
		return -1;
	while (result < most && fgets(line, sizeof(line), file)) {
		if (!strchr(line, '\n')) /* the end of a long path is of no interest */
			skip_line(file);
		if (!parse_mapping(line, found))
			continue;
		found->in_libc = is_libc(found, &before);
		before = *found;
		result += is_it(found, context);
	}
	fclose(file);
	return result;
}

static bool holds_address(const struct proc_mapping *mapping, const void *context)
{
	uint64_t address = *(const uint64_t *)context;

	return mapping->start <= address && address < mapping->end;
}

bool proc_mapping(uint32_t pid, uint64_t address, struct proc_mapping *mapping)
{
	return find_mapping(pid, holds_address, &address, mapping, 1) == 1;
}

/* ---- whether a process is single-threaded ---- */

static bool is_of_file(const struct proc_mapping *mapping, const void *context)
{
	const struct proc_mapping *one = context;

	return mapping->inode && mapping->device == one->device && mapping->inode == one->inode;
}

/* This process's C library, and where in it the flag lies, which since 2.35 is kept up to date beside a program's copy. */
static bool find_libc(struct proc_mapping *libc, uint64_t *offset)
{
	void *handle = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	void *flag = handle ? dlsym(handle, "__libc_single_threaded") : NULL;
	Dl_info info;

	if (handle)
		dlclose(handle);
	if (!flag || strverscmp(gnu_get_libc_version(), "2.35") < 0 || !dladdr(flag, &info))
		return false;
	*offset = (uint64_t)((char *)flag - (char *)info.dli_fbase);
	return proc_mapping((uint32_t)getpid(), (uint64_t)info.dli_fbase, libc);
}

bool proc_is_single(uint32_t pid)
{
	static struct proc_mapping libc;
	static uint64_t offset;
	static bool asked, found;
	struct proc_mapping other;
	bool single;

	found = asked ? found : find_libc(&libc, &offset);
	asked = true;
	return found && find_mapping(pid, is_of_file, &libc, &other, 1) == 1 &&
	       proc_peek(pid, other.start + offset, &single, sizeof(single)) && single;
}

/* ---- memory that is shared ---- */

static bool is_file(const struct proc_mapping *mapping, const void *context)
{
	const uint64_t *file = context;

	return mapping->shared && mapping->device == file[0] && mapping->inode == file[1];
}

int proc_maps(uint32_t pid, uint64_t device, uint64_t inode)
{
	const uint64_t file[] = {device, inode};
	struct proc_mapping mapping;

	return find_mapping(pid, is_file, file, &mapping, INT_MAX);
}

/* The mappings of the process that was asked about last. */
static struct {
	uint32_t pid;
	uint32_t look; /* 0: of none */
	uint64_t read_ns;
	ARRAY(struct proc_mapping) list;
} lately;

static bool keep(const struct proc_mapping *mapping, const void *context)
{
	(void)context;
	*ARRAY_ADD(&lately.list) = *mapping;
	return true;
}

static bool find_lately(uint64_t address, struct proc_mapping *mapping)
{
	uint32_t low = 0, high = lately.list.count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (lately.list.item[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == lately.list.count || lately.list.item[low].start > address)
		return false;
	*mapping = lately.list.item[low];
	return true;
}

static bool is_recent(uint64_t now_ns)
{
	return (lately.look && lately.look == kept_look()) || now_ns - lately.read_ns < LATELY_NS;
}

bool proc_mapping_lately(uint32_t pid, uint64_t address, struct proc_mapping *mapping)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	struct proc_mapping unused;

	if (lately.pid == pid && is_recent(now_ns) && find_lately(address, mapping))
		return true;
	lately.pid = pid;
	lately.look = kept_look();
	lately.read_ns = now_ns;
	lately.list.count = 0;
	find_mapping(pid, keep, NULL, &unused, INT_MAX);
	return find_lately(address, mapping);
}

#define SEMAPHORE "sem." /* what the C library puts before the name */

/* The file was made under another name, and linked: /proc/PID/maps has the one that is gone. */
char *proc_semaphore_name(uint32_t pid, uint64_t address)
{
	static const char made[] = "/dev/shm/" SEMAPHORE, *const random = SEMAPHORE "mp-";
	struct proc_mapping mapping;
	char path[64], *name = NULL;
	struct dirent *entry;
	DIR *folder;

	if (!address || procfs_source() || !proc_mapping_lately(pid, address, &mapping) ||
	    strncmp(mapping.path, made, strlen(made)) != 0)
		return text_copy("");
	procfs_path(path, sizeof(path), "%u/root/dev/shm", pid);
	folder = opendir(path);
	while (folder && !name && (entry = readdir(folder)))
		if (entry->d_ino == mapping.inode &&
		    !strncmp(entry->d_name, SEMAPHORE, strlen(SEMAPHORE)) &&
		    strncmp(entry->d_name, random, strlen(random)) != 0) /* multiprocessing's */
			name = text_format("/%s", entry->d_name + strlen(SEMAPHORE));
	if (folder)
		closedir(folder);
	return name ? name : text_copy("");
}
