/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpsan report: judges recorded sessions again, with the same result as during the run. Neighbours:
 * offline.h judges, report.h writes.
 */
#include "command.h"
#include "offline.h"

int cmd_report(int argc, char **argv)
{
	struct settings settings;
	int status = options_parse(&settings, OPT_REPORT, usage_report, argc, argv);

	if (!status && settings.rest >= argc)
		status = complain(
			"report: missing session directory; mpsan run --dir DIR creates one");
	return offline_run(&settings, argv + settings.rest, status);
}
