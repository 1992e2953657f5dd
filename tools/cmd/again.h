/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command lines of `mpsan report` that write what was asked of `mpsan run`, for when that cannot:
 * the program may not end before SIGKILL, or mpsan itself fails. Neighbours: interim.h and rescue.h run them.
 */
#pragma once

#include "options.h"

struct again {
	/* NULL-terminated; what they say belongs to them. */
	char **files; /* reports into plain files */
	char **all; /* the same, and text on standard error; NULL: text was not asked for there */
	char **name; /* the files */
};

/*
 * `argv` is the command line of `mpsan run` that was parsed into `settings`, without `text` on standard
 * error among its reports; `text`: whether it was.
 */
void again_prepare(struct again *again, const struct settings *settings, char **argv,
		   const char *dir, bool text);
void again_finish(struct again *again);
