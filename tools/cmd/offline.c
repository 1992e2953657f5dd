/* SPDX-License-Identifier: Apache-2.0 */
/* Judges recorded sessions and merges them into one report. */
#include "offline.h"

#include <stdlib.h>
#include <time.h>

#include "../base/limit.h"
#include "../base/progress.h"
#include "../ps/ps.h"
#include "../report/find_sessions.h"
#include "../report/hosts.h"
#include "../report/merge_sessions.h"
#include "../report/practices.h"
#include "../symbols/symbols.h"
#include "gate.h"
#include "picture.h"

int offline_check(const struct settings *settings)
{
	AUTO_FREE char *wrong = NULL;

	for (uint32_t i = 0; i < settings->reports.count && !wrong; i++)
		wrong = report_target_check(&settings->reports.item[i]);
	if (!wrong && settings->write_baseline)
		wrong = baseline_write_check(settings->write_baseline);
	return wrong ? complain("%s", wrong) : 0;
}

/* The command and exit status of the report are those of the session's first process. */
static void offline_describe(const struct reader *reader, json_t **command, struct report_exit *end)
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

static void add_timeline(const struct report_source *source, uint32_t number,
			 const struct judge *judge, struct report *report)
{
	uint64_t before;

	if (!report->timeline)
		report->timeline = timeline_create();
	before = report->timeline->left_out;
	timeline_add(report->timeline, number, source->skew_ns, judge);
	if (report->timeline->left_out > before)
		report_limit(
			report->document,
			"%s: the timeline omits %llu waits, holds, allocations, uses, messages and threads: too many to draw",
			source->dir, (unsigned long long)(report->timeline->left_out - before));
}

/* Adds a judged session to the report's sources. */
static void add_source(const struct settings *settings, const struct judge *judge, uint32_t number,
		       struct report *report)
{
	const struct report_source *source = &report->source.item[number];

	report->grades = &settings->grades;
	report->fail_on = settings->fail_on;
	json_object_set_new(report->document, "fail_on",
			    json_string(settings->fail_on == GRADE_OFF ?
						"never" :
						grade_text(settings->fail_on)));
	if (!report->merge)
		report->merge = merge_sessions_create(report->document);
	judge_add_outcomes(judge);
	merge_sessions_add(report->merge, number, source->skew_ns, judge);
	if (!judge->reader->session.head->outside) /* nothing was seen of how it works */
		practices_add(report->document, judge);
	if (wants_timeline(settings))
		add_timeline(source, number, judge, report);
}

static void add_host(struct report *report, uint32_t number, const json_t *command,
		     const struct report_exit *end)
{
	json_array_append_new(json_object_get(report->document, "hosts"),
			      hosts_json(&report->source.item[number], command, end));
}

void offline_add(const struct settings *settings, const struct judge *judge,
		 const struct report_exit *end, struct report *report)
{
	report->view = settings->view;
	hosts_add(report, &judge->reader->session);
	free(hosts_compare(report, NULL, 0));
	add_source(settings, judge, report->source.count - 1, report);
	add_host(report, report->source.count - 1, json_object_get(report->document, "command"),
		 end);
}

static void add_judged(const struct settings *settings, const struct judge *judge, uint32_t number,
		       struct report *report)
{
	struct report_exit end;
	json_auto_t *command = NULL;

	offline_describe(judge->reader, &command, &end);
	if (!report->document)
		report->document = report_create(command, &end);
	add_source(settings, judge, number, report);
	merge_sessions_end(report->merge, command, &end);
	add_host(report, number, command, &end);
}

/*
 * Of a running program that no supervisor follows the logs have no deadlock: its threads are looked at as well. False:
 * another program.
 */
static bool judge_living(const struct settings *settings, uint32_t number, struct report *report)
{
	struct ps ps;
	char *wrong = ps_open(&ps, report->source.item[number].dir);
	struct ps_picture *picture;
	bool done;

	free(wrong);
	if (wrong)
		return false;
	done = ps.live && ps.proves;
	if (done) {
		ps.judge->grades = &settings->grades;
		ps.judge->suppressions = &settings->suppressions;
		ps_look(&ps);
		picture = ps_picture(&ps, NULL);
		add_judged(settings, ps.judge, number, report);
		picture_add(report, picture, judge_worst(ps.judge) < GRADE_WARNING);
		ps_picture_free(picture);
	}
	ps_close(&ps);
	return done;
}

