/* SPDX-License-Identifier: Apache-2.0 */
/* Resolves the directories on the command line to sessions. */
#include "find_sessions.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hosts.h"
#include "log_damage.h"

static bool holds_session(const char *dir)
{
	AUTO_FREE char *file = text_format("%s/session", dir);

	return !access(file, F_OK);
}

static char *add_session(const char *dir, struct report *report)
{
	struct session session;
	char *wrong = session_open(&session, dir, false);

	if (wrong)
		return wrong;
	wrong = log_damage_of_all(&session);
	if (!wrong)
		hosts_add(report, &session);
	session_close(&session);
	return wrong;
}

static int find_sessions_compare(const void *one, const void *other)
{
	return strverscmp(*(char *const *)one, *(char *const *)other);
}

struct found {
	char **item;
	uint32_t count;
	uint32_t room;
};

/*
 * Subdirectories that hold a session, sorted by name with numbers in numeric order: rank 9 before
 * rank 10.
 */
static void find_below(const char *dir, struct found *found)
{
	DIR *stream = opendir(dir);
	struct dirent *entry;

	while (stream && (entry = readdir(stream))) {
		char *below;

		if (entry->d_name[0] == '.')
			continue;
		below = text_format("%s/%s", dir, entry->d_name);
		if (holds_session(below))
			*ARRAY_ADD(found) = below;
		else
			free(below);
	}
	if (stream)
		closedir(stream);
	if (found->count)
		qsort(found->item, found->count, sizeof(char *), find_sessions_compare);
}

/*
 * Uses the sessions that can be read. If there are none, returns an error with the first one's
 * reason.
 */
static int add_found(const struct found *found, struct found_sessions *found_sessions,
		     struct report *report)
{
	uint32_t before = report->source.count, first = found_sessions->broken.count;

	for (uint32_t i = 0; i < found->count; i++) {
		char *wrong = add_session(found->item[i], report);

		if (wrong)
			*ARRAY_ADD(&found_sessions->broken) = wrong;
	}
	return report->source.count > before ? 0 :
					       complain("%s", found_sessions->broken.item[first]);
}

static int add_named(const char *dir, struct found_sessions *found_sessions, struct report *report)
{
	struct found found = {0};
	int status = 0;
	char *wrong;

	if (!holds_session(dir))
		find_below(dir, &found);
	if (found.count) {
		status = add_found(&found, found_sessions, report);
	} else {
		wrong = add_session(dir, report);
		status = wrong ? complain_text(wrong) : 0;
	}
	for (uint32_t i = 0; i < found.count; i++)
		free(found.item[i]);
	free(found.item);
	return status;
}

int find_sessions(char **dirs, struct found_sessions *found_sessions, struct report *report)
{
	int status = 0;

	for (; *dirs && !status; dirs++)
		status = add_named(*dirs, found_sessions, report);
	return status;
}

void found_finish(struct found_sessions *found_sessions)
{
	for (uint32_t i = 0; i < found_sessions->broken.count; i++)
		free(found_sessions->broken.item[i]);
	free(found_sessions->broken.item);
}
