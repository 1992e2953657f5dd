/* SPDX-License-Identifier: Apache-2.0 */
/* mpsan null: does nothing. */
#include <stdio.h>

#include "../base/util.h"
#include "command.h"

int cmd_null(int argc, char **argv)
{
	if (argc > 1)
		return complain("null: takes no %s", argv[1]);
	puts("nothing done");
	return 0;
}
