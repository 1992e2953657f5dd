/*
 * mpsan ps: who waits for whom in a session, from another shell, while the program hangs or after
 * its end. Neighbours: ps.h.
 */
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "ps.h"

static int show(const char *dir, bool as_json)
{
	struct ps ps;
	char *wrong = ps_open(&ps, dir);
	json_t *document;

	if (wrong) {
		complain("%s", wrong);
		free(wrong);
		return STATUS_USAGE;
	}
	if (ps.live)
		ps_look(&ps);
	document = ps_document(&ps);
	if (as_json) {
		json_dumpf(document, stdout, JSON_INDENT(1));
		putchar('\n');
	} else {
		ps_print(stdout, document);
	}
	json_decref(document);
	ps_close(&ps);
	return fflush(stdout) ? complain("ps: standard output cannot be written") : 0;
}

int cmd_ps(int argc, char **argv)
{
	return ps_command_run(argc, argv, usage_ps, show);
}
