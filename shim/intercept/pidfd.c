/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the process that a pidfd refers to in /proc/self/fdinfo. */
#include "pidfd.h"

#include "sys.h"

uint32_t pidfd_process(int pidfd)
{
	char path[48], text[512], *end = path + sizeof(path), *at;
	long bytes;

	at = text_put(path, end, "/proc/self/fdinfo/");
	text_put_number(at, end, (uint32_t)pidfd, 10);
	bytes = sys_read_file(path, text, sizeof(text));
	for (long i = 0; i < bytes; i++)
		if (text_starts(text + i, "\nPid:\t") && text[i + 6] != '-')
			return (uint32_t)text_number(text + i + 6, NULL);
	return 0;
}
