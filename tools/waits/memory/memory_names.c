/* SPDX-License-Identifier: Apache-2.0 */
/* Searches names of shared memory: System V ids, links in file systems. */
#include "memory_names.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "../../base/util.h"
#include "../../proc/namespaces.h"
#include "../../proc/procfs.h"

#define ENTRIES_MAX 50000u /* directory entries per search */
#define DEPTH_MAX 16u
#define DELETED " (deleted)"

static bool starts_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

/* ---- System V ---- */

/* SHM_DEST: removed with its last user; until then attachable by id */
#define SEGMENT_REMOVED 01000u

/*
 * A segment's inode is its id; the list is that of our IPC namespace. If more processes have it
 * attached than we see, others know it.
 */
static enum links links_of_segment(uint32_t pid, uint64_t id, uint64_t mapped)
{
	enum links links = LINKS_OF_ALL;
	unsigned long long found, attached;
	char line[512];
	unsigned mode;
	AUTO_CLOSE FILE *file = NULL;

	if (!namespace_is_ours(pid, "ipc"))
		return links;
	file = fopen("/proc/sysvipc/shm", "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%*d %llu %o %*u %*u %*u %llu", &found, &mode, &attached) == 3 &&
		    found == id)
			links = mode & SEGMENT_REMOVED && attached <= mapped ? LINKS_OF_JOB :
									       LINKS_OF_ALL;
	return links;
}

/* ---- names in a file system ---- */

struct search {
	uint64_t device, inode; /* device 0: not compared, as directories may report another one */
	uint32_t left; /* entries still to be read; 0: aborted */
	enum links found;
};

/* The random names of multiprocessing's semaphores cannot be guessed. */
static bool is_of_job(const char *name)
{
	return starts_with(name, "sem.mp-");
}

static void search_dir(struct search *search, int at, const char *name, unsigned depth);

static void see_entry(struct search *search, int dir, const struct dirent *entry, unsigned depth)
{
	enum links links = is_of_job(entry->d_name) ? LINKS_OF_JOB : LINKS_OF_ALL;

	if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
		return;
	if (entry->d_ino == search->inode && entry->d_type != DT_DIR && links > search->found)
		search->found = links;
	if (depth && (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN))
		search_dir(search, dir, entry->d_name, depth - 1);
}

/* A directory that we cannot read is inaccessible to the job, too. */
static void search_dir(struct search *search, int at, const char *name, unsigned depth)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	struct stat file;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	if (!search->device || (!fstat(fd, &file) && file.st_dev == search->device))
		while (search->found != LINKS_OF_ALL && search->left && (entry = readdir(dir))) {
			search->left--;
			see_entry(search, fd, entry, depth);
		}
	closedir(dir);
}

/* Decodes the kernel's escapes: "\040" for a blank. */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		unsigned code;

		if (*text == '\\' && sscanf(text + 1, "%3o", &code) == 1) {
			*to++ = (char)code;
			text += 3;
		} else {
			*to++ = *text;
		}
	}
	*to = '\0';
}

/* Whether accesses could block: answers come from a server, or even from a process of this job. */
static bool is_remote(const char *type)
{
	static const char *const types[] = {"fuse", "nfs", "cifs", "smb", "9p", "ceph", "lustre"};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (starts_with(type, types[i]))
			return true;
	return false;
}

/* Parses a line of mountinfo: device, mount point and, after " - ", type. */
static bool parse_mount(const char *line, uint64_t *device, char place[4096], char type[32])
{
	unsigned major_number, minor_number;
	const char *rest = strstr(line, " - ");

	if (!rest || sscanf(rest, " - %31s", type) != 1 ||
	    sscanf(line, "%*u %*u %u:%u %*s %4095s", &major_number, &minor_number, place) != 3)
		return false;
	*device = makedev(major_number, minor_number);
	unescape(place);
	return true;
}

