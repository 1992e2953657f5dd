/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the signals that a thread blocks. */
#include "blocked.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../include/mpsan_log.h"

void blocked_note(uint32_t pid, uint32_t tid, struct mpsan_stack *head)
{
	char path[64], text[4096];
	const char *at;
	ssize_t bytes;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/status", pid, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	bytes = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[bytes > 0 ? bytes : 0] = '\0';
	at = strstr(text, "\nSigBlk:");
	if (!at)
		return;
	head->regs[0] = strtoull(at + 8, NULL, 16);
	head->valid |= MPSAN_STACK_BLOCKED;
}
