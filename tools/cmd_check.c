/*
 * mpsan check: for CI, judges recorded sessions and fails only on findings that are not in the baseline. Neighbours:
 * baseline.h, settle.h, recorded.h.
 */
#include "command.h"
#include "recorded.h"
#include "settle.h"

static int check(struct settings *settings, const struct report *report)
{
	int status = settle(settings, report->document);

	if (!status)
		status = recorded_write(settings, report);
	if (!status && !settings->write_baseline && settings->fail_on != GRADE_OFF &&
	    report_worst(report->document) >= settings->fail_on)
		status = settings->exit_code;
	return status;
}

int cmd_check(int argc, char **argv)
{
	struct settings settings;
	int status = options_parse(&settings, OPT_CHECK, usage_check, argc, argv);
	struct report report = {0};

	if (!status && !settings.baseline.file && !settings.write_baseline)
		status = complain(
			"check: give --baseline FILE, or --write-baseline FILE to make one");
	else if (!status && settings.rest >= argc)
		status = complain(
			"check: give the directory of a session (mpsan run --dir DIR makes one)");
	if (!status)
		status = recorded_judge(&settings, argv + settings.rest, &report);
	if (!status)
		status = check(&settings, &report);
	report_finish(&report);
	options_finish(&settings);
	return status == OPTIONS_HELP ? 0 : status;
}
