/* SPDX-License-Identifier: Apache-2.0 */
/* Counts descriptors and mappings of processes, and compares them with their limits. */
#include "resources.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "../proc/descriptors.h"
#include "../proc/namespaces.h"
#include "../proc/proc.h"
#include "../proc/procfs.h"
#include "../proc/procmaps.h"

#define FOLDER "/dev/shm"
#define BLOCK_BYTES 512u /* of st_blocks */

struct resources {
	const struct reader *reader;
	struct watchlog *log;
	uint32_t slot, pid;
};

/* As in the library: four fifths of what is allowed. */
static bool is_near(uint64_t count, uint64_t limit)
{
	return limit && count * 5 >= limit * 4;
}

static void state_many(const struct resources *at, uint64_t reason, uint64_t count, uint64_t limit)
{
	watchlog_put(at->log, EV_shm_refused, at->slot, at->pid,
		     &(struct ev_shm_refused){.reason = reason, .count = count, .limit = limit},
		     sizeof(struct ev_shm_refused));
}

/* ---- descriptors ---- */

static bool is_shared_memory(const char *target)
{
	return !strncmp(target, FOLDER "/", sizeof(FOLDER)) || !strncmp(target, "/memfd:", 7);
}

static void count_shared(const struct descriptor *descriptor, void *context)
{
	uint64_t *count = context;

	*count += is_shared_memory(descriptor->target);
}

static uint64_t descriptor_limit(uint32_t pid)
{
	static const char key[] = "Max open files";
	char text[4096], *at;

	if (!procfs_read(text, sizeof(text), "%u/limits", pid))
		return 0;
	at = strstr(text, key);
	return at ? strtoull(at + sizeof(key) - 1, NULL, 10) : 0;
}

static void look_at_descriptors(const struct resources *at)
{
	uint64_t limit = descriptor_limit(at->pid), count = 0;

	if (limit && descriptors_each(at->pid, count_shared, &count) && is_near(count, limit))
		state_many(at, MPSAN_SHM_MANY_DESCRIPTORS, count, limit);
}

/* ---- mappings ---- */

static uint64_t map_limit(void)
{
	char text[32];

	return procfs_read(text, sizeof(text), "sys/vm/max_map_count") ? strtoull(text, NULL, 10) :
									 0;
}

/* The message says that most are shared. */
static void look_at_mappings(const struct resources *at)
{
	uint64_t limit = map_limit(), count = 0, shared = 0;
	struct procmaps_walk walk = procmaps_begin(at->pid);

	for (; procmaps_next(&walk); count++)
		shared += walk.at.rights[3] == 's';
	procmaps_end(&walk);
	if (is_near(count, limit) && 2 * shared > count)
		state_many(at, MPSAN_SHM_MANY_MAPS, count, limit);
}

/* ---- /dev/shm ---- */

/* The first process of the session that maps it; its slot + 1, 0: none. */
static uint32_t user_of(const struct resources *at, uint64_t device, uint64_t inode)
{
	READER_EACH_SLOT(at->reader, slot) {
		uint32_t pid = session_pid(&at->reader->session, slot);

		if (pid && !at->reader->processes[slot].gone && namespace_is_ours(pid, "mnt") &&
		    proc_maps(pid, device, inode) > 0)
			return slot + 1;
	}
	return 0;
}

/* A file whose pages are not there yet is granted them as they are written, or SIGBUS. */
static void look_at_segment(struct resources *at, const char *name, const struct stat *file,
			    uint64_t free_bytes)
{
	uint64_t has = (uint64_t)file->st_blocks * BLOCK_BYTES,
		 wants = (uint64_t)file->st_size > has ? (uint64_t)file->st_size - has : 0;
	struct ev_shm segment = {.way = MPSAN_SHM_FOUND,
				 .fd = UINT64_MAX,
				 .device = file->st_dev,
				 .inode = file->st_ino,
				 .bytes = (uint64_t)file->st_size};
	struct ev_shm_size size = {
		.device = file->st_dev, .inode = file->st_ino, .bytes = wants, .free = free_bytes};
	uint32_t user = wants > free_bytes ? user_of(at, file->st_dev, file->st_ino) : 0;

	if (!user)
		return;
	at->slot = user - 1;
	at->pid = session_pid(&at->reader->session, at->slot);
	segment.name = watchlog_text(at->log, at->slot, name);
	watchlog_put(at->log, EV_shm, at->slot, at->pid, &segment, sizeof(segment));
	watchlog_put(at->log, EV_shm_size, at->slot, at->pid, &size, sizeof(size));
}

static void look_at_room(struct resources *at)
{
	struct statvfs room;
	struct dirent *entry;
	DIR *folder = statvfs(FOLDER, &room) ? NULL : opendir(FOLDER);

	while (folder && (entry = readdir(folder))) {
		struct stat file;

		if (*entry->d_name != '.' &&
		    !fstatat(dirfd(folder), entry->d_name, &file, AT_SYMLINK_NOFOLLOW) &&
		    S_ISREG(file.st_mode))
			look_at_segment(at, entry->d_name, &file, room.f_bavail * room.f_frsize);
	}
	if (folder)
		closedir(folder);
}

void resources_state(const struct reader *reader, struct watchlog *log)
{
	struct resources at = {reader, log, 0, 0};

	if (procfs_source())
		return;
	READER_EACH_SLOT(reader, slot) {
		at.slot = slot;
		at.pid = session_pid(&reader->session, slot);
		if (!at.pid || reader->processes[slot].gone)
			continue;
		look_at_descriptors(&at);
		look_at_mappings(&at);
	}
	look_at_room(&at);
}
