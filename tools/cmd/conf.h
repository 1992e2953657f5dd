/*
 * The project file .mpsan.conf: lines of OPTION = VALUE with the names of the long options, '#' begins a comment. The
 * nearest one from the working directory upwards holds, up to the root of the repository (a directory with .git in it)
 * or of the file system. Names of files are relative to its directory. The command line overrides it. One that another
 * user could have written is left alone, unless --conf names it. Neighbour: options.h.
 */
#ifndef MPSAN_CONF_H
#define MPSAN_CONF_H

#include "options.h"

#define CONF_NAME ".mpsan.conf"

/*
 * Reads settings->conf, or looks for the file and names it there. Sets what `where` takes. 0, or STATUS_USAGE after a
 * complaint.
 */
int conf_read(struct settings *settings, enum option_where where);

#endif
