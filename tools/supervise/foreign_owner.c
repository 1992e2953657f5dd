/* SPDX-License-Identifier: Apache-2.0 */
/* Looks for directories above a session that belong to another user. */
#include "foreign_owner.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/util.h"

#define NOBODY 65534u /* what unmapped users look like in a user namespace */

/* Whether that number identifies one user here. */
static bool is_mapped(uint32_t uid)
{
	AUTO_CLOSE FILE *map = fopen("/proc/self/uid_map", "re");
	unsigned long first, outside, count;
	bool mapped = !map;

	while (map && !mapped && fscanf(map, "%lu %lu %lu", &first, &outside, &count) == 3)
		mapped = uid >= first && uid - first < count;
	return mapped;
}

static bool is_foreign(const char *dir, uint32_t *owner)
{
	struct stat st;

	if (stat(dir, &st) || !st.st_uid || st.st_uid == geteuid())
		return false;
	*owner = st.st_uid;
	return st.st_uid != NOBODY || is_mapped(NOBODY);
}

/* The nearest existing directory above. */
static char *real_above(const char *path)
{
	char *above = text_copy(path), *slash, *real = NULL;

	while (!real && (slash = strrchr(above, '/'))) {
		slash[slash == above] = '\0';
		real = realpath(above, NULL);
		if (slash == above)
			break;
	}
	free(above);
	return real ? real : realpath(".", NULL);
}

char *foreign_above(const char *path)
{
	char *above = real_above(path), *wrong = NULL, *slash;
	uint32_t owner;

	while (above && *above && !wrong) {
		if (is_foreign(above, &owner))
			wrong = text_format("lies in %s, which belongs to another user (uid %u)",
					    above, owner);
		slash = strrchr(above, '/');
		if (slash)
			*slash = '\0';
	}
	free(above);
	return wrong;
}
