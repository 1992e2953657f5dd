/* SPDX-License-Identifier: Apache-2.0 */
/* Parses MPSAN_OPTIONS. */
#include "setting.h"

#include <string.h>

#include "../intercept/sys.h"

const char *setting(const char *name, char *value, size_t bytes)
{
	static const char *options;
	const char *at;
	size_t n = 0;

	if (!options && !(options = sys_getenv("MPSAN_OPTIONS")))
		options = "";
	at = options;
	while (*at) {
		if (text_starts(at, name) && at[strlen(name)] == '=') {
			for (at += strlen(name) + 1; *at && *at != ':' && n + 1 < bytes; at++)
				value[n++] = *at;
			value[n] = '\0';
			return value;
		}
		while (*at && *at++ != ':')
			;
	}
	return NULL;
}

uint64_t setting_bytes(const char *name, uint64_t preset)
{
	char value[32];
	const char *rest;
	uint64_t n;

	if (!setting(name, value, sizeof(value)) || !(n = text_number(value, &rest)))
		return preset;
	return n << (*rest == 'k' ? 10 : *rest == 'M' ? 20 : *rest == 'G' ? 30 : 0);
}
