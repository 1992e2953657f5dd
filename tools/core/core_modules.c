/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the files that a process of a core had mapped, checks that they are the same, and writes its maps. */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../facts/facts.h"
#include "../proc/build_id.h"
#include "core_parts.h"

/* ---- modules ---- */

static bool peek_dumped(const void *core, uint64_t from, void *to, size_t bytes)
{
	return core_read_dumped(core, from, to, bytes) == bytes;
}

/* Of the file that is mapped at `base`, as far as the core has its first page. */
static char *mapped_build_id(const struct core *core, uint64_t base)
{
	char text[BUILD_ID_TEXT];

	return build_id_find(peek_dumped, core, base, text) ? text_copy(text) : NULL;
}

static bool is_elf_at(const struct core *core, uint64_t base)
{
	char magic[SELFMAG];

	return core_read_dumped(core, base, magic, SELFMAG) == SELFMAG &&
	       !memcmp(magic, ELFMAG, SELFMAG);
}

/* Compares the mapped file with the one that has its name now. */
static void check_file(struct core_module *module)
{
	bool same = module_image(&module->at) != NULL;

	if (same)
		module->file = module->at.build_id ? CORE_FILE_SAME : CORE_FILE_UNCHECKED;
	else
		module->file = access(module->at.path, R_OK) ? CORE_FILE_MISSING : CORE_FILE_OTHER;
}

static bool holds(const struct core *core, uint32_t first, uint32_t end, uint64_t address)
{
	return address && core->mappings.item[first].start <= address &&
	       address < core->mappings.item[end - 1].end;
}

/* The mappings of a file follow each other; the first one is of its beginning. */
static uint32_t end_of_file(const struct core *core, uint32_t first)
{
	const struct core_mapping *mapping = core->mappings.item;
	uint32_t end = first + 1;

	while (end < core->mappings.count && mapping[end].offset &&
	       !strcmp(mapping[end].path, mapping[first].path))
		end++;
	return end;
}

static void add_module(struct core *core, uint32_t first, uint32_t end, const char *exe)
{
	const struct core_mapping *mapping = &core->mappings.item[first];
	bool is_program = holds(core, first, end, core->phdr);
	struct core_module module = {
		.at = {.base = mapping->start,
		       .end = core->mappings.item[end - 1].end,
		       .path = text_copy(is_program && exe ? exe : mapping->path),
		       .build_id = mapped_build_id(core, mapping->start)}};

	check_file(&module);
	if (!is_elf_at(core, mapping->start) && module.file != CORE_FILE_UNCHECKED) {
		free(module.at.path);
		free(module.at.build_id);
		return;
	}
	if (is_program)
		core->program = core->modules.count;
	for (uint32_t i = first; i < end; i++)
		core->mappings.item[i].module = core->modules.count;
	*ARRAY_ADD(&core->modules) = module;
}

static char *check_program(const struct core *core, const char *exe)
{
	const struct core_module *program =
		core->program == FACT_NONE ? NULL : &core->modules.item[core->program];

	if (access(exe, R_OK))
		return text_format("--exe %s: it cannot be read; expected the program of %s", exe,
				   core->path);
	if (program && program->file == CORE_FILE_OTHER)
		return text_format("--exe %s: it is not the program of %s, which is another build",
				   exe, core->path);
	return NULL;
}

/* ---- maps ---- */

/* The path of a file that is not the mapped one cannot be opened: it ends like that of a deleted file. */
static const char *mark_of(const struct core_module *module)
{
	return module->file == CORE_FILE_OTHER ? " (other build)" : "";
}

static bool is_code(const struct core *core, const struct core_mapping *mapping)
{
	const struct core_segment *segment = core_segment_at(core, mapping->start);
	const struct module *module = &core->modules.item[mapping->module].at;
	const struct image *image = module_image(module);

	if (segment)
		return segment->rights & PF_X;
	return image ? image_is_code(image, mapping->start - image_bias(image, module)) :
		       mapping->offset;
}

/* What is known of it does not say whether it is shared: only the segments of programs surely are not. */
static void write_mapping(const struct core *core, FILE *out, const struct core_mapping *mapping)
{
	const struct core_segment *segment = core_segment_at(core, mapping->start);
	bool is_module = mapping->module != FACT_NONE;
	const struct core_module *module = is_module ? &core->modules.item[mapping->module] : NULL;

	fprintf(out, "%llx-%llx r%c%c%c %llx 00:00 0 %s%s\n", (unsigned long long)mapping->start,
		(unsigned long long)mapping->end, segment && segment->rights & PF_W ? 'w' : '-',
		is_module && is_code(core, mapping) ? 'x' : '-', is_module ? 'p' : 's',
		(unsigned long long)mapping->offset, is_module ? module->at.path : mapping->path,
		is_module ? mark_of(module) : "");
}

