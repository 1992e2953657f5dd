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
	struct report report = {0};

	if (!status && settings.rest >= argc)
		status = complain(
			"report: missing session directory; mpsan run --dir DIR creates one");
	if (!status)
		status = offline_check(&settings);
	if (!status)
		status = offline_judge(&settings, argv + settings.rest, &report);
	if (!status)
		status = offline_conclude(&settings, &report);
	report_finish(&report);
	options_finish(&settings);
	return status == OPTIONS_HELP ? 0 : status;
}