/* Searches the file's original directory. An unnamed file may have been linked anywhere. */
static void search_beside(struct search search, uint32_t pid, const char *file, enum links *found)
{
	const char *base = strrchr(file, '/');
	char dir[PROC_PATH_BYTES + 32];

	search.device = 0;
	procfs_path(dir, sizeof(dir), "%u/root%.*s", proc_living(pid), (int)(base - file + 1),
		    file);
	search_dir(&search, AT_FDCWD, dir, 0);
	*found = base[1] == '#' || !search.left ? LINKS_OF_ALL : search.found;
}

/* A process in a chroot is not told of the mount that its root is in, nor of others above it. */
static enum links search_unlisted(struct search search, uint32_t pid,
				  const struct proc_mapping *mapping)
{
	enum links found = LINKS_OF_ALL;
	struct stat root;
	char path[PROC_PATH_BYTES];

	procfs_path(path, sizeof(path), "%u/root", proc_living(pid));
	if (!stat(path, &root) && root.st_dev == mapping->device)
		search_beside(search, pid, mapping->path, &found);
	return found;
}

/*
 * Searches all mounts of that file system in the process's namespace; without a mount it is
 * internal to the kernel.
 */
static enum links search_links(uint32_t pid, const struct proc_mapping *mapping)
{
	struct search search = {mapping->device, mapping->inode, ENTRIES_MAX, LINKS_NONE};
	char path[4200], line[8192], place[4096], type[32];
	bool all = false, mounted = false;
	uint64_t device;
	FILE *file = procfs_stream("%u/mountinfo", proc_living(pid));

	search.found = file ? LINKS_NONE : LINKS_OF_ALL;
	while (file && search.found != LINKS_OF_ALL && fgets(line, sizeof(line), file)) {
		if (!parse_mount(line, &device, place, type))
			continue;
		all |= !strcmp(place, "/");
		if (device != search.device)
			continue;
		mounted = true;
		procfs_path(path, sizeof(path), "%u/root%s", proc_living(pid), place);
		if (is_remote(type))
			search.found = LINKS_OF_ALL;
		else if (!strcmp(type, "tmpfs"))
			search_dir(&search, AT_FDCWD, path, DEPTH_MAX);
		else
			search_beside(search, pid, mapping->path, &search.found);
	}
	if (file)
		fclose(file);
	if (file && !all && !mounted)
		return search_unlisted(search, pid, mapping);
	return search.left ? search.found : LINKS_OF_ALL;
}

/* The link count, which needs CAP_CHECKPOINT_RESTORE; -1: not available. */
static int64_t count_of(uint32_t pid, const struct proc_mapping *mapping)
{
	struct statx file;
	char path[80];

	procfs_path(path, sizeof(path), "%u/map_files/%llx-%llx", proc_living(pid),
		    (unsigned long long)mapping->start, (unsigned long long)mapping->end);
	return statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_NLINK, &file) ?
		       -1 :
		       (int64_t)file.stx_nlink;
}

/* A file's name may really end in " (deleted)": it is found like any other. */
static bool has_path(const struct proc_mapping *mapping)
{
	size_t length = strlen(mapping->path), end = strlen(DELETED);

	return length + 1 == sizeof(mapping->path) || length < end ||
	       strcmp(mapping->path + length - end, DELETED);
}

bool memory_names_has_no_descriptor(const struct proc_mapping *mapping)
{
	return *mapping->path != '/' || !strcmp(mapping->path, "/dev/zero" DELETED) ||
	       !strcmp(mapping->path, "/anon_hugepage" DELETED) ||
	       starts_with(mapping->path, "/SYSV");
}

enum links memory_names_of(uint32_t pid, const struct proc_mapping *mapping, uint64_t mapped)
{
	enum links found;
	int64_t count;

	if (starts_with(mapping->path, "/SYSV"))
		return links_of_segment(pid, mapping->inode, mapped);
	if (memory_names_has_no_descriptor(mapping) || starts_with(mapping->path, "/memfd:"))
		return LINKS_NONE;
	count = count_of(pid, mapping);
	if (!count)
		return LINKS_NONE;
	if (has_path(mapping))
		return is_of_job(strrchr(mapping->path, '/') + 1) ? LINKS_OF_JOB : LINKS_OF_ALL;
	found = search_links(pid, mapping);
	return found == LINKS_NONE && count > 0 ? LINKS_OF_ALL : found;
}
