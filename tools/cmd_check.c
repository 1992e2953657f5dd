/*
 * mpsan check: for CI, fails only on findings whose fingerprint is not in the baseline. A
 * baseline is a text file: one fingerprint a line, what stands behind it is for people, '#'
 * begins a comment. Neighbour: recorded.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "recorded.h"

static int read_baseline(const char *file, json_t *known)
{
	FILE *stream = fopen(file, "re");
	char *line = NULL;
	size_t room = 0;

	if (!stream)
		return complain("--baseline %s: %s; --write-baseline makes one", file,
				strerror(errno));
	while (getline(&line, &room, stream) >= 0) {
		line[strcspn(line, " \t\r\n#")] = '\0';
		if (*line)
			json_object_set_new(known, line, json_true());
	}
	free(line);
	fclose(stream);
	return 0;
}

static int write_baseline(const char *file, const json_t *document)
{
	FILE *stream = fopen(file, "we");
	json_t *finding;
	size_t i;

	if (!stream)
		return complain("--write-baseline %s: %s", file, strerror(errno));
	fputs("# fingerprints of known findings; what follows one is for people\n", stream);
	json_array_foreach(json_object_get(document, "findings"), i, finding) fprintf(
		stream, "%s %s %s\n", json_string_value(json_object_get(finding, "fingerprint")),
		json_string_value(json_object_get(finding, "severity")),
		json_string_value(json_object_get(finding, "rule")));
	return fclose(stream) ? complain("--write-baseline %s: %s", file, strerror(errno)) : 0;
}

static void drop_known(json_t *document, const json_t *known)
{
	json_t *findings = json_object_get(document, "findings");
	size_t count = json_array_size(findings), dropped = 0;

	for (size_t i = count; i-- > 0;) {
		const json_t *finding = json_array_get(findings, i);

		if (!json_object_get(known,
				     json_string_value(json_object_get(finding, "fingerprint"))))
			continue;
		json_array_remove(findings, i);
		dropped++;
	}
	if (dropped)
		report_limit(document, "findings in the baseline, not shown: %zu", dropped);
}

static int check(const struct settings *settings, const struct report *report)
{
	json_t *document = report->document;
	json_t *known = json_object();
	int status = 0;

	if (settings->baseline)
		status = read_baseline(settings->baseline, known);
	if (!status && settings->write_baseline)
		status = write_baseline(settings->write_baseline, document);
	if (!status)
		drop_known(document, known);
	json_decref(known);
	if (!status)
		status = recorded_write(settings, report);
	if (!status && !settings->write_baseline && settings->fail_on != GRADE_OFF &&
	    report_worst(document) >= settings->fail_on)
		status = settings->exit_code;
	return status;
}

int cmd_check(int argc, char **argv)
{
	struct settings settings;
	int status = options_parse(&settings, OPT_CHECK, usage_check, argc, argv);
	struct report report = {0};

	if (!status && !settings.baseline && !settings.write_baseline)
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
