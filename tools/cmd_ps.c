/*
 * mpsan ps: who waits for whom in a session, from another shell, while the program hangs or after
 * its end. Neighbours: ps.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Without a directory: the one session that is alive. */
static int show_living(bool as_json)
{
	char *dir = ps_pick("ps", usage_ps);
	int status = dir ? show(dir, as_json) : STATUS_USAGE;

	free(dir);
	return status;
}

int cmd_ps(int argc, char **argv)
{
	const char *dir = NULL;
	bool as_json = false;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--json"))
			as_json = true;
		else if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return !printf("usage: mpsan %s\n", usage_ps);
		else if (argv[i][0] == '-')
			return complain("unknown option %s; usage: mpsan %s", argv[i], usage_ps);
		else if (dir)
			return complain("ps: one session at a time; usage: mpsan %s", usage_ps);
		else
			dir = argv[i];
	}
	return dir ? show(dir, as_json) : show_living(as_json);
}
