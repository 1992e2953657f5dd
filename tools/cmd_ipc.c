/*
 * mpsan ipc: the registry of exported device memory, from another shell, while the program runs or
 * after its end. Neighbours: exports.h, ipc_list.c, ps.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "ipc_list.h"
#include "ps.h"

static int show(const char *dir, bool as_json)
{
	struct ipc_list list;
	char *wrong = ipc_list_open(&list, dir);

	if (wrong) {
		complain("%s", wrong);
		free(wrong);
		return STATUS_USAGE;
	}
	if (as_json) {
		json_t *document = ipc_list_document(&list);

		json_dumpf(document, stdout, JSON_INDENT(1));
		putchar('\n');
		json_decref(document);
	} else {
		ipc_list_print(&list, stdout);
	}
	ipc_list_close(&list);
	return fflush(stdout) ? complain("ipc: standard output cannot be written") : 0;
}

static int show_living(bool as_json)
{
	char *dir = ps_pick("ipc", usage_ipc);
	int status = dir ? show(dir, as_json) : STATUS_USAGE;

	free(dir);
	return status;
}

int cmd_ipc(int argc, char **argv)
{
	const char *dir = NULL;
	bool as_json = false;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--json"))
			as_json = true;
		else if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return !printf("usage: mpsan %s\n", usage_ipc);
		else if (argv[i][0] == '-')
			return complain("unknown option %s; usage: mpsan %s", argv[i], usage_ipc);
		else if (dir)
			return complain("ipc: one session at a time; usage: mpsan %s", usage_ipc);
		else
			dir = argv[i];
	}
	return dir ? show(dir, as_json) : show_living(as_json);
}
