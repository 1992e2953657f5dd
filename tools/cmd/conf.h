/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The project file .mpsan.conf: lines of OPTION = VALUE with the names of the long options; '#'
 * starts a comment. The nearest one counts, from the working directory up to the root of the
 * repository (a directory with .git in it) or of the file system. File names are relative to its
 * directory. The command line overrides it. A file that another user could have written is ignored
 * unless --conf names it. Neighbour: options.h.
 */
#pragma once

#include "options.h"

#define CONF_NAME ".mpsan.conf"

/*
 * Reads settings->conf, or finds the project file and stores its name there. Sets the options that
 * `where` takes. Returns 0, or STATUS_USAGE after an error line.
 */
int conf_read(struct settings *settings, enum option_where where);
