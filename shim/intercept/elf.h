/*
 * Finds symbols by walking the loaded objects: no dlsym, no lock, no allocation (facts 1.2). dlsym
 * allocates when it fails, which recurses under preloaded allocators, and it skips interposers
 * behind us when asked for a version.
 */
#ifndef MPSAN_ELF_H
#define MPSAN_ELF_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* Weak: another libc's loader has no such list, and must be able to load us all the same. */
#pragma weak _r_debug

/* False under another libc: symbols are found, but nothing else that we rely on holds there. */
bool elf_is_glibc(void);

/*
 * The definition of `name` in the first object behind this library that has one; NULL: none. The
 * default version is taken, or `version` when that is not NULL. Safe only while no other thread
 * loads or unloads objects: at start, or before the first thread.
 */
void *elf_next(const char *name, const char *version);

/* This library's own entry in the loader's list; NULL: there is none. */
const struct link_map *elf_self(void);
/* That of the program. */
const struct link_map *elf_program(void);

/* The same in one object, given by its entry in the loader's list. */
void *elf_find_in(const struct link_map *map, const char *name, const char *version);

/* In any loaded object, in load order: the executable first. */
void *elf_find_anywhere(const char *name);

/* The same, with the number of bytes that the object says the symbol has. */
void *elf_find_sized(const char *name, uint64_t *bytes);

/* In an image without a link_map entry: the vdso. */
void *elf_find_in_image(const void *image, const char *name);

/* Whether the object refers to `name` without defining it; true where that cannot be told. */
bool elf_imports(const struct link_map *map, const char *name);

/* The name that the object gives itself (DT_SONAME), "" when it has none. */
const char *elf_soname(const struct link_map *map);

/* True when `map` is an entry of the loader's list. */
bool elf_is_loaded(const struct link_map *map);

/*
 * One object as seen from outside: addresses, and its build-id as lower-case hex ("" when it has
 * none).
 */
struct elf_object {
	uint64_t base, end; /* all loadable segments */
	uint64_t text_start, text_end; /* the executable ones */
	char build_id[41];
};

/*
 * Reads the program headers of the object at load address `bias`; false when they are not in
 * memory.
 */
bool elf_describe(const struct link_map *map, struct elf_object *out);

#endif
