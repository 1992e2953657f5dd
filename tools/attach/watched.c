/* SPDX-License-Identifier: Apache-2.0 */
/* A process with the library has the table of its session mapped: see watched.h. */
#include "watched.h"

#include <stdbool.h>
#include <string.h>

#include "../proc/procmaps.h"
#include "../proc/root.h"

char *watched_session(uint32_t pid)
{
	struct procmaps_walk walk = procmaps_begin(pid);
	AUTO_FREE char *table = NULL;
	char root[ROOT_BYTES];
	bool library = false;

	while (procmaps_next(&walk)) {
		library |= text_ends(walk.at.path, "/libmpsan.so");
		if (!table && text_ends(walk.at.path, "/session"))
			table = text_copy(walk.at.path);
	}
	procmaps_end(&walk);
	if (table)
		*strrchr(table, '/') = '\0';
	root_name(pid, root);
	return library && table ? root_path(root_is_apart(pid) ? root : NULL, table, NULL) : NULL;
}
