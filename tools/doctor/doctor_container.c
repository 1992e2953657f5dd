/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of containers, PID namespaces and memory limits. See doctor.h. */
#include <stdlib.h>
#include <string.h>

#include "../proc/process/cgroup.h"
#include "../proc/process/status.h"
#include "doctor.h"

#define MIB (1024ll * 1024)

/* The container engine, a constant; NULL outside of containers. */
static const char *container_kind(const struct doctor *doctor)
{
	static const char *const files[][2] = {
		{"/.dockerenv", "docker"},
		{"/run/.containerenv", "podman"},
		{"/.singularity.d", "apptainer"},
		{"/var/run/secrets/kubernetes.io", "kubernetes"},
	};
	static const char *const groups[][2] = {{"kubepods", "kubernetes"},
						{"docker", "docker"},
						{"libpod", "podman"},
						{"lxc", "lxc"}};
	AUTO_FREE char *group = doctor_read(doctor, "/proc/1/cgroup");
	const char *kind = NULL;

	for (size_t i = 0; !kind && i < sizeof(files) / sizeof(*files); i++)
		if (doctor_has(doctor, files[i][0]))
			kind = files[i][1];
	for (size_t i = 0; group && !kind && i < sizeof(groups) / sizeof(*groups); i++)
		if (strstr(group, groups[i][0]))
			kind = groups[i][1];
	return kind;
}

/* The lowest memory.max of the own control group and its ancestors; LLONG_MAX: none. */
static long long memory_limit(const struct doctor *doctor)
{
	AUTO_FREE char *groups = doctor_read(doctor, "/proc/self/cgroup"),
		       *group = groups ? cgroup_named(groups, "") : NULL;
	long long least = doctor_number(doctor, "/sys/fs/cgroup/memory/memory.limit_in_bytes",
					__LONG_LONG_MAX__);

	for (bool more = group; more; more = cgroup_parent(group)) {
		AUTO_FREE char *file = text_format("%s/memory.max", group);
		long long limit = doctor_number(doctor, file, __LONG_LONG_MAX__);

		least = limit < least ? limit : least;
	}
	return least;
}

/* In a PID namespace a process has several pids. */
static bool has_own_pids(const struct doctor *doctor)
{
	AUTO_FREE char *status = doctor_read(doctor, "/proc/self/status");
	const char *line = status ? proc_status_line(status, "NSpid") : NULL;
	bool several;

	line = line ? line + strspn(line, "\t ") : "";
	several = strcspn(line, "\t ") < strcspn(line, "\n");
	return several;
}

void doctor_container(struct doctor *doctor)
{
	const char *kind = container_kind(doctor);
	long long limit = memory_limit(doctor);

	if (kind || has_own_pids(doctor))
		doctor_say(
			doctor, DOCTOR_OK, "container", NULL,
			"%s; mpsan watches processes of the container it runs in; the other lines show "
			"what the container forbids",
			kind ? kind : "a PID namespace of its own");
	if (limit < 512 * MIB)
		doctor_say(
			doctor, DOCTOR_WARN, "memory",
			text_copy(
				"a higher limit: docker run --memory, resources.limits.memory in Kubernetes, --mem in "
				"Slurm"),
			"the control group may use %lld MiB, including /dev/shm and session logs on memory "
			"included",
			limit / MIB);
	else if (limit < 1ll << 50)
		doctor_say(doctor, DOCTOR_OK, "memory", NULL,
			   "the control group may use %lld MiB, including /dev/shm", limit / MIB);
}
