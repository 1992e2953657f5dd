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

static int judge_session(const struct settings *settings, const char *dir, json_t **document)
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
	if (!*document)
		*document = report_create(command, &end);
	report_add(*document, &judge);
	practices_add(*document, &judge);
	json_decref(command);
	judge_finish(&judge);
	reader_close(&reader);
	return 0;
}

int recorded_judge(const struct settings *settings, char **dirs, json_t **document)
{
	int status = 0;

	*document = NULL;
	for (; *dirs && !status; dirs++)
		status = judge_session(settings, *dirs, document);
	return status;
}

int recorded_write(const struct settings *settings, const json_t *document)
{
	char *wrong = NULL;

	if (!settings->reports.count)
		out_text(stderr, document);
	for (uint32_t i = 0; i < settings->reports.count && !wrong; i++)
		wrong = report_write(&settings->reports.item[i], document);
	if (!wrong)
		return 0;
	complain("%s", wrong);
	free(wrong);
	return STATUS_USAGE;
}
