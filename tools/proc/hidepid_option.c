/* SPDX-License-Identifier: Apache-2.0 */
/* Reads how /proc is mounted. */
#include "hidepid_option.h"

#include <stdio.h>
#include <string.h>

#include "../base/util.h"

bool hidepid_option(const char *mountinfo)
{
	const char *option = strstr(mountinfo, "hidepid=");

	return strstr(mountinfo, " - proc ") && option && option[8] != '0' &&
	       strncmp(option + 8, "off", 3);
}

bool hidepid_possible(void)
{
	static enum { UNREAD, SHOWN, HIDES } known;
	AUTO_CLOSE FILE *file = known == UNREAD ? fopen("/proc/self/mountinfo", "re") : NULL;
	AUTO_FREE char *line = NULL;
	size_t room = 0;

	if (known == UNREAD)
		known = SHOWN;
	while (file && getline(&line, &room, file) > 0)
		if (hidepid_option(line))
			known = HIDES;
	return known == HIDES;
}
