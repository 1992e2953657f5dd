/* SPDX-License-Identifier: Apache-2.0 */
/* Reads processor limits of control groups and affinities of processes. */
#include "quota.h"

#include <stdio.h>
#include <stdlib.h>

#include "../../base/util.h"
#include "../../proc/process/cgroup.h"

static bool read_line(const char *path, char *line, size_t bytes)
{
	AUTO_CLOSE FILE *file = fopen(path, "re");

	return file && fgets(line, (int)bytes, file);
}

static uint32_t processors_of(long long quota, long long period)
{
	return quota > 0 && period > 0 ? (uint32_t)((quota + period - 1) / period) : UINT32_MAX;
}

/* The limit of one group in the v2 or v1 hierarchy; "max" and -1 stand for no limit. */
static uint32_t limit_of_group(const char *group)
{
	char *file = text_format("%s/cpu.max", group), line[64];
	long long quota = 0, period = 0;

	if (read_line(file, line, sizeof(line)) && sscanf(line, "%lld %lld", &quota, &period) < 2)
		quota = 0;
	free(file);
	if (quota)
		return processors_of(quota, period);
	file = text_format("%s/cpu.cfs_quota_us", group);
	if (read_line(file, line, sizeof(line)))
		quota = strtoll(line, NULL, 10);
	free(file);
	file = text_format("%s/cpu.cfs_period_us", group);
	if (quota > 0 && read_line(file, line, sizeof(line)))
		period = strtoll(line, NULL, 10);
	free(file);
	return processors_of(quota, period);
}

/* The lowest limit of this process's group of a controller and its ancestors. */
static uint32_t limit_of(const char *controller)
{
	AUTO_FREE char *group = cgroup_of(0, controller);
	uint32_t least = UINT32_MAX, limit;

	for (bool more = group; more; more = cgroup_parent(group)) {
		limit = limit_of_group(group);
		least = limit < least ? limit : least;
	}
	return least;
}

uint32_t quota_processors(void)
{
	uint32_t unified = limit_of(""), controller = limit_of("cpu");

	return unified < controller ? unified : controller;
}

bool quota_add_affinity(uint32_t pid, cpu_set_t *to)
{
	cpu_set_t set;

	if (sched_getaffinity((pid_t)pid, sizeof(set), &set))
		return false;
	CPU_OR(to, to, &set);
	return true;
}
