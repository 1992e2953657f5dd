/* SPDX-License-Identifier: Apache-2.0 */
/* Looks into the usual directories: see debug_file.h. */
#include "debug_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/plainfile.h"
#include "../base/util.h"
#include "../proc/root.h"
#include "modules.h"

#define DEBUG_DIRECTORY "/usr/lib/debug"
#define ID_BYTES 64

/* What tells that a file is the wanted one. */
struct wanted {
	const unsigned char *id;
	ssize_t id_bytes; /* 0: the module has no build-id */
	GElf_Word crc;
	const char *root; /* NULL: our own */
};

/* The checksum of .gnu_debuglink: CRC-32, polynomial 0xedb88320. */
static GElf_Word crc_of(const uint8_t *bytes, size_t count)
{
	GElf_Word crc = ~0u;

	for (size_t i = 0; i < count; i++) {
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

static bool has_crc(int fd, GElf_Word crc)
{
	struct stat st;
	void *bytes;
	bool same;

	if (fstat(fd, &st) || st.st_size <= 0)
		return false;
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return false;
	same = crc_of(bytes, (size_t)st.st_size) == crc;
	munmap(bytes, (size_t)st.st_size);
	return same;
}

static bool has_id(int fd, const struct wanted *wanted)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	const void *id;
	ssize_t bytes = elf ? dwelf_elf_gnu_build_id(elf, &id) : -1;
	bool same = bytes == wanted->id_bytes && !memcmp(id, wanted->id, (size_t)bytes);

	elf_end(elf);
	return same;
}

/* Opens DIRECTORY/NAME if it is the wanted file. */
static int try_file(const struct wanted *wanted, const char *directory, const char *name,
		    char **found)
{
	AUTO_FREE char *path = text_format("%s/%s", directory, name);
	char *place = root_path(wanted->root, path, NULL);
	int fd = place ? plainfile_open(AT_FDCWD, place, O_RDONLY) : -1;

	if (fd >= 0 && !(wanted->id_bytes ? has_id(fd, wanted) : has_crc(fd, wanted->crc))) {
		close(fd);
		fd = -1;
	}
	if (fd >= 0)
		*found = place;
	else
		free(place);
	return fd;
}

static int find_by_id(const struct wanted *wanted, char **found)
{
	char name[2 * ID_BYTES + 16] = "";
	size_t at = 0;

	if (wanted->id_bytes < 2 || wanted->id_bytes > ID_BYTES)
		return -1;
	for (ssize_t i = 0; i < wanted->id_bytes; i++)
		at += (size_t)sprintf(name + at, i == 1 ? "/%02x" : "%02x", wanted->id[i]);
	strcpy(name + at, ".debug");
	return try_file(wanted, DEBUG_DIRECTORY "/.build-id", name, found);
}

/* Beside the file, and where distributions put such files. */
static int find_by_name(const struct wanted *wanted, const char *file, const char *link,
			char **found)
{
	static const char *const below[] = {"%.*s", "%.*s/.debug", DEBUG_DIRECTORY "%.*s"};
	const char *name = path_base(link);
	int length = (int)(path_base(file) - file), fd = -1;

	if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
		return -1;
	while (length > 1 && file[length - 1] == '/')
		length--;
	for (size_t i = 0; fd < 0 && i < sizeof(below) / sizeof(*below); i++) {
		char *directory = NULL;

		if (asprintf(&directory, below[i], length, file) < 0)
			return -1;
		fd = try_file(wanted, directory, name, found);
		free(directory);
	}
	return fd;
}

/* Shared parts of the debug information of a package (dwz), which a distribution keeps together. */
static int find_shared(const struct wanted *wanted, const char *link, char **found)
{
	static const char *const places[] = {DEBUG_DIRECTORY "/.dwz",
					     DEBUG_DIRECTORY "/.dwz/x86_64-linux-gnu",
					     DEBUG_DIRECTORY "/.dwz/aarch64-linux-gnu"};
	int fd = find_by_id(wanted, found);

	for (size_t i = 0; fd < 0 && link && i < sizeof(places) / sizeof(*places); i++)
		fd = try_file(wanted, places[i], path_base(link), found);
	return fd;
}

static int find(const struct wanted *wanted, const char *file, const char *link, char **found)
{
	int fd = find_by_id(wanted, found);

	return fd < 0 && link ? find_by_name(wanted, file, link, found) : fd;
}

/* elfutils names no file where it asks for what .gnu_debugaltlink refers to. */
int debug_file_find(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
		    const char *file, const char *link, GElf_Word crc, char **found)
{
	const struct image *image = *data;
	struct wanted wanted = {.crc = crc};
	const char *alternate;
	GElf_Addr place;
	int fd = -1;

	(void)name;
	if (!image)
		return -1;
	wanted.id_bytes = file ? dwfl_module_build_id(module, &wanted.id, &place) :
				 dwelf_dwarf_gnu_debugaltlink(dwfl_module_getdwarf(module, &base),
							      &alternate,
							      (const void **)&wanted.id);
	if (wanted.id_bytes < 0)
		wanted.id_bytes = 0;
	for (int own = !image_root(image); fd < 0 && own < 2; own++) {
		wanted.root = own ? NULL : image_root(image);
		fd = file ? find(&wanted, file, link, found) : find_shared(&wanted, link, found);
	}
	return fd;
}
