/* SPDX-License-Identifier: Apache-2.0 */
/* Finds CPython's symbols in ELF files. */
#include "python_symbols.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/plainfile.h"
#include "../base/util.h"

/* A parsed file, as it was then. */
struct file {
	dev_t device;
	off_t size;
	int64_t changed_ns; /* modification time */
	struct python_symbols symbols;
};

static ARRAY(struct file) files;

static const struct {
	const char *name;
	size_t offset;
} wanted[] = {
	{"Py_Version", offsetof(struct python_symbols, version)},
	{"_PyRuntime", offsetof(struct python_symbols, runtime)},
	{"PyType_Type", offsetof(struct python_symbols, type_type)},
	{"PyCode_Type", offsetof(struct python_symbols, code_type)},
	{"PyUnicode_Type", offsetof(struct python_symbols, unicode_type)},
	{"PyBytes_Type", offsetof(struct python_symbols, bytes_type)},
	{"_Py_NoneStruct", offsetof(struct python_symbols, none)},
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

static void note_symbol(struct python_symbols *file, const char *name, const GElf_Sym *symbol)
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
static void read_symbols(struct python_symbols *file, Elf *elf, unsigned type)
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

static bool read_first_segment(struct python_symbols *file, Elf *elf)
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

static void read_file(struct python_symbols *file, int fd)
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

static const struct python_symbols *find(int fd)
{
	struct file *file;
	struct stat st;
	int64_t changed_ns;

	if (fstat(fd, &st))
		return NULL;
	changed_ns = st.st_mtim.tv_sec * 1000000000ll + st.st_mtim.tv_nsec;
	for (uint32_t i = 0; i < files.count; i++) {
		file = &files.item[i];
		if (file->device == st.st_dev && file->symbols.inode == st.st_ino &&
		    file->size == st.st_size && file->changed_ns == changed_ns)
			return &file->symbols;
	}
	file = ARRAY_ADD(&files);
	*file = (struct file){
		.device = st.st_dev,
		.size = st.st_size,
		.changed_ns = changed_ns,
		.symbols = {.inode = st.st_ino},
	};
	read_file(&file->symbols, fd);
	return &file->symbols;
}

const struct python_symbols *python_symbols_find(const char *path)
{
	int fd = plainfile_open(AT_FDCWD, path, O_RDONLY);
	const struct python_symbols *symbols = fd >= 0 ? find(fd) : NULL;

	if (fd >= 0)
		close(fd);
	return symbols;
}

void python_symbols_finish(void)
{
	free(files.item);
	memset(&files, 0, sizeof(files));
}
