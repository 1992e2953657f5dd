/*
 * mpsan report: judges recorded sessions again, with the same result as when they ran.
 * Neighbours: offline.h does the judging; report.h the writing.
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
			"report: give the directory of a session (mpsan run --dir DIR makes one)");
	if (!status)
		status = offline_judge(&settings, argv + settings.rest, &report);
	if (!status)
		status = offline_conclude(&settings, &report);
	report_finish(&report);
	options_finish(&settings);
	return status == OPTIONS_HELP ? 0 : status;
}
