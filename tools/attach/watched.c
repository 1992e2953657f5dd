/* SPDX-License-Identifier: Apache-2.0 */
/* A process with the library has the table of its session mapped: see watched.h. */
#include "watched.h"

#include <stdbool.h>
#include <string.h>

#include "../proc/procmaps.h"
#include "../proc/root.h"
#include "../reader/host.h"
#include "../reader/session.h"

/* It reads the table, and has no library; attach does so with a session of its own, which nobody else needs. */
static bool has_supervisor(const char *dir, uint32_t pid)
{
	struct session session;
	AUTO_FREE char *wrong = session_open(&session, dir, false);
	bool has = !wrong && session.here && !session.head->outside &&
		   session.head->supervisor == pid && session.head->pid_ns == host_pid_namespace();

	session_close(&session);
	return has;
}

char *watched_session(uint32_t pid)
{
	struct procmaps_walk walk = procmaps_begin(pid);
	AUTO_FREE char *table = NULL, *dir = NULL;
	char root[ROOT_BYTES];
	bool library = false;

	while (procmaps_next(&walk)) {
		library |= text_ends(walk.at.path, "/libmpsan.so");
		if (!table && text_ends(walk.at.path, "/session"))
			table = text_copy(walk.at.path);
	}
	procmaps_end(&walk);
	if (!table)
		return NULL;
	*strrchr(table, '/') = '\0';
	root_name(pid, root);
	dir = root_path(root_is_apart(pid) ? root : NULL, table, NULL);
	return dir && (library || has_supervisor(dir, pid)) ? text_copy(dir) : NULL;
}
