/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpsan check: judges recorded sessions for CI and fails only on findings that are not in the
 * baseline. Neighbours: baseline.h, offline.h.
 */
#include "command.h"
#include "offline.h"

int cmd_check(int argc, char **argv)
{
	struct settings settings;
	int status = options_parse(&settings, OPT_CHECK, usage_check, argc, argv);

	if (!status && !settings.baseline.file && !settings.write_baseline)
		status = complain(
			"check: --baseline FILE is required; --write-baseline FILE creates one");
	else if (!status && settings.rest >= argc)
		status = complain(
			"check: missing session directory; mpsan run --dir DIR creates one");
	return offline_run(&settings, argv + settings.rest, status);
}
