/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the roots of processes, and follows paths below them. */
#include "root.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/util.h"
#include "namespaces.h"
#include "proc.h"
#include "procfs.h"

#define DELETED " (deleted)" /* behind a path, says the kernel */
#define LINKS_MAX 40u /* as the kernel's limit */

void root_name(uint32_t pid, char root[ROOT_BYTES])
{
	uint32_t living = proc_living(pid);

	procfs_path(root, ROOT_BYTES, "%u/root", living ? living : pid);
}

bool root_identify(uint32_t pid, struct root_id *id)
{
	char root[ROOT_BYTES];
	struct stat st;

	root_name(pid, root);
	*id = (struct root_id){.mounts = namespace_of(pid, "mnt")};
	if (!id->mounts || stat(root, &st))
		return false;
	id->device = st.st_dev;
	id->inode = st.st_ino;
	return true;
}

bool root_is_same(const struct root_id *one, const struct root_id *other)
{
	return one->mounts == other->mounts && one->device == other->device &&
	       one->inode == other->inode;
}

bool root_is_apart(uint32_t pid)
{
	static struct root_id own;
	struct root_id its;

	if (!own.mounts && !root_identify((uint32_t)getpid(), &own))
		return false;
	return root_identify(pid, &its) && !root_is_same(&its, &own);
}

bool root_is_deleted(const char *path)
{
	size_t length = strlen(path), bytes = strlen(DELETED);

	return length > bytes && !strcmp(path + length - bytes, DELETED);
}

char *root_mapped(uint32_t pid, const char *path, uint64_t start, uint64_t end)
{
	char place[80];

	if (!root_is_deleted(path))
		return NULL;
	procfs_path(place, sizeof(place), "%u/map_files/%llx-%llx", pid, (unsigned long long)start,
		    (unsigned long long)end);
	return text_copy(place);
}

/* ---- paths ---- */

struct walk {
	char done[2 * PATH_MAX]; /* the root and the components behind it, without links */
	size_t root; /* length of the root in it */
	char rest[2 * PATH_MAX]; /* still to be followed */
	unsigned links;
	uint64_t linked_ns;
};

/* Takes the next component off the rest; false: none is left. */
static bool next_part(struct walk *walk, char part[NAME_MAX + 1])
{
	char *at = walk->rest + strspn(walk->rest, "/");
	size_t length = strcspn(at, "/");

	if (!length || length > NAME_MAX)
		return false;
	memcpy(part, at, length);
	part[length] = '\0';
	memmove(walk->rest, at + length, strlen(at + length) + 1);
	return true;
}

/* What a link says comes before the rest; an absolute one begins at the root again. */
static bool follow(struct walk *walk, const struct stat *st)
{
	char target[PATH_MAX], rest[sizeof(walk->rest)];
	ssize_t length = readlink(walk->done, target, sizeof(target) - 1);
	uint64_t changed_ns =
		(uint64_t)st->st_ctim.tv_sec * 1000000000ull + (uint64_t)st->st_ctim.tv_nsec;

	if (length <= 0 || ++walk->links > LINKS_MAX ||
	    (size_t)length + strlen(walk->rest) + 2 > sizeof(rest))
		return false;
	target[length] = '\0';
	*strrchr(walk->done, '/') = '\0';
	if (*target == '/')
		walk->done[walk->root] = '\0';
	strcpy(stpcpy(stpcpy(rest, target), "/"), walk->rest);
	strcpy(walk->rest, rest);
	walk->linked_ns = changed_ns > walk->linked_ns ? changed_ns : walk->linked_ns;
	return true;
}

static bool step(struct walk *walk, const char *part)
{
	size_t length = strlen(walk->done);
	struct stat st;

	if (!strcmp(part, "."))
		return true;
	if (!strcmp(part, "..")) {
		if (length > walk->root)
			*strrchr(walk->done, '/') = '\0';
		return true;
	}
	if (length + strlen(part) + 2 > sizeof(walk->done))
		return false;
	stpcpy(stpcpy(walk->done + length, "/"), part);
	if (lstat(walk->done, &st))
		return false;
	return !S_ISLNK(st.st_mode) || follow(walk, &st);
}

char *root_path(const char *root, const char *path, uint64_t *linked_ns)
{
	struct walk walk = {0};
	char part[NAME_MAX + 1];

	if (linked_ns)
		*linked_ns = 0;
	if (!root)
		return text_copy(path);
	if (!*root || *path != '/' || strlen(path) >= PATH_MAX)
		return NULL;
	strcpy(walk.done, root);
	strcpy(walk.rest, path);
	walk.root = strlen(root);
	while (next_part(&walk, part))
		if (!step(&walk, part))
			return NULL;
	if (linked_ns)
		*linked_ns = walk.linked_ns;
	return walk.rest[strspn(walk.rest, "/")] ? NULL : text_copy(walk.done);
}
