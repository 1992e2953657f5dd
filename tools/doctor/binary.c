/* SPDX-License-Identifier: Apache-2.0 */
/* Inspects the ELF file or script that a command names. */
#include "binary.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "../../include/mpsan_log.h"
#include "../base/filtered.h"
#include "../base/plainfile.h"
#include "../base/util.h"

#define SCRIPTS_MAX 5

static char *search_path(const char *command)
{
	const char *path = getenv("PATH");
	AUTO_FREE char *all = NULL;
	char *rest, *dir;

	if (strchr(command, '/'))
		return access(command, X_OK) ? NULL : text_copy(command);
	all = text_copy(path ? path : "/usr/local/bin:/usr/bin:/bin");
	rest = all;
	while ((dir = strsep(&rest, ":"))) {
		char *full = text_format("%s/%s", *dir ? dir : ".", command);
		struct stat st;

		if (!access(full, X_OK) && !stat(full, &st) && S_ISREG(st.st_mode))
			return full;
		free(full);
	}
	return NULL;
}

/* The program that `env [-S] [-OPTION] [NAME=VALUE] PROGRAM` runs. */
static char *after_env(char **rest)
{
	char *word;

	while ((word = strsep(rest, " \t\n")))
		if (*word && *word != '-' && !strchr(word, '='))
			break;
	return word;
}

/* Follows "#! PROGRAM [ARG]" and "#! /usr/bin/env PROGRAM"; false if it is not a script. */
static bool follow_script(struct binary *binary)
{
	char line[256] = "", *program, *rest = line + 2;
	int fd = plainfile_open(AT_FDCWD, binary->path, O_RDONLY);
	bool script = fd >= 0 && read(fd, line, sizeof(line) - 1) > 0 && !strncmp(line, "#!", 2);

	if (fd >= 0)
		close(fd);
	if (!script)
		return false;
	line[strcspn(line, "\n")] = '\0';
	rest += strspn(rest, " \t");
	program = strsep(&rest, " \t\n");
	if (!strcmp(path_base(program), "env") && rest && *rest)
		program = after_env(&rest);
	if (!program)
		program = "env";
	free(binary->path);
	binary->path = search_path(program);
	if (!binary->interpreter || !binary->path) {
		free(binary->interpreter);
		binary->interpreter = text_copy(program);
	}
	return true;
}

static void note_python(struct binary *binary, const char *name)
{
	const char *version = strstr(name, "python3.");
	size_t length = version ? 2 + strspn(version + 8, "0123456789") : 0;

	if (!binary->python && length > 2)
		binary->python = text_format("%.*s", (int)length, version + 6);
}

static void read_needed(struct binary *binary, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Dyn dynamic;

	for (int i = 0;
	     data && header->sh_entsize && i < (int)(header->sh_size / header->sh_entsize); i++) {
		const char *name;

		if (!gelf_getdyn(data, i, &dynamic) || dynamic.d_tag != DT_NEEDED)
			continue;
		name = elf_strptr(elf, header->sh_link, dynamic.d_un.d_val);
		if (name && !strncmp(name, "libasan", 7))
			binary->has_asan = true;
		if (name && !strncmp(name, "libtsan", 7))
			binary->has_tsan = true;
		if (name)
			note_python(binary, name);
	}
}

static void read_symbols(struct binary *binary, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym symbol;

	for (int i = 0;
	     data && header->sh_entsize && i < (int)(header->sh_size / header->sh_entsize); i++) {
		const char *name = gelf_getsym(data, i, &symbol) ?
					   elf_strptr(elf, header->sh_link, symbol.st_name) :
					   NULL;

		if (name && !strcmp(name, "dlopen") && symbol.st_shndx == SHN_UNDEF)
			binary->loads_more = true;
		if (name && !strcmp(name, "__tsan_init"))
			binary->has_tsan = true;
	}
}

static void read_sections(struct binary *binary, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header))
			continue;
		if (header.sh_type == SHT_DYNAMIC)
			read_needed(binary, elf, section, &header);
		if (header.sh_type == SHT_DYNSYM)
			read_symbols(binary, elf, section, &header);
	}
}

static void read_loader(struct binary *binary, Elf *elf, int fd)
{
	size_t count = 0;
	GElf_Phdr header;
	char name[256];

	elf_getphdrnum(elf, &count);
	for (size_t i = 0; i < count; i++) {
		ssize_t bytes;

		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_INTERP)
			continue;
		bytes = pread(fd, name,
			      header.p_filesz < sizeof(name) ? header.p_filesz : sizeof(name) - 1,
			      header.p_offset);
		name[bytes > 0 ? bytes : 0] = '\0';
		binary->loader = text_copy(name);
		binary->is_musl = strstr(name, "ld-musl");
		return;
	}
}

static void read_elf(struct binary *binary)
{
	int fd = plainfile_open(AT_FDCWD, binary->path, O_RDONLY);
	GElf_Ehdr header;
	Elf *elf;

	if (fd < 0)
		return;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header)) {
		binary->is_elf = true;
		binary->is_foreign = header.e_machine != MPSAN_MACHINE;
		read_loader(binary, elf, fd);
		read_sections(binary, elf);
	}
	elf_end(elf);
	close(fd);
}

void binary_inspect(struct binary *binary, const char *command)
{
	struct stat st;
	AUTO_FREE char *real = NULL;

	*binary = (struct binary){.path = search_path(command)};
	/* An interpreter may be a script itself, as with pyenv; the kernel has the same limit. */
	for (int i = 0; i < SCRIPTS_MAX && binary->path && follow_script(binary); i++)
		;
	if (!binary->path)
		return;
	binary->is_secure =
		!stat(binary->path, &st) &&
		((st.st_mode & S_ISUID && st.st_uid != getuid()) ||
		 (st.st_mode & S_ISGID && st.st_mode & S_IXGRP && st.st_gid != getgid()) ||
		 (geteuid() && filtered_may(SYS_getxattr) &&
		  getxattr(binary->path, "security.capability", NULL, 0) > 0));
	real = realpath(binary->path, NULL);
	if (real)
		note_python(binary, path_base(real));
	read_elf(binary);
}

void binary_finish(struct binary *binary)
{
	free(binary->path);
	free(binary->interpreter);
	free(binary->loader);
	free(binary->python);
	*binary = (struct binary){0};
}

const char *binary_obstacle(const struct binary *binary)
{
	if (!binary->path)
		return "not found, or not executable";
	if (!binary->is_elf)
		return "not an ELF program";
	if (binary->is_foreign)
		return "built for another machine or word size; use an mpsan built for it";
	if (!binary->loader)
		return "statically linked; link it dynamically";
	if (binary->is_musl)
		return "linked with musl; only glibc programs can be watched";
	if (binary->is_secure)
		return "set-user-ID, set-group-ID or with capabilities, so the loader ignores LD_PRELOAD; run a copy without them";
	return NULL;
}
