/* SPDX-License-Identifier: Apache-2.0 */
/* A process with the library has the table of its session mapped: see watched.h. */
#include "watched.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/util.h"
#include "../proc/proc.h"
#include "../proc/root.h"

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), bytes = strlen(end);

	return length >= bytes && !strcmp(text + length - bytes, end);
}

char *watched_session(uint32_t pid)
{
	char line[4352], root[ROOT_BYTES], *table = NULL, *dir;
	FILE *maps = proc_open_maps(pid);
	bool library = false;

	while (maps && fgets(line, sizeof(line), maps)) {
		char *path = strchr(line, '/');

		if (!path)
			continue;
		path[strcspn(path, "\n")] = '\0';
		library |= ends_with(path, "/libmpsan.so");
		if (!table && ends_with(path, "/session"))
			table = text_copy(path);
	}
	if (maps)
		fclose(maps);
	if (table)
		*strrchr(table, '/') = '\0';
	root_name(pid, root);
	dir = library && table ? root_path(root_is_apart(pid) ? root : NULL, table, NULL) : NULL;
	free(table);
	return dir;
}
