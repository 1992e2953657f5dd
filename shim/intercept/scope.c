/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the loader's look-up scopes from its memory. Their offset in struct link_map differs
 * between versions of glibc and is found by its contents: the scope of a library that was loaded at
 * start begins with the program's own list. Where it is not found, the next definition in load
 * order is used.
 */
#include "scope.h"

#include "../abi/glibc.h"
#include "elf.h"
#include "sys.h"

#define MAP_WORDS 256u /* of a struct link_map that are searched, */
#define PIECE_WORDS 32u /* this many at a time */
#define SCOPES_MAX 64u
#define OBJECTS_MAX 4096u
#define ROOM 4u /* entries of a scope inside the link_map itself */
#define AT_ONCE 32u /* entries of a list that are read together */

/* As in the loader's headers, unchanged since glibc 2.2: a list of objects, in look-up order. */
struct searchlist {
	const struct link_map *const *list;
	uint32_t count;
};

/* The start of the loader's data: the namespace of the program. */
struct namespace
{
	const struct link_map *loaded;
	uint64_t count;
	const struct searchlist *program;
};

static bool peek(void *to, const void *from, size_t bytes)
{
	return sys_peek(to, from, bytes) == (long)bytes;
}

/* The look-up scope of the program and all libraries that were loaded with it; NULL: not found. */
static const struct searchlist *program_list(void)
{
	const struct namespace *at = elf_find_anywhere("_rtld_global");
	const struct link_map *first;
	struct namespace copy;
	struct searchlist list;

	if (!elf_is_glibc() || !at || !peek(&copy, at, sizeof(copy)) ||
	    copy.loaded != _r_debug.r_map || !peek(&list, copy.program, sizeof(list)) ||
	    !list.count || !peek(&first, list.list, sizeof(first)) || first != copy.loaded)
		return NULL;
	return copy.program;
}

/* Bytes from the start of a link_map to the pointer to its scopes; 0: not found. */
static uint32_t scopes_offset(void)
{
	static uint32_t offset, looked;
	const uint64_t *map = (const uint64_t *)elf_self();
	uint64_t word[PIECE_WORDS], program = (uint64_t)(uintptr_t)program_list();

	if (looked || !map)
		return offset;
	for (uint32_t at = 0; program && at < MAP_WORDS; at += PIECE_WORDS - ROOM - 1) {
		long got = sys_peek(word, map + at, sizeof(word));
		uint32_t have = got > 0 ? (uint32_t)got / sizeof(*word) : 0;

		for (uint32_t i = 0; i + ROOM + 1 < have; i++)
			if (word[i] == program && word[i + ROOM] == ROOM &&
			    word[i + ROOM + 1] == (uint64_t)(uintptr_t)(map + at + i))
				offset = (at + i + ROOM + 1) * (uint32_t)sizeof(*word);
	}
	looked = 1;
	return offset;
}

/* The loader's own search, since glibc 2.35, which takes no lock. */
static const struct link_map *found_by_loader(uint64_t address, struct scope_answer *answer)
{
	static find_object_function *find;
	static uint32_t looked;
	struct found_object found;

	if (!__atomic_load_n(&looked, __ATOMIC_ACQUIRE)) {
		find = (find_object_function *)elf_find_anywhere("_dl_find_object");
		__atomic_store_n(&looked, 1, __ATOMIC_RELEASE);
	}
	if (!find || find((void *)(uintptr_t)address, &found))
		return NULL;
	answer->start = (uint64_t)(uintptr_t)found.start;
	answer->end = (uint64_t)(uintptr_t)found.end;
	return found.map;
}

/* The object with the highest base below the address, if the address lies in it. */
static const struct link_map *found_in_list(uint64_t address, struct scope_answer *answer)
{
	const struct link_map *best = NULL;
	struct link_map copy;
	struct elf_object o;
	uint64_t base = 0;

	for (const struct link_map *m = _r_debug.r_map; m && peek(&copy, m, sizeof(copy));
	     m = copy.l_next) {
		if (copy.l_addr > address || (best && copy.l_addr < base))
			continue;
		best = m;
		base = copy.l_addr;
	}
	if (!best || !elf_describe(best, &o) || address < o.base || address >= o.end)
		return NULL;
	answer->start = o.base;
	answer->end = o.end;
	return best;
}

static const struct link_map *owner_of(uint64_t address, struct scope_answer *answer)
{
	const struct link_map *found;

	if (!elf_is_glibc())
		return NULL;
	found = found_by_loader(address, answer);
	return found ? found : found_in_list(address, answer);
}

/*
 * Finds a definition in a scope. `behind`: skip the objects before this library, because a call
 * that reached this library is not bound to them. An object that defines the function itself was
 * bound to itself, and called the next definition, which is this library's.
 */
static void *find_in_list(const struct searchlist *at, const char *name, bool behind,
			  const struct link_map **in)
{
	const struct link_map *self = elf_self(), *map[AT_ONCE];
	struct searchlist list;
	void *real = NULL;
	uint32_t part;

	if (!peek(&list, at, sizeof(list)) || list.count > OBJECTS_MAX)
		return NULL;
	for (uint32_t i = 0; i < list.count && (!real || behind); i++) {
		part = i % AT_ONCE;
		if (!part &&
		    !peek(map, &list.list[i],
			  (list.count - i < AT_ONCE ? list.count - i : AT_ONCE) * sizeof(*map)))
			return NULL;
		if (map[part] == self && behind)
			real = NULL;
		if (map[part] == self || real)
			continue;
		*in = map[part];
		real = elf_find_in(map[part], name, NULL);
	}
	return real;
}

static void *find_in_scopes(const struct link_map *caller, const char *name, bool behind,
			    const struct link_map **in)
{
	uint32_t offset = scopes_offset();
	const struct searchlist *const *scope, *list;
	void *real = NULL;

	if (!caller || !offset || !peek(&scope, (const char *)caller + offset, sizeof(scope)))
		return NULL;
	for (uint32_t i = 0; i < SCOPES_MAX && !real; i++) {
		if (!peek(&list, &scope[i], sizeof(list)) || !list)
			break;
		real = find_in_list(list, name, behind, in);
	}
	return real;
}

struct scope_answer scope_find(const char *name, uint64_t caller)
{
	const struct link_map *self = elf_self();
	struct scope_answer a = {0};

	a.real = find_in_scopes(owner_of(caller, &a), name, true, &a.in);
	if (!a.real && self)
		a.real = elf_find_behind(self, name, &a.in);
	return a;
}

const struct link_map *scope_owner(uint64_t address)
{
	struct scope_answer range;

	return owner_of(address, &range);
}

bool scope_has(const char *name, uint64_t caller, void **real, const struct link_map **in)
{
	const struct link_map *owner = caller ? scope_owner(caller) : NULL;
	const struct searchlist *program = program_list();

	*real = NULL;
	if (!scopes_offset() || !program)
		return true;
	*real = owner ? find_in_scopes(owner, name, false, in) :
			find_in_list(program, name, false, in);
	return *real;
}
