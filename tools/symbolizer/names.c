/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names addresses, with elfutils: see names.h. Each file has a Dwfl of its own, loaded at its own addresses, so that it is
 * read once for all processes, and only if a name in it is needed.
 */
#define _GNU_SOURCE 1 /* tdestroy */
#include "names.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libiberty/demangle.h>

#include "../base/util.h"
#include "debug_file.h"

/* Longer names tell no more: templates of templates. */
#define NAME_BYTES 2048u

/* A label without a size (assembly) is assumed to cover this many bytes. */
#define LABEL_REACH 4096

/* A file with symbols; `module` is NULL if it cannot be read. */
struct source {
	const struct image *image;
	Dwfl *dwfl;
	Dwfl_Module *module;
};

static void *sources; /* tree */

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf, /* never called: the file is passed as a descriptor */
	.find_debuginfo = debug_file_find,
	.section_address = dwfl_offline_section_address,
};

static int compare_sources(const void *left, const void *right)
{
	const struct source *one = left;
	const struct source *other = right;

	return (one->image > other->image) - (one->image < other->image);
}

static void source_destroy(void *node)
{
	AUTO_FREE struct source *source = node;

	if (source->dwfl)
		dwfl_end(source->dwfl);
}

/* Opens the file with load address 0, so that its addresses are vaddrs. */
static void source_open(struct source *source, const char *path, enum names_depth depth)
{
	int fd = image_open(source->image);
	void **data;

	if (fd < 0)
		return;
	source->dwfl = dwfl_begin(&callbacks);
	if (source->dwfl) {
		dwfl_report_begin(source->dwfl);
		source->module = dwfl_report_elf(source->dwfl, path, path, fd, 0, true);
		dwfl_report_end(source->dwfl, NULL, NULL);
	}
	if (!source->module) {
		close(fd);
		return;
	}
	dwfl_module_info(source->module, &data, NULL, NULL, NULL, NULL, NULL, NULL);
	*data = depth == NAMES_LINES ? (void *)(uintptr_t)source->image : NULL;
}

static Dwfl_Module *find_module(const struct image *image, const char *path, enum names_depth depth)
{
	struct source key = {.image = image}, *source;
	void *node = tfind(&key, &sources, compare_sources);

	if (node)
		return (*(struct source **)node)->module;
	source = memory_get(sizeof(*source));
	source->image = image;
	source_open(source, path, depth);
	if (!tsearch(source, &sources, compare_sources)) {
		source_destroy(source);
		return NULL;
	}
	return source->module;
}

/*
 * Length of a name without suffixes of compiler and linker: ".constprop.0", ".1", "@GLIBC_2.2.5".
 */
static size_t written_length(const char *name)
{
	static const char *const added[] = {"constprop", "isra", "part",
					    "cold",	 "llvm", "lto_priv"};
	size_t length = strcspn(name + 1, "@") + 1;

	for (const char *dot = name + 1; dot < name + length; dot++) {
		if (*dot != '.')
			continue;
		if (dot[1] >= '0' && dot[1] <= '9')
			return (size_t)(dot - name);
		for (size_t i = 0; i < sizeof(added) / sizeof(*added); i++)
			if (!strncmp(dot + 1, added[i], strlen(added[i])))
				return (size_t)(dot - name);
	}
	return length;
}

/* The name as in the source: demangled, without such suffixes. */
static char *plain_name(const char *name, enum names_depth depth)
{
	char *written = strndup(name, written_length(name));
	char *plain = NULL;

	if (written && depth == NAMES_LINES)
		plain = cplus_demangle(written, DMGL_AUTO | DMGL_PARAMS | DMGL_ANSI);
	if (!plain)
		return written;
	free(written);
	if (strlen(plain) >= NAME_BYTES + sizeof("..."))
		strcpy(plain + NAME_BYTES, "...");
	return plain;
}

static void find_object(Dwfl_Module *module, uint64_t at, enum names_depth depth,
			struct names *names)
{
	GElf_Sym symbol;
	GElf_Off offset;
	const char *name;

	name = dwfl_module_addrinfo(module, at, &offset, &symbol, NULL, NULL, NULL);
	if (!name || !*name || (!symbol.st_size && offset > LABEL_REACH))
		return;
	names->object = plain_name(name, depth);
	names->start = at - offset;
}

static void find_lines(Dwfl_Module *module, uint64_t at, struct names *names)
{
	struct inlined_place place[NAMES_PLACES];
	const char *built_in = NULL;

	names->places = inlined_places(module, at, place, NAMES_PLACES, &built_in);
	for (unsigned i = 0; i < names->places; i++) {
		names->place[i].function =
			place[i].function ? plain_name(place[i].function, NAMES_LINES) : NULL;
		names->place[i].file = strdup(place[i].file);
		names->place[i].line = place[i].line;
	}
	names->built_in = built_in ? strdup(built_in) : NULL;
}

void names_find(const struct module *module, uint64_t ahead, enum names_depth depth, bool lines,
		struct names *names)
{
	const struct image *image = depth == NAMES_NOTHING ? NULL : module_image(module);
	Dwfl_Module *file;

	*names = (struct names){0};
	if (!image)
		return;
	names->lowest = module->base - image_bias(image, module);
	file = find_module(image, module->path, depth);
	if (!file)
		return;
	find_object(file, names->lowest + ahead, depth, names);
	if (lines && depth == NAMES_LINES)
		find_lines(file, names->lowest + ahead, names);
}

void names_free(struct names *names)
{
	free(names->object);
	free(names->built_in);
	for (unsigned i = 0; i < names->places; i++) {
		free(names->place[i].function);
		free(names->place[i].file);
	}
	*names = (struct names){0};
}

void names_finish(void)
{
	tdestroy(sources, source_destroy);
	sources = NULL;
}
