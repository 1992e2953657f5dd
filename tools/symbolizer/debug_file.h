/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds separate debug information: by build-id, and by the file name in .gnu_debuglink or .gnu_debugaltlink, of which only
 * the last part counts. What is found is a plain file with the same build-id, or the checksum of the link. Nothing is
 * downloaded. Neighbour: names.h hands it to elfutils.
 */
#pragma once

#include <elfutils/libdwfl.h>

/*
 * As elfutils wants it (Dwfl_Callbacks.find_debuginfo): a descriptor and, in `found`, its path, which the caller frees; -1.
 * `data` points to the module's struct image; NULL there: no debug information is wanted.
 */
int debug_file_find(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
		    const char *file, const char *link, GElf_Word crc, char **found);
