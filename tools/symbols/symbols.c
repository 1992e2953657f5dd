/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names addresses, with elfutils. Each file has a Dwfl of its own, loaded at its own addresses, so
 * that it is read once for all processes, and only if a name in it is needed.
 */
#define _GNU_SOURCE 1 /* tdestroy */
#include "symbols.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../base/filtered.h"

/* A label without a size (assembly) is assumed to cover this many bytes. */
#define LABEL_REACH 4096

/* From libstdc++, which has no C header for it. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

/* A file with symbols; `dwfl` is NULL if it cannot be read. */
struct source {
	char *path;
	char *build_id; /* as recorded; NULL: unknown */
	Dwfl *dwfl;
	Dwfl_Module *module;
};

/* A cached answer. `at` is a vaddr in the source, or a file offset if it cannot be read. */
struct answer {
	const struct source *source;
	uint64_t at;
	char *name;
	char *file;
	char *built_in;
	int line;
	uint64_t start; /* of the named object */
};

struct symbols {
	void *sources; /* trees */
	void *answers;
	unsigned users;
};

static struct symbols *kept; /* see symbols_keep(); NULL: none */

/*
 * Keeps elfutils from asking a debuginfod server: reporting a deadlock must not wait for the
 * network. The variable is restored, as the watched program inherits our environment.
 */