/* Returns NULL, or an error line that the caller frees. */
static char *judge_session(const struct settings *settings, uint32_t number, struct report *report)
{
	struct reader reader;
	struct judge judge;
	char *wrong = reader_open(&reader, report->source.item[number].dir, false);
	uint64_t now;

	if (wrong)
		return wrong;
	progress_begin(report->source.item[number].dir);
	if (!reader.session.head->end_ns) /* otherwise the supervisor recorded the end */
		reader_read(&reader);
	now = reader_end_ns(&reader);
	if (!now && report->source.count == 1 && judge_living(settings, number, report)) {
		progress_end();
		reader_close(&reader);
		return NULL;
	}
	if (now)
		reader_finish(&reader, now);
	else
		reader_poll(&reader, clock_ns(CLOCK_MONOTONIC));
	judge_init(&judge, &reader, &settings->grades, &settings->suppressions);
	judge_triggers(&judge);
	progress_end();
	add_judged(settings, &judge, number, report);
	if (!now && report->source.count == 1)
		picture_take(report, reader.session.dir,
			     reader.session.head->asked || judge_worst(&judge) < GRADE_WARNING);
	judge_finish(&judge);
	reader_close(&reader);
	return NULL;
}

static int judge_all(const struct settings *settings, struct found_sessions *found_sessions,
		     struct report *report)
{
	char *wrong = hosts_compare(report, settings->skews.item, settings->skews.count);
	struct symbols *symbols = symbols_create(); /* the ranks of a job run the same files */

	for (uint32_t i = 0; i < report->source.count && !wrong; i++)
		wrong = judge_session(settings, i, report);
	symbols_destroy(symbols);
	if (wrong) {
		complain("%s", wrong);
		free(wrong);
		return STATUS_USAGE;
	}
	for (uint32_t i = 0; i < found_sessions->broken.count; i++)
		report_limit(report->document, "session left out: %s",
			     found_sessions->broken.item[i]);
	hosts_limits(report);
	merge_sessions_finish(report);
	return 0;
}

int offline_judge(const struct settings *settings, char **dirs, struct report *report)
{
	struct found_sessions found_sessions = {0};
	int status;

	*report = (struct report){0};
	status = find_sessions(dirs, &found_sessions, report);
	if (!status)
		status = judge_all(settings, &found_sessions, report);
	found_finish(&found_sessions);
	return status;
}

static int write_one(const struct report_target *target, const struct report *report)
{
	AUTO_FREE char *wrong = report_write(target, report);

	return wrong ? complain("%s", wrong) : 0;
}

int offline_write(const struct settings *settings, const struct report *report)
{
	struct report_target preset;
	int status = 0;

	if (!settings->reports.count) {
		free(report_target_parse(&preset, "text=-"));
		return write_one(&preset, report);
	}
	for (uint32_t i = 0; i < settings->reports.count; i++)
		if (write_one(&settings->reports.item[i], report))
			status = STATUS_USAGE;
	return status;
}

int offline_conclude(struct settings *settings, const struct report *report)
{
	int status = gate(settings, report->document), written = offline_write(settings, report);

	if (status || written)
		return status ? status : written;
	if (!settings->write_baseline && settings->fail_on != GRADE_OFF &&
	    report_worst(report->document) >= settings->fail_on)
		return settings->exit_code;
	return 0;
}

int offline_run(struct settings *settings, char **dirs, int status)
{
	struct report report = {0};

	if (!status)
		status = offline_check(settings);
	if (!status)
		status = offline_judge(settings, dirs, &report);
	if (!status)
		status = offline_conclude(settings, &report);
	report_finish(&report);
	options_finish(settings);
	return status == OPTIONS_HELP ? 0 : status;
}
