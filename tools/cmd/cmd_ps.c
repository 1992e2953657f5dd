/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpsan ps: who waits for whom in a session, shown from another shell while the program hangs or
 * after it ended; with --memory, its shared memory. Neighbours: ps.h, ps_memory.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/stream.h"
#include "../ps/ps.h"
#include "../ps/ps_memory.h"
#include "command.h"

static int cmd_ps_tell(char *wrong)
{
	complain("%s", wrong);
	free(wrong);
	return STATUS_USAGE;
}

static int write_out(json_t *document, bool as_json, void (*print)(FILE *, const json_t *))
{
	if (as_json) {
		json_dumpf(document, stdout, JSON_INDENT(1));
		putchar('\n');
	} else {
		print(stdout, document);
	}
	json_decref(document);
	return stream_flush(stdout) ? 0 : complain("ps: cannot write to standard output");
}

/* The two views: wait-for graph and shared memory. */
struct view {
	bool looks; /* whether it examines live threads */
	json_t *(*document)(struct ps *ps);
	void (*print)(FILE *out, const json_t *document);
};
static const struct view view_waits = {true, ps_document, ps_print};
static const struct view view_memory = {false, ps_memory_document, ps_memory_print};

static int cmd_ps_show(const char *dir, bool as_json, const void *context)
{
	const struct view *view = context;
	struct ps ps;
	char *wrong = ps_open(&ps, dir);
	int status;

	if (wrong)
		return cmd_ps_tell(wrong);
	if (ps.live && view->looks)
		ps_look(&ps);
	status = write_out(view->document(&ps), as_json, view->print);
	ps_close(&ps);
	return status;
}

int cmd_ps(int argc, char **argv)
{
	int kept = 1;

	if (usage_asked(argc, argv, usage_ps))
		return 0;
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--memory"))
			argv[kept++] = argv[i];
	return ps_command_run(kept, argv, usage_ps, cmd_ps_show,
			      kept < argc ? &view_memory : &view_waits);
}
