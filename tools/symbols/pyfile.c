/* SPDX-License-Identifier: Apache-2.0 */
/* Finds CPython's symbols in ELF files. */
#include "pyfile.h"

#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/plainfile.h"
#include "../base/util.h"
#include "../proc/procfs.h"
#include "../proc/root.h"

static ARRAY(struct pyfile) files;

static const struct {
	const char *name;
	size_t offset;
} wanted[] = {
	{"Py_Version", offsetof(struct pyfile, version)},
	{"_PyRuntime", offsetof(struct pyfile, runtime)},
	{"PyType_Type", offsetof(struct pyfile, type_type)},
	{"PyCode_Type", offsetof(struct pyfile, code_type)},
	{"PyUnicode_Type", offsetof(struct pyfile, unicode_type)},
	{"PyBytes_Type", offsetof(struct pyfile, bytes_type)},
	{"_Py_NoneStruct", offsetof(struct pyfile, none)},
};

/* Functions that first appeared in a minor version; from 3.11 on Py_Version tells. */
static const struct {
	const char *name;
	unsigned minor;
} firsts[] = {
	{"PyCode_NewWithPosOnlyArgs", 8},
	{"PyModule_AddType", 9},
	{"PyIter_Send", 10},
};

static void note_symbol(struct pyfile *file, const char *name, const GElf_Sym *symbol)
{
	if (!name || strncmp(name + (*name == '_'), "Py", 2) || symbol->st_shndx == SHN_UNDEF)
		return;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		if (!strcmp(name, wanted[i].name))
			*(uint64_t *)((char *)file + wanted[i].offset) = symbol->st_value;
	for (size_t i = 0; i < sizeof(firsts) / sizeof(*firsts); i++)
		if (!strcmp(name, firsts[i].name) && firsts[i].minor > file->minor)
			file->minor = firsts[i].minor;
}

/* .dynsym has exported symbols, .symtab all; a program that embeds CPython may export none. */
static void read_symbols(struct pyfile *file, Elf *elf, unsigned type)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Sym symbol;

	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data;
		size_t count;

		if (!gelf_getshdr(section, &header) || header.sh_type != type ||
		    !header.sh_entsize || !(data = elf_getdata(section, NULL)))
			continue;
		count = header.sh_size / header.sh_entsize;
		for (size_t i = 0; i < count; i++)
			if (gelf_getsym(data, (int)i, &symbol))
				note_symbol(file, elf_strptr(elf, header.sh_link, symbol.st_name),
					    &symbol);
	}
}

static bool read_first_segment(struct pyfile *file, Elf *elf)
{
	size_t count = 0;
	GElf_Phdr header;

	elf_getphdrnum(elf, &count);
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD)
			continue;
		file->load_offset = header.p_offset & ~0xfffull;
		file->load_vaddr = header.p_vaddr & ~0xfffull;
		return true;
	}
	return false;
}

static void read_file(struct pyfile *file, int fd)
{
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getclass(elf) == ELFCLASS64 &&
	    read_first_segment(file, elf)) {
		read_symbols(file, elf, SHT_DYNSYM);
		if (!file->runtime)
			read_symbols(file, elf, SHT_SYMTAB);
		file->is_cpython = file->runtime && file->code_type;
	}
	elf_end(elf);
}

static const struct pyfile *find(int fd)
{
	struct pyfile *file;
	struct stat st;
	int64_t changed_ns;

	if (fstat(fd, &st))
		return NULL;
	changed_ns = st.st_mtim.tv_sec * 1000000000ll + st.st_mtim.tv_nsec;
	for (uint32_t i = 0; i < files.count; i++) {
		file = &files.item[i];
		if (file->device == st.st_dev && file->inode == st.st_ino &&
		    file->size == st.st_size && file->changed_ns == changed_ns)
			return file;
	}
	file = ARRAY_ADD(&files);
	*file = (struct pyfile){.device = st.st_dev,
				.inode = st.st_ino,
				.size = st.st_size,
				.changed_ns = changed_ns};
	read_file(file, fd);
	return file;
}

const struct pyfile *pyfile_find(const char *path)
{
	int fd = plainfile_open(AT_FDCWD, path, O_RDONLY);
	const struct pyfile *file = fd >= 0 ? find(fd) : NULL;

	if (fd >= 0)
		close(fd);
	return file;
}

/* ---- of a process ---- */

#define PATH_BYTES 4096

/* One line of /proc/PID/maps. */
struct mapping {
	uint64_t start, end, offset, inode;
	const char *path;
};

static bool mapping_parse(struct mapping *mapping, char *line)
{
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %" SCNu64 " %n",
		   &mapping->start, &mapping->end, &mapping->offset, &mapping->inode, &at) != 4 ||
	    !at || line[at] != '/')
		return false;
	line[strcspn(line, "\n")] = '\0';
	mapping->path = line + at;
	return true;
}

/* Through /proc, so that a deleted program can be read. */
static const struct pyfile *open_program(pid_t pid, char *target, size_t bytes)
{
	char path[64];

	procfs_link(target, bytes, "%d/exe", (int)pid);
	procfs_path(path, sizeof(path), "%d/exe", (int)pid);
	return pyfile_find(*path ? path : target);
}

/*
 * In a container the path is below the process's root, in a chroot below ours. The inode decides if
 * possible: some file systems have two for one file.
 */
static const struct pyfile *open_library(pid_t pid, const struct mapping *mapping)
{
	char path[PATH_BYTES + ROOT_BYTES] = "";
	const struct pyfile *below = NULL, *file;
	char *mapped = root_mapped((uint32_t)pid, mapping->path, mapping->start, mapping->end);

	if (mapped) {
		file = pyfile_find(mapped);
		free(mapped);
		return file;
	}
	if (root_is_apart((uint32_t)pid)) {
		root_name((uint32_t)pid, path);
		below = pyfile_find(strcat(path, mapping->path));
		if (below && below->inode == mapping->inode)
			return below;
	}
	file = pyfile_find(mapping->path);
	return file && (!below || file->inode == mapping->inode) ? file : below;
}

/* The first mapping of the program, or of a library with a fitting name, that contains CPython. */
static const struct pyfile *find_in(pid_t pid, FILE *maps, uint64_t *start)
{
	char line[PATH_BYTES + 128], target[PATH_BYTES];
	const struct pyfile *file = open_program(pid, target, sizeof(target));
	bool in_program = file && file->is_cpython;
	struct mapping mapping;

	while (fgets(line, sizeof(line), maps)) {
		if (!mapping_parse(&mapping, line))
			continue;
		if (in_program && !strcmp(mapping.path, target))
			file = open_program(pid, target, sizeof(target));
		else if (strstr(path_base(mapping.path), "libpython"))
			file = open_library(pid, &mapping);
		else
			continue;
		if (!file || !file->is_cpython || mapping.offset != file->load_offset)
			continue;
		*start = mapping.start;
		return file;
	}
	return NULL;
}

const struct pyfile *pyfile_of(pid_t pid, uint64_t *start)
{
	FILE *maps = procfs_stream("%d/maps", (int)pid);
	const struct pyfile *file = maps ? find_in(pid, maps, start) : NULL;

	if (maps)
		fclose(maps);
	return file;
}

void pyfiles_finish(void)
{
	free(files.item);
	memset(&files, 0, sizeof(files));
}