static bool is_in(const struct core_segment *segment, uint64_t address)
{
	return segment->start <= address && address < segment->end;
}

static void write_rest(const struct core *core, FILE *out, const struct core_segment *segment,
		       uint64_t start, uint64_t end)
{
	if (start < end)
		fprintf(out, "%llx-%llx %c%c%cp 0 00:00 0 %s\n", (unsigned long long)start,
			(unsigned long long)end, segment->rights & PF_R ? 'r' : '-',
			segment->rights & PF_W ? 'w' : '-', segment->rights & PF_X ? 'x' : '-',
			is_in(segment, core->vdso)   ? "[vdso]" :
			is_in(segment, core->random) ? "[stack]" :
						       "");
}

/* Segments, as far as no file is mapped there, between the mappings of files. */
static void write_maps(struct core *core)
{
	FILE *out = open_memstream(&core->maps, &core->maps_bytes);
	const struct core_mapping *mapping = core->mappings.item;
	uint32_t next = 0;

	for (uint32_t i = 0; out && i < core->segments.count; i++) {
		const struct core_segment *segment = &core->segments.item[i];
		uint64_t at = segment->start;

		for (; next < core->mappings.count && mapping[next].start < segment->end; next++) {
			write_rest(core, out, segment, at, mapping[next].start);
			write_mapping(core, out, &mapping[next]);
			at = mapping[next].end > at ? mapping[next].end : at;
		}
		write_rest(core, out, segment, at, segment->end);
	}
	for (; out && next < core->mappings.count; next++)
		write_mapping(core, out, &mapping[next]);
	if (out)
		fclose(out);
}

char *core_find_modules(struct core *core, const char *exe)
{
	char *wrong;

	core->program = FACT_NONE;
	for (uint32_t first = 0, end; first < core->mappings.count; first = end) {
		end = end_of_file(core, first);
		if (!core->mappings.item[first].offset)
			add_module(core, first, end, exe);
	}
	wrong = exe ? check_program(core, exe) : NULL;
	if (!wrong)
		write_maps(core);
	return wrong;
}

void core_forget_modules(struct core *core)
{
	for (uint32_t i = 0; i < core->modules.count; i++) {
		free(core->modules.item[i].at.path);
		free(core->modules.item[i].at.build_id);
	}
	free(core->modules.item);
	free(core->mappings.item);
	free(core->maps);
}

/* ---- what is missing ---- */

static char *files_that(const struct core *core, int file)
{
	char *list = text_copy("");
	uint32_t count = 0;

	for (uint32_t i = 0; i < core->modules.count; i++)
		if ((int)core->modules.item[i].file == file && ++count <= 3)
			list = text_join(list, ", ", text_copy(core->modules.item[i].at.path));
	if (count > 3)
		list = text_join(list, " and ", text_format("%u more", count - 3));
	return list;
}

static uint64_t bytes_left_out(const struct core *core)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < core->segments.count; i++) {
		const struct core_segment *segment = &core->segments.item[i];
		const struct core_mapping *mapping = core_mapping_at(core, segment->start);

		if (segment->rights && (!mapping || mapping->module == FACT_NONE))
			bytes += segment->end - segment->start - segment->bytes;
	}
	return bytes;
}

static void say(const struct core *core, void (*see)(const char *, void *), void *context,
		char *what)
{
	AUTO_FREE char *text = text_format("process %u: %s", core->pid, what);

	see(text, context);
	free(what);
}

void core_each_limit(const struct core *core, void (*see)(const char *, void *), void *context)
{
	static const struct {
		int file;
		const char *why;
	} files[] = {
		{CORE_FILE_OTHER,
		 "another build than the mapped one, so that no functions of it are named"},
		{CORE_FILE_MISSING,
		 "missing, so that no functions of it are named; --exe names the program's"},
		{CORE_FILE_UNCHECKED,
		 "not known to be the mapped one: the core has no build-id of it"},
	};
	uint64_t left_out = bytes_left_out(core);

	if (core->whole > core->size)
		say(core, see, context,
		    text_format("the core file is truncated: %llu of %llu bytes are there",
				(unsigned long long)core->size, (unsigned long long)core->whole));
	if (left_out)
		say(core, see, context,
		    text_format("%llu KiB of memory are not in the core (core(5), coredump_filter)",
				(unsigned long long)(left_out + 1023) / 1024));
	if (!core->mappings.count)
		say(core, see, context,
		    text_copy("the core does not name the files that were mapped"));
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		AUTO_FREE char *list = files_that(core, files[i].file);

		if (*list)
			say(core, see, context, text_format("%s: %s", list, files[i].why));
	}
	if (core->numbers_unknown)
		say(core, see, context,
		    text_copy(
			    "the descriptors of some threads are missing: what ended threads own is not known"));
}
