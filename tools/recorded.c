/* See recorded.h. */
#include "recorded.h"

#include <stdlib.h>
#include <time.h>

#include "practices.h"

/* The first process of a session stands for the command. */
static void describe(const struct reader *reader, json_t **command, struct report_exit *end)
{
	const struct mpsan_process *first =
		reader->used.count ? &reader->session.table[reader->used.item[0]] : NULL;

	*end = (struct report_exit){.code = -1};
	if (!first)
		return;
	*command = process_argv(first);
	if (first->end == MPSAN_END_EXIT)
		end->code = first->end_value;
	else if (first->end == MPSAN_END_SIGNAL)
		end->signal = first->end_value;
}

static bool wants_timeline(const struct settings *settings)
{
	for (uint32_t i = 0; i < settings->reports.count; i++)
		if (settings->reports.item[i].format->wants & REPORT_TIMELINE)
			return true;
	return false;
}

void recorded_add(const struct settings *settings, const struct judge *judge, struct report *report)
{
	struct report_source *source = ARRAY_ADD(&report->source);

	*source = (struct report_source){.dir = text_copy(judge->reader->session.dir)};
	report_add(report->document, judge);
	practices_add(report->document, judge);
	if (!wants_timeline(settings))
		return;
	if (!report->timeline)
		report->timeline = timeline_create();
	timeline_add(report->timeline, report->source.count - 1, source->skew_ns, judge);
}

static int judge_session(const struct settings *settings, const char *dir, struct report *report)
{
	struct reader reader;
	struct judge judge;
	char *wrong = reader_open(&reader, dir, false);
	struct report_exit end;
	json_t *command = NULL;
	uint64_t now;

	if (wrong) {
		complain("%s", wrong);
		free(wrong);
		return STATUS_USAGE;
	}
	reader_read(&reader);
	now = reader_end_ns(&reader);
	if (now)
		reader_finish(&reader, now);
	else
		reader_poll(&reader, clock_ns(CLOCK_MONOTONIC));
	judge_init(&judge, &reader, &settings->grades, &settings->suppressions);
	judge_moments(&judge);
	describe(&reader, &command, &end);
	if (!report->document)
		report->document = report_create(command, &end);
	recorded_add(settings, &judge, report);
	json_decref(command);
	judge_finish(&judge);
	reader_close(&reader);
	return 0;
}

int recorded_judge(const struct settings *settings, char **dirs, struct report *report)
{
	int status = 0;

	*report = (struct report){0};
	for (; *dirs && !status; dirs++)
		status = judge_session(settings, *dirs, report);
	return status;
}

int recorded_write(const struct settings *settings, const struct report *report)
{
	char *wrong = NULL;

	if (!settings->reports.count)
		out_text(stderr, report);
	for (uint32_t i = 0; i < settings->reports.count && !wrong; i++)
		wrong = report_write(&settings->reports.item[i], report);
	if (!wrong)
		return 0;
	complain("%s", wrong);
	free(wrong);
	return STATUS_USAGE;
}
