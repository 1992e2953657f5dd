/* SPDX-License-Identifier: Apache-2.0 */
/* Parses /proc/PID/status, io and statm, and reads the command and the arguments of a process. */
#include "status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../base/util.h"
#include "../procfs.h"

bool proc_status(uint32_t pid, uint32_t tid, char text[PROC_STATUS_BYTES])
{
	return tid ? procfs_read(text, PROC_STATUS_BYTES, "%u/task/%u/status", pid, tid) :
		     procfs_read(text, PROC_STATUS_BYTES, "%u/status", pid);
}

const char *proc_status_line(const char *text, const char *key)
{
	size_t length = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, key, length) && line[length] == ':')
			return line + length + 1;
	}
	return NULL;
}

bool proc_status_number(uint32_t pid, uint32_t tid, const char *key, int base, uint64_t *number)
{
	char text[PROC_STATUS_BYTES];
	const char *line = proc_status(pid, tid, text) ? proc_status_line(text, key) : NULL;

	if (line)
		*number = strtoull(line, NULL, base);
	return line;
}

bool proc_command(uint32_t pid, char name[PROC_COMMAND_BYTES])
{
	bool found = procfs_read(name, PROC_COMMAND_BYTES, "%u/comm", pid);

	name[strcspn(name, "\n")] = '\0';
	return found;
}

size_t proc_arguments(uint32_t pid, char *text, size_t bytes)
{
	AUTO_CLOSE FILE *file = procfs_stream("%u/cmdline", pid);

	return file ? fread(text, 1, bytes, file) : 0;
}

bool proc_transfers(uint32_t pid, uint32_t tid, uint64_t *calls)
{
	char text[512], path[48] = "";
	const char *reads, *writes;

	*calls = 0;
	if (tid)
		snprintf(path, sizeof(path), "/task/%u", tid);
	if (!procfs_read(text, sizeof(text), "%u%s/io", pid, path) ||
	    !(reads = proc_status_line(text, "syscr")) ||
	    !(writes = proc_status_line(text, "syscw")))
		return false;
	*calls = strtoull(reads, NULL, 10) + strtoull(writes, NULL, 10);
	return true;
}

uint64_t proc_memory(uint32_t pid, enum proc_memory which)
{
	unsigned long long pages[PROC_DATA + 1] = {0};
	char path[32] = "/proc/self/statm";
	AUTO_CLOSE FILE *file = NULL;

	if (pid)
		snprintf(path, sizeof(path), "/proc/%u/statm", pid);
	file = fopen(path, "re");
	for (unsigned i = 0; file && i <= which && fscanf(file, "%llu", &pages[i]) == 1;)
		i++;
	return pages[which] * (uint64_t)sysconf(_SC_PAGESIZE);
}
