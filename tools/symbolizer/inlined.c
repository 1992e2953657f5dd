/* SPDX-License-Identifier: Apache-2.0 */
/* Reads lines and inlined calls from DWARF, with elfutils. */
#include "inlined.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../base/util.h"
#include "origin.h"

/* The compilation unit of `at`. clang writes no .debug_aranges, so then every unit is searched. */
static Dwarf_Die *find_unit(Dwfl_Module *module, uint64_t at, Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(module, at, bias);

	if (unit)
		return unit;
	while ((unit = dwfl_module_nextcu(module, unit, bias)))
		if (dwarf_haspc(unit, at - *bias) > 0)
			return unit;
	return NULL;
}

/* The DIEs around `at`, starting with the innermost inlined call; the caller frees them. */
static int inlined_calls(Dwarf_Die *unit, Dwarf_Addr at, Dwarf_Die **calls)
{
	AUTO_FREE Dwarf_Die *scopes = NULL;
	int count = dwarf_getscopes(unit, at, &scopes), found = 0;

	*calls = NULL;
	for (int i = 0; i < count && !found; i++)
		if (dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine)
			found = dwarf_getscopes_die(&scopes[i], calls);
	return found;
}

static const char *file_of_call(Dwarf_Die *unit, Dwarf_Die *call)
{
	Dwarf_Attribute attribute;
	Dwarf_Files *files;
	Dwarf_Word number;
	size_t count;

	if (dwarf_formudata(dwarf_attr(call, DW_AT_call_file, &attribute), &number) ||
	    dwarf_getsrcfiles(unit, &files, &count))
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

static const char *function_of(Dwarf_Die *call)
{
	Dwarf_Attribute attribute;
	const char *name =
		dwarf_formstring(dwarf_attr_integrate(call, DW_AT_linkage_name, &attribute));

	return name ? name : dwarf_diename(call);
}

/*
 * Whether a call that was inlined says nothing about the program, at this position in it. gcc
 * marks the bodies of lambdas as artificial, too.
 */
static bool is_wrapper(Dwarf_Die *call, const char *file)
{
	const char *name = dwarf_diename(call);

	return origin_is_header(file) || (dwarf_hasattr_integrate(call, DW_AT_artificial) &&
					  !(name && !strcmp(name, "operator()")));
}

unsigned inlined_places(Dwfl_Module *module, uint64_t at, struct inlined_place *places,
			unsigned max, const char **built_in)
{
	Dwarf_Addr bias = 0;
	Dwarf_Die *unit = find_unit(module, at, &bias), *calls;
	Dwarf_Line *row = unit ? dwarf_getsrc_die(unit, at - bias) : NULL;
	struct inlined_place place = {.file = row ? dwarf_linesrc(row, NULL, NULL) : NULL};
	Dwarf_Attribute attribute;
	Dwarf_Word number;
	unsigned found = 0;
	int count;

	if (!place.file)
		return 0;
	dwarf_lineno(row, &place.line);
	*built_in = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
	count = inlined_calls(unit, at - bias, &calls);
	for (int i = 0; i < count; i++) {
		const char *caller = NULL;

		if (dwarf_tag(&calls[i]) == DW_TAG_lexical_block)
			continue;
		if (dwarf_tag(&calls[i]) == DW_TAG_inlined_subroutine &&
		    !dwarf_formudata(dwarf_attr(&calls[i], DW_AT_call_line, &attribute), &number))
			caller = file_of_call(unit, &calls[i]);
		if (!caller)
			break;
		place.function = function_of(&calls[i]);
		if (place.function && found + 1 < max && !is_wrapper(&calls[i], place.file))
			places[found++] = place;
		place = (struct inlined_place){.file = caller, .line = (int)number};
	}
	free(calls);
	places[found++] = place;
	return found;
}
