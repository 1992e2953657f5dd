/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of disk space, memory file systems, descriptors and mappings. See doctor.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "doctor.h"

#define MIB (1024ull * 1024)
#define LOG_ROOM (256 * MIB) /* four logs of the default size */
#define SHM_SMALL (64 * MIB) /* the default size in containers */
#define FILES_ENOUGH 4096u
#define MAPS_PRESET 65530

static const char *remote_file_system(const char *dir)
{
	static const struct {
		unsigned type;
		const char *name;
	} types[] = {{0x6969, "NFS"},	    {0x517b, "SMB"},	    {0xff534d42, "CIFS"},
		     {0xfe534d42, "SMB"},   {0x00c36400, "Ceph"},   {0x0bd00bd0, "Lustre"},
		     {0x47504653, "GPFS"},  {0x65735546, "FUSE"},   {0x01021997, "9p"},
		     {0x013111a8, "IBRIX"}, {0x19830326, "BeeGFS"}, {0x5346414f, "AFS"}};
	struct statfs fs;

	for (size_t i = 0; !statfs(dir, &fs) && i < sizeof(types) / sizeof(*types); i++)
		if ((unsigned)fs.f_type == types[i].type)
			return types[i].name;
	return NULL;
}

static void look_at_tmp(struct doctor *doctor)
{
	const char *given = getenv("TMPDIR"), *dir = given && *given == '/' ? given : "/tmp";
	const char *remote = remote_file_system(dir);
	struct statvfs fs;
	unsigned long long room;

	if (statvfs(dir, &fs))
		return; /* the line of the session directory says why */
	room = (unsigned long long)fs.f_bavail * fs.f_frsize;
	if (remote)
		doctor_say(
			doctor, DOCTOR_WARN, "TMPDIR",
			text_copy("set TMPDIR or --dir to a local disk"),
			"%s is on %s, where mapped logs are slow; and a session must not be shared by "
			"several machines",
			dir, remote);
	if (room < LOG_ROOM)
		doctor_say(
			doctor, DOCTOR_WARN, "TMPDIR",
			text_copy("set TMPDIR or --dir to a larger disk, or use --log-max 4M"),
			"%s has %llu MiB left; a process may log up to 64 MiB, and records that do not fit are lost",
			dir, room / MIB);
	else if (!remote)
		doctor_say(doctor, DOCTOR_OK, "TMPDIR", NULL, "%s has %llu MiB left%s", dir,
			   room / MIB, fs.f_flag & ST_NOEXEC ? "; noexec does no harm" : "");
}

static void look_at_shm(struct doctor *doctor)
{
	AUTO_FREE char *path = text_format("%s/dev/shm", doctor->root);
	struct statvfs fs;
	unsigned long long size, room;

	if (statvfs(path, &fs) || access(path, W_OK)) {
		doctor_say(
			doctor, DOCTOR_WARN, "/dev/shm",
			text_copy("mount -t tmpfs -o mode=1777 tmpfs /dev/shm"),
			"cannot be used (%s): multiprocessing cannot create semaphores nor torch share tensors",
			strerror(errno));
		return;
	}
	size = (unsigned long long)fs.f_blocks * fs.f_frsize;
	room = (unsigned long long)fs.f_bavail * fs.f_frsize;
	if (size <= SHM_SMALL)
		doctor_say(
			doctor, DOCTOR_WARN, "/dev/shm",
			text_copy(
				"docker run --shm-size=8g (or --ipc=host); in Kubernetes an emptyDir with medium: "
				"Memory mounted there"),
			"has %llu MiB: processes that share tensors die of SIGBUS when it is full",
			size / MIB);
	else if (room < size / 10 || room < SHM_SMALL)
		doctor_say(
			doctor, DOCTOR_WARN, "/dev/shm",
			text_copy(
				"ls -l /dev/shm lists its files; remove unused ones (`mpsan ps --memory` shows "
				"their users)"),
			"%llu of %llu MiB are left", room / MIB, size / MIB);
	else
		doctor_say(doctor, DOCTOR_OK, "/dev/shm", NULL, "%llu of %llu MiB are left",
			   room / MIB, size / MIB);
}

static void look_at_limits(struct doctor *doctor)
{
	long long maps = doctor_number(doctor, "/proc/sys/vm/max_map_count", MAPS_PRESET);
	struct rlimit files;

	if (!getrlimit(RLIMIT_NOFILE, &files) && files.rlim_cur < FILES_ENOUGH)
		doctor_say(
			doctor, DOCTOR_WARN, "descriptors",
			files.rlim_max > files.rlim_cur ?
				text_format("ulimit -n %llu", (unsigned long long)files.rlim_max) :
				text_copy(
					"raise the hard limit: /etc/security/limits.conf, LimitNOFILE= of a service, "
					"docker run --ulimit nofile=65536"),
			"a process may open %llu: each tensor shared by descriptor takes one, and `mpsan run` "
			"one per thread",
			(unsigned long long)files.rlim_cur);
	else
		doctor_say(doctor, DOCTOR_OK, "descriptors", NULL, "a process may open %llu",
			   (unsigned long long)files.rlim_cur);
	if (maps < MAPS_PRESET)
		doctor_say(doctor, DOCTOR_WARN, "mappings",
			   text_copy("sysctl vm.max_map_count=262144"),
			   "a process may have %lld: each shared tensor takes one", maps);
}

void doctor_room(struct doctor *doctor)
{
	look_at_tmp(doctor);
	look_at_shm(doctor);
	look_at_limits(doctor);
}
