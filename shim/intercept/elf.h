/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds symbols by walking the list of loaded objects: no dlsym, no lock, no allocation. dlsym
 * allocates when it fails (glibc's dlerror), which recurses under preloaded allocators, and with an
 * explicit version (dlvsym) it skips interposers without versions that are behind this library,
 * such as libtsan.
 */
#pragma once

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* Weak: other libcs have no such list, and must be able to load this library all the same. */
#pragma weak _r_debug

/*
 * False under another libc: symbols are found, but nothing else that the library relies on holds
 * there.
 */
bool elf_is_glibc(void);

/* Where an object has its symbols. */
struct elf_symbols {
	uint64_t bias;
	const char *strings;
	const ElfW(Sym) * table;
	const uint32_t *gnu_hash;
	const uint32_t *hash;
	const ElfW(Versym) * versions;
	const ElfW(Verdef) * definitions;
};

/* The objects after this library. */
#define ELF_KEPT 12u
struct elf_after {
	unsigned count;
	struct elf_symbols object[ELF_KEPT];
	const struct link_map *rest; /* the first of further ones; NULL: none */
};

/*
 * The definition of `name` in the first object after this library that has one; NULL: none. Takes
 * `version`, or the default version if that is NULL. Where other threads may load and unload objects
 * meanwhile, each is examined by copies first (elf_has).
 */
void *elf_next(const char *name, const char *version);
/* The same for many names. */
struct elf_after elf_after(void);
void *elf_next_in(const struct elf_after *after, const char *name, const char *version);

/* The first definition behind an object that is never unloaded, and the object that has it. */
void *elf_find_behind(const struct link_map *map, const char *name, const struct link_map **in);

/* This library's own entry in the loader's list; NULL: none. */
const struct link_map *elf_self(void);
/* The program's entry in the loader's list. */
const struct link_map *elf_program(void);

/* The definition of `name` in one object, given by its entry in the loader's list. */
void *elf_find_in(const struct link_map *map, const char *name, const char *version);

/* The first definition of `name` in load order: the executable first. */
void *elf_find_anywhere(const char *name);

/* Copies the entry of the first object in load order that has `name`, as elf_has. */
bool elf_find_object(const char *name, struct link_map *entry);

/* As elf_find_in, with the symbol's size. */
void *elf_find_sized(const struct link_map *map, const char *name, uint64_t *bytes);

/*
 * Whether the object defines `name`: reads copies, so that another thread may unload it meanwhile. False
 * for one without a GNU hash table.
 */
bool elf_has(const struct link_map *map, const char *name);

/* The definition of `name` in an image without a link_map entry: the vDSO. */
void *elf_find_in_image(const void *image, const char *name);

/* Whether the object refers to `name` without defining it; true if unknown. */
bool elf_imports(const struct link_map *map, const char *name);

/* The object's DT_SONAME; "" if it has none. */
const char *elf_soname(const struct link_map *map);

/* Whether `map` is an entry of the loader's list. */
bool elf_is_loaded(const struct link_map *map);

/* The address ranges of an object, and its build ID in lower-case hex ("" if it has none). */
struct elf_object {
	uint64_t base, end; /* all loadable segments */
	uint64_t text_start, text_end; /* the executable ones */
	char build_id[41];
};

/* Describes the object from its program headers; false if they are not in memory. */
bool elf_describe(const struct link_map *map, struct elf_object *out);