static int find_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			  const char *file, const char *link, GElf_Word crc, char **found)
{
	const char *now = getenv("DEBUGINFOD_URLS");
	char *urls = now ? strdup(now) : NULL;
	int fd;

	if (!filtered_may(SYS_socketpair)) /* it is initialised nevertheless */
		return free(urls), -1;
	unsetenv("DEBUGINFOD_URLS");
	fd = dwfl_standard_find_debuginfo(module, data, name, base, file, link, crc, found);
	if (urls)
		setenv("DEBUGINFOD_URLS", urls, 1);
	free(urls);
	return fd;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf, /* never called: the file is passed as a descriptor */
	.find_debuginfo = find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

struct symbols *symbols_create(void)
{
	struct symbols *symbols = kept ? kept : calloc(1, sizeof(struct symbols));

	if (symbols)
		symbols->users++;
	return symbols;
}

void symbols_keep(bool keep)
{
	struct symbols *before = kept;

	if (keep && !kept)
		kept = symbols_create();
	if (keep)
		return;
	kept = NULL;
	symbols_destroy(before);
}

static void source_destroy(void *node)
{
	struct source *source = node;

	if (source->dwfl)
		dwfl_end(source->dwfl);
	free(source->path);
	free(source->build_id);
	free(source);
}

static void answer_destroy(void *node)
{
	struct answer *answer = node;

	free(answer->name);
	free(answer->file);
	free(answer->built_in);
	free(answer);
}

void symbols_destroy(struct symbols *symbols)
{
	if (!symbols || --symbols->users)
		return;
	tdestroy(symbols->answers, answer_destroy);
	tdestroy(symbols->sources, source_destroy);
	free(symbols);
}

static int compare_strings(const char *one, const char *other)
{
	return strcmp(one ? one : "", other ? other : "");
}

static int compare_sources(const void *left, const void *right)
{
	const struct source *one = left;
	const struct source *other = right;
	int order = compare_strings(one->path, other->path);

	return order ? order : compare_strings(one->build_id, other->build_id);
}

static int compare_answers(const void *left, const void *right)
{
	const struct answer *one = left;
	const struct answer *other = right;

	if (one->source != other->source)
		return one->source < other->source ? -1 : 1;
	return (one->at > other->at) - (one->at < other->at);
}

/* Opens the source's file with load address 0, so that its addresses are vaddrs. */
static void source_report(struct source *source)
{
	int fd = module_open(source->path);

	if (fd < 0)
		return;
	source->dwfl = dwfl_begin(&callbacks);
	if (source->dwfl) {
		dwfl_report_begin(source->dwfl);
		source->module =
			dwfl_report_elf(source->dwfl, source->path, source->path, fd, 0, true);
		dwfl_report_end(source->dwfl, NULL, NULL);
	}
	if (!source->module)
		close(fd);
}

static struct source *source_create(const struct module *module)
{
	struct source *source = calloc(1, sizeof(*source));

	if (!source)
		return NULL;
	source->path = strdup(module->path ? module->path : "");
	source->build_id = module->build_id ? strdup(module->build_id) : NULL;
	if (!source->path || (module->build_id && !source->build_id)) {
		source_destroy(source);
		return NULL;
	}
	if (module_image(module))
		source_report(source);
	return source;
}

static struct source *find_source(struct symbols *symbols, const struct module *module)
{
	struct source key = {
		.path = module->path ? module->path : (char *)(uintptr_t) "",
		.build_id = module->build_id,
	};
	void *node = tfind(&key, &symbols->sources, compare_sources);
	struct source *source;

	if (node)
		return *(struct source **)node;
	source = source_create(module);
	if (source && !tsearch(source, &symbols->sources, compare_sources)) {
		source_destroy(source);
		return NULL;
	}
	return source;
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
static char *plain_name(const char *name)
{
	char *written = strndup(name, written_length(name));
	char *plain = NULL;

	if (written && !strncmp(written, "_Z", 2))
		plain = __cxa_demangle(written, NULL, NULL, NULL);
	if (!plain)
		return written;
	free(written);
	return plain;
}

static void look_up_name(struct answer *answer, Dwfl_Module *module)
{
	GElf_Sym symbol;
	GElf_Off offset;
	const char *name;

	name = dwfl_module_addrinfo(module, answer->at, &offset, &symbol, NULL, NULL, NULL);
	if (!name || !*name || (!symbol.st_size && offset > LABEL_REACH))
		return;
	answer->name = plain_name(name);
	answer->start = answer->at - offset;
}

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
	Dwarf_Die *scopes = NULL;
	int count = dwarf_getscopes(unit, at, &scopes), found = 0;

	*calls = NULL;
	for (int i = 0; i < count && !found; i++)
		if (dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine)
			found = dwarf_getscopes_die(&scopes[i], calls);
	free(scopes);
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

bool symbols_is_header(const char *file)
{
	return !strncmp(file, "/usr/include/", 13) || !strncmp(file, "/usr/local/include/", 19) ||
	       strstr(file, "/include/c++/") || strstr(file, "/gthr-default.h");
}

/*
 * For what is inlined from an installed header, and for wrappers (attribute `artificial`) like
 * ours, the line that calls it is shown.
 */
static const char *look_past_wrappers(Dwarf_Die *unit, Dwarf_Addr at, const char *file, int *line)
{
	Dwarf_Attribute attribute;
	Dwarf_Die *calls;
	Dwarf_Word number;
	int count = inlined_calls(unit, at, &calls);

	for (int i = 0; i < count; i++) {
		const char *caller = NULL;

		if (dwarf_tag(&calls[i]) == DW_TAG_lexical_block)
			continue;
		if (dwarf_tag(&calls[i]) == DW_TAG_inlined_subroutine &&
		    (symbols_is_header(file) ||
		     dwarf_hasattr_integrate(&calls[i], DW_AT_artificial)) &&
		    !dwarf_formudata(dwarf_attr(&calls[i], DW_AT_call_line, &attribute), &number))
			caller = file_of_call(unit, &calls[i]);
		if (!caller)
			break;
		file = caller;
		*line = (int)number;
	}
	free(calls);
	return file;
}

static void look_up_line(struct answer *answer, Dwfl_Module *module)
{
	Dwarf_Addr bias = 0;
	Dwarf_Die *unit = find_unit(module, answer->at, &bias);
	Dwarf_Line *line = unit ? dwarf_getsrc_die(unit, answer->at - bias) : NULL;
	const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL, *directory;
	Dwarf_Attribute attribute;

	if (!file)
		return;
	dwarf_lineno(line, &answer->line);
	directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
	answer->built_in = directory ? strdup(directory) : NULL;
	answer->file = strdup(look_past_wrappers(unit, answer->at - bias, file, &answer->line));
}

static const struct answer *find_answer(struct symbols *symbols, const struct source *source,
					uint64_t at)
{
	struct answer key = {.source = source, .at = at};
	void *node = tfind(&key, &symbols->answers, compare_answers);
	struct answer *answer;

	if (node)
		return *(struct answer **)node;
	answer = calloc(1, sizeof(*answer));
	if (!answer)
		return NULL;
	*answer = key;
	if (!tsearch(answer, &symbols->answers, compare_answers)) {
		free(answer);
		return NULL;
	}
	if (source->module) {
		look_up_name(answer, source->module);
		look_up_line(answer, source->module);
	}
	return answer;
}

/* Without a usable file the lowest vaddr is assumed to be 0, as in all but non-PIE executables. */
static uint64_t bias_of(const struct module *module)
{
	const struct image *image = module_image(module);

	return image ? image_bias(image, module) : module->base;
}

/* The answer for `back` bytes before `address`; sets the module and the offset in its file. */
static const struct answer *symbols_ask(struct symbols *symbols, const struct modules *modules,
					uint64_t address, unsigned back, struct symbol *out)
{
	const struct module *module = modules_find(modules, address - back);
	struct source *source = module ? find_source(symbols, module) : NULL;

	*out = (struct symbol){0};
	if (!source)
		return NULL;
	out->module = source->path;
	out->offset = address - bias_of(module);
	return find_answer(symbols, source, out->offset - back);
}

bool symbols_name(struct symbols *symbols, const struct modules *modules, uint64_t pc,
		  bool is_return_address, struct symbol *out)
{
	const struct answer *answer = symbols_ask(symbols, modules, pc, is_return_address, out);

	if (!answer)
		return false;
	out->function = answer->name;
	out->file = answer->file;
	out->built_in = answer->built_in;
	out->line = answer->line;
	return true;
}

bool symbols_name_data(struct symbols *symbols, const struct modules *modules, uint64_t address,
		       struct symbol *out)
{
	const struct answer *answer = symbols_ask(symbols, modules, address, 0, out);

	if (!answer)
		return false;
	out->function = answer->name;
	if (answer->name)
		out->offset = answer->at - answer->start;
	return true;
}
