/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpsan ipc: the registry of exported device memory, shown from another shell while the program
 * runs or after it ended. Neighbours: export_table.h, ipc_list.c, ps.h.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../base/stream.h"
#include "../ps/ipc_list.h"
#include "../ps/ps.h"
#include "command.h"

static int cmd_ipc_show(const char *dir, bool as_json, const void *context)
{
	struct ipc_list list;
	char *wrong = ipc_list_open(&list, dir);

	(void)context;
	if (wrong) {
		complain("%s", wrong);
		free(wrong);
		return STATUS_USAGE;
	}
	if (as_json) {
		json_auto_t *document = ipc_list_document(&list);

		json_dumpf(document, stdout, JSON_INDENT(1));
		putchar('\n');
	} else {
		ipc_list_print(&list, stdout);
	}
	ipc_list_close(&list);
	return stream_flush(stdout) ? 0 : complain("ipc: cannot write to standard output");
}

int cmd_ipc(int argc, char **argv)
{
	if (usage_asked(argc, argv, usage_ipc))
		return 0;
	return ps_command_run(argc, argv, usage_ipc, cmd_ipc_show, NULL);
}
