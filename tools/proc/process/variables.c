/* SPDX-License-Identifier: Apache-2.0 */
/* Reads environment variables of other processes. */
#include "variables.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/util.h"
#include "../procfs.h"

static struct {
	char *text;
	size_t room, bytes;
} variables; /* NUL-terminated each */

bool variables_read(uint32_t pid)
{
	AUTO_CLOSE FILE *file = procfs_stream("%u/environ", pid);

	variables.bytes = 0;
	while (file) {
		if (variables.room - variables.bytes < 2) {
			variables.room = variables.room ? 2 * variables.room : 8192;
			variables.text = memory_grow(variables.text, variables.room);
		}
		size_t more = fread(variables.text + variables.bytes, 1,
				    variables.room - variables.bytes - 1, file);
		if (!more)
			break;
		variables.bytes += more;
	}
	if (variables.text)
		variables.text[variables.bytes] = '\0';
	return variables.bytes;
}

const char *variables_get(const char *name)
{
	size_t length = strlen(name);

	for (size_t at = 0; at < variables.bytes; at += strlen(variables.text + at) + 1)
		if (!strncmp(variables.text + at, name, length) &&
		    variables.text[at + length] == '=')
			return variables.text + at + length + 1;
	return NULL;
}

void variables_finish(void)
{
	free(variables.text);
	memset(&variables, 0, sizeof(variables));
}
