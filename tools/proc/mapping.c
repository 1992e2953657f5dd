/* SPDX-License-Identifier: Apache-2.0 */
/* Reads mappings of other processes: see proc.h. */
#include <dirent.h>
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../base/util.h"
#include "proc.h"
#include "procfs.h"
#include "procmaps.h"

#define LATELY_NS 20000000ull

/* Uninitialised data is in an unnamed mapping after those of the file, which end at `libc_end`. */
static bool is_libc(const struct procmap *map, uint64_t libc_end)
{
	const char *base = strrchr(map->path, '/');

	if (!*map->path)
		return libc_end && libc_end == map->start;
	return base && (!strncmp(base, "/libc.so", 8) || !strncmp(base, "/libc-2", 7) ||
			!strncmp(base, "/ld-", 4) || !strncmp(base, "/libpthread", 11));
}

static struct proc_mapping mapping_of(const struct procmap *map, uint64_t *libc_end)
{
	struct proc_mapping mapping = {
		.start = map->start,
		.end = map->end,
		.device = map->device,
		.inode = map->inode,
		.shared = map->rights[3] == 's',
		.in_libc = is_libc(map, *libc_end),
	};

	*libc_end = mapping.in_libc ? mapping.end : 0;
	snprintf(mapping.path, sizeof(mapping.path), "%s", map->path);
	return mapping;
}

bool proc_mapping(uint32_t pid, uint64_t address, struct proc_mapping *mapping)
{
	struct procmaps_walk walk = procmaps_begin(pid);
	uint64_t libc_end = 0;
	bool found = false;

	while (!found && procmaps_next(&walk)) {
		*mapping = mapping_of(&walk.at, &libc_end);
		found = mapping->start <= address && address < mapping->end;
	}
	procmaps_end(&walk);
	return found;
}

static bool is_of_file(const struct procmap *map, uint64_t device, uint64_t inode)
{
	return map->device == device && map->inode == inode;
}

/* ---- whether a process is single-threaded ---- */

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

/* Where a process maps that file first; 0: nowhere. */
static uint64_t start_of(uint32_t pid, const struct proc_mapping *file)
{
	struct procmaps_walk walk = procmaps_begin(pid);
	uint64_t start = 0;

	while (file->inode && !start && procmaps_next(&walk))
		if (is_of_file(&walk.at, file->device, file->inode))
			start = walk.at.start;
	procmaps_end(&walk);
	return start;
}

bool proc_is_single(uint32_t pid)
{
	static struct proc_mapping libc;
	static uint64_t offset;
	static bool asked, found;
	uint64_t start;
	bool single;

	found = asked ? found : find_libc(&libc, &offset);
	asked = true;
	start = found ? start_of(pid, &libc) : 0;
	return start && proc_peek(pid, start + offset, &single, sizeof(single)) && single;
}

/* ---- memory that is shared ---- */

int proc_maps(uint32_t pid, uint64_t device, uint64_t inode)
{
	struct procmaps_walk walk = procmaps_begin(pid);
	int count = 0;

	while (procmaps_next(&walk))
		count += walk.at.rights[3] == 's' && is_of_file(&walk.at, device, inode);
	return procmaps_end(&walk) ? count : -1;
}

int proc_has_aio(uint32_t pid)
{
	struct procmaps_walk walk = procmaps_begin(pid);
	int found = 0;

	while (!found && procmaps_next(&walk))
		found = !strncmp(walk.at.path, "/[aio]", 6);
	return procmaps_end(&walk) ? found : -1;
}

/* The mappings of the process that was asked about last. */
static struct {
	uint32_t pid;
	uint32_t look; /* 0: of none */
	uint64_t read_ns;
	ARRAY(struct proc_mapping) list;
} lately;

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
	struct procmaps_walk walk;
	uint64_t libc_end = 0;

	if (lately.pid == pid && is_recent(now_ns) && find_lately(address, mapping))
		return true;
	lately.pid = pid;
	lately.look = kept_look();
	lately.read_ns = now_ns;
	lately.list.count = 0;
	walk = procmaps_begin(pid);
	while (procmaps_next(&walk))
		*ARRAY_ADD(&lately.list) = mapping_of(&walk.at, &libc_end);
	procmaps_end(&walk);
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
