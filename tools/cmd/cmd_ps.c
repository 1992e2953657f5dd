/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpsan ps: who waits for whom in a session, shown from another shell while the program hangs or
 * after it ended; with --memory, its shared memory; with --job, the tables that the answer rests on. Neighbours: ps.h,
 * ps_memory.h, picture.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/stream.h"
#include "../job/picture.h"
#include "../ps/ps.h"
#include "../ps/ps_memory.h"
#include "command.h"

static void write_json(json_t *document)
{
	json_dumpf(document, stdout, JSON_INDENT(1));
	putchar('\n');
	json_decref(document);
}

static void write_waits(struct ps *ps, bool as_json)
{
	struct ps_picture *picture = ps_picture(ps, NULL);

	if (as_json)
		write_json(ps_json(picture));
	else
		ps_print(stdout, picture);
	ps_picture_free(picture);
}

static void write_memory(struct ps *ps, bool as_json)
{
	json_auto_t *document = ps_memory_document(ps);

	if (as_json)
		write_json(json_incref(document));
	else
		ps_memory_print(stdout, document);
}

/* The views: wait-for graph, shared memory, and the tables of the job, which are text only. */
struct view {
	const char *option;
	bool looks; /* whether it examines live threads */
	void (*write)(struct ps *ps, bool as_json);
};
static const struct view views[] = {
	{"", true, write_waits},
	{"--memory", false, write_memory},
	{"--job", true, NULL},
};

static int write_job(const struct ps *ps, bool as_json)
{
	if (as_json)
		return complain("ps: --job writes text, no JSON");
	if (!ps->live)
		return complain("ps: --job: none of its processes is alive");
	picture_write(stdout, &ps->graph->job, &ps->graph->solved, ps->now_ns);
	return 0;
}

static int cmd_ps_show(const char *dir, bool as_json, const void *context)
{
	const struct view *view = context;
	struct ps ps;
	char *wrong = ps_open(&ps, dir);
	int status = 0;

	if (wrong)
		return complain_text(wrong);
	if (ps.live && view->looks)
		ps_look(&ps);
	if (view->write)
		view->write(&ps, as_json);
	else
		status = write_job(&ps, as_json);
	ps_close(&ps);
	if (!status && !stream_flush(stdout))
		return complain("ps: cannot write to standard output");
	return status;
}

/* The view that an option asks for; NULL: it asks for none. */
static const struct view *view_of(const char *option)
{
	for (size_t i = 1; i < sizeof(views) / sizeof(*views); i++)
		if (!strcmp(views[i].option, option))
			return &views[i];
	return NULL;
}

int cmd_ps(int argc, char **argv)
{
	const struct view *view = views;
	int kept = 1;

	if (usage_asked(argc, argv, usage_ps))
		return 0;
	for (int i = 1; i < argc; i++) {
		const struct view *other = view_of(argv[i]);

		if (other && view != views && view != other)
			return complain("ps: %s or %s, not both", view->option, other->option);
		if (other)
			view = other;
		else
			argv[kept++] = argv[i];
	}
	return ps_command_run(kept, argv, usage_ps, cmd_ps_show, view);
}
