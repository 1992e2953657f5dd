/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names addresses, with elfutils. Each file has a Dwfl of its own, loaded at its own addresses, so
 * that it is read once for all processes, and only if a name in it is needed.
 */
#define _GNU_SOURCE 1 /* tdestroy */
#include "symbols.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../base/filtered.h"
#include "../base/plainfile.h"
#include "../base/util.h"
#include "../proc/root.h"
#include "inlined.h"

#define DEBUG_PATH_BYTES 256
#define DEBUG_ID_BYTES 64

/* A label without a size (assembly) is assumed to cover this many bytes. */
#define LABEL_REACH 4096

/* From libstdc++, which has no C header for it. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

/* A file with symbols; `dwfl` is NULL if it cannot be read. */
struct source {
	char *path, *root;
	char *build_id; /* as recorded; NULL: unknown */
	Dwfl *dwfl;
	Dwfl_Module *module;
};

/* A cached answer. `at` is a vaddr in the source, or a file offset if it cannot be read. */
struct answer {
	const struct source *source;
	uint64_t at;
	char *name; /* of the object that contains it */
	char *built_in;
	uint64_t start; /* of the named object */
	unsigned places; /* 0: no debug information */
	struct place {
		char *function; /* NULL: the object */
		char *file;
		int line;
	} place[SYMBOLS_PLACES]; /* see inlined.h */
};

struct symbols {
	void *sources; /* trees */
	void *answers;
	unsigned users;
};

static struct symbols *kept; /* see symbols_keep(); NULL: none */

/* The debug information that a container has itself, by build-id. */
static int find_below(Dwfl_Module *module, const struct image *image, char **found)
{
	char path[DEBUG_PATH_BYTES] = "/usr/lib/debug/.build-id/", *at = path + strlen(path);
	const unsigned char *id;
	GElf_Addr place;
	int bytes = dwfl_module_build_id(module, &id, &place), fd;

	if (!image_root(image) || bytes < 2 || bytes > DEBUG_ID_BYTES)
		return -1;
	for (int i = 0; i < bytes; i++)
		at += sprintf(at, i == 1 ? "/%02x" : "%02x", id[i]);
	strcpy(at, ".debug");
	*found = root_path(image_root(image), path, NULL);
	fd = *found ? plainfile_open(AT_FDCWD, *found, O_RDONLY) : -1;
	if (fd < 0) {
		free(*found);
		*found = NULL;
	}
	return fd;
}

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
	fd = *data ? find_below(module, *data, found) : -1;
	if (fd < 0)
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
	free(source->root);
	free(source->build_id);
	free(source);
}

static void answer_destroy(void *node)
{
	struct answer *answer = node;

	free(answer->name);
	free(answer->built_in);
	for (unsigned i = 0; i < answer->places; i++) {
		free(answer->place[i].function);
		free(answer->place[i].file);
	}
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

	if (!order)
		order = compare_strings(one->root, other->root);
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
static void source_report(struct source *source, const struct image *image)
{
	int fd = image_open(image);
	void **data;

	if (fd < 0)
		return;
	source->dwfl = dwfl_begin(&callbacks);
	if (source->dwfl) {
		dwfl_report_begin(source->dwfl);
		source->module =
			dwfl_report_elf(source->dwfl, source->path, source->path, fd, 0, true);
		dwfl_report_end(source->dwfl, NULL, NULL);
	}
	if (!source->module) {
		close(fd);
		return;
	}
	dwfl_module_info(source->module, &data, NULL, NULL, NULL, NULL, NULL, NULL);
	*data = (void *)(uintptr_t)image; /* for find_debuginfo */
}

static struct source *source_create(const struct module *module)
{
	struct source *source = calloc(1, sizeof(*source));
	const struct image *image = module_image(module);

	if (!source)
		return NULL;
	source->path = strdup(module->path ? module->path : "");
	source->root = strdup(module->root ? module->root : "");
	source->build_id = module->build_id ? strdup(module->build_id) : NULL;
	if (!source->path || !source->root || (module->build_id && !source->build_id)) {
		source_destroy(source);
		return NULL;
	}
	if (image)
		source_report(source, image);
	return source;
}

static struct source *find_source(struct symbols *symbols, const struct module *module)
{
	struct source key = {
		.path = module->path ? module->path : (char *)(uintptr_t) "",
		.root = (char *)(uintptr_t)module->root,
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

bool symbols_is_header(const char *file)
{
	return !strncmp(file, "/usr/include/", 13) || !strncmp(file, "/usr/local/include/", 19) ||
	       strstr(file, "/include/c++/") || strstr(file, "/gthr-default.h");
}

bool symbols_is_plumbing(const char *module)
{
	static const char *const prefix[] = {"libc.so",	 "libc-",     "libpthread",
					     "ld-linux", "ld-2",      "libmpsan",
					     "libasan",	 "libstdc++", "linux-vdso"};
	const char *base = path_base(module);

	for (size_t i = 0; i < sizeof(prefix) / sizeof(*prefix); i++)
		if (!strncmp(base, prefix[i], strlen(prefix[i])))
			return true;
	return false;
}

static void look_up_lines(struct answer *answer, Dwfl_Module *module)
{
	struct inlined_place place[SYMBOLS_PLACES];
	const char *built_in = NULL;

	answer->places = inlined_places(module, answer->at, place, SYMBOLS_PLACES, &built_in);
	for (unsigned i = 0; i < answer->places; i++)
		answer->place[i] = (struct place){
			.function = place[i].function ? plain_name(place[i].function) : NULL,
			.file = strdup(place[i].file),
			.line = place[i].line,
		};
	answer->built_in = built_in ? strdup(built_in) : NULL;
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
		if (!symbols_is_plumbing(source->path))
			look_up_lines(answer, source->module);
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

unsigned symbols_places(struct symbols *symbols, const struct modules *modules, uint64_t pc,
			bool is_return_address, struct symbol *out, unsigned max)
{
	struct symbol symbol;
	const struct answer *answer = symbols_ask(symbols, modules, pc, is_return_address, &symbol);
	unsigned first = answer && answer->places > max ? answer->places - max : 0;

	if (!answer)
		return 0;
	symbol.function = answer->name;
	symbol.built_in = answer->built_in;
	out[0] = symbol;
	for (unsigned i = first; i < answer->places; i++) {
		const struct place *place = &answer->place[i];

		out[i - first] = symbol;
		out[i - first].file = place->file;
		out[i - first].line = place->line;
		out[i - first].inlined = place->function != NULL;
		if (place->function)
			out[i - first].function = place->function;
	}
	return answer->places ? answer->places - first : 1;
}

bool symbols_name(struct symbols *symbols, const struct modules *modules, uint64_t pc,
		  bool is_return_address, struct symbol *out)
{
	return symbols_places(symbols, modules, pc, is_return_address, out, 1);
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
