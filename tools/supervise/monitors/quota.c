/* SPDX-License-Identifier: Apache-2.0 */
/* Reads processor limits of control groups and affinities of processes. */
#include "quota.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/util.h"

static bool read_line(const char *path, char *line, size_t bytes)
{
	FILE *file = fopen(path, "re");
	bool got = file && fgets(line, (int)bytes, file);

	if (file)
		fclose(file);
	return got;
}

static uint32_t processors_of(long long quota, long long period)
{
	return quota > 0 && period > 0 ? (uint32_t)((quota + period - 1) / period) : UINT32_MAX;
}

/* The limit of one group in the v2 or v1 hierarchy; "max" and -1 stand for no limit. */
static uint32_t limit_of_group(const char *base, const char *group)
{
	char *file = text_format("%s%s/cpu.max", base, group), line[64];
	long long quota = 0, period = 0;

	if (read_line(file, line, sizeof(line)) && sscanf(line, "%lld %lld", &quota, &period) < 2)
		quota = 0;
	free(file);
	if (quota)
		return processors_of(quota, period);
	file = text_format("%s%s/cpu.cfs_quota_us", base, group);
	if (read_line(file, line, sizeof(line)))
		quota = strtoll(line, NULL, 10);
	free(file);
	file = text_format("%s%s/cpu.cfs_period_us", base, group);
	if (quota > 0 && read_line(file, line, sizeof(line)))
		period = strtoll(line, NULL, 10);
	free(file);
	return processors_of(quota, period);
}

/* The lowest limit of a group and its ancestors. */
static uint32_t limit_of_path(const char *base, const char *path)
{
	uint32_t least = limit_of_group(base, ""), limit;
	char *group = text_copy(path), *end;

	group[strcspn(group, "\n")] = '\0';
	for (; (end = strrchr(group, '/')); *end = '\0') {
		limit = limit_of_group(base, group);
		least = limit < least ? limit : least;
	}
	free(group);
	return least;
}

/* A line of /proc/self/cgroup: NUMBER:CONTROLLERS:PATH, without controllers in the v2 hierarchy. */
static uint32_t limit_of_line(const char *line)
{
	const char *controllers = strchr(line, ':'),
		   *path = controllers ? strchr(controllers + 1, ':') : NULL;

	if (!path)
		return UINT32_MAX;
	if (path == controllers + 1)
		return limit_of_path("/sys/fs/cgroup", path + 1);
	if (!strncmp(controllers, ":cpu:", 5) || !strncmp(controllers, ":cpu,", 5) ||
	    (strstr(controllers, ",cpu:") && strstr(controllers, ",cpu:") < path))
		return limit_of_path("/sys/fs/cgroup/cpu", path + 1);
	return UINT32_MAX;
}

uint32_t quota_processors(void)
{
	uint32_t least = UINT32_MAX, limit;
	char line[4200];
	FILE *file = fopen("/proc/self/cgroup", "re");

	while (file && fgets(line, sizeof(line), file)) {
		limit = limit_of_line(line);
		least = limit < least ? limit : least;
	}
	if (file)
		fclose(file);
	return least;
}

bool quota_add_affinity(uint32_t pid, cpu_set_t *to)
{
	cpu_set_t set;

	if (sched_getaffinity((pid_t)pid, sizeof(set), &set))
		return false;
	CPU_OR(to, to, &set);
	return true;
}
