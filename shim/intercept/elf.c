/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up symbols in loaded ELF objects, whose tables never move while they are loaded. */
#include "elf.h"

#include <elf.h>
#include <string.h>

#include "sys.h"

#define VERSION_HIDDEN 0x8000u

extern ElfW(Dyn) _DYNAMIC[] __attribute__((visibility("hidden")));

/* musl's name for its list of loaded objects, whose entries start with the same members. */
extern const struct r_debug *_dl_debug_addr __attribute__((weak));

bool elf_is_glibc(void)
{
	return &_r_debug != NULL;
}

static const struct link_map *first_object(void)
{
	if (elf_is_glibc())
		return _r_debug.r_map;
	return &_dl_debug_addr ? _dl_debug_addr->r_map : NULL;
}

/*
 * The address of a table: glibc relocates these pointers in place, other loaders and the vDSO do
 * not.
 */
static const void *table_at(uint64_t bias, uint64_t value)
{
	return (const void *)(value < bias ? value + bias : value);
}

static inline void symbols_note(struct elf_symbols *s, const ElfW(Dyn) * d)
{
	const void *at = table_at(s->bias, d->d_un.d_ptr);

	if (d->d_tag == DT_STRTAB)
		s->strings = at;
	else if (d->d_tag == DT_SYMTAB)
		s->table = at;
	else if (d->d_tag == DT_GNU_HASH)
		s->gnu_hash = at;
	else if (d->d_tag == DT_HASH)
		s->hash = at;
	else if (d->d_tag == DT_VERSYM)
		s->versions = at;
	else if (d->d_tag == DT_VERDEF)
		s->definitions = at;
}

static bool symbols_read(struct elf_symbols *s, uint64_t bias, const ElfW(Dyn) * d)
{
	*s = (struct elf_symbols){.bias = bias};
	for (; d && d->d_tag != DT_NULL; d++)
		symbols_note(s, d);
	return s->strings && s->table && (s->gnu_hash || s->hash);
}

static const char *version_name(const struct elf_symbols *s, unsigned index)
{
	const char *at = (const char *)s->definitions;

	while (at) {
		const ElfW(Verdef) *def = (const void *)at;
		const ElfW(Verdaux) *aux = (const void *)(at + def->vd_aux);

		if (def->vd_ndx == index)
			return s->strings + aux->vda_name;
		at = def->vd_next ? at + def->vd_next : NULL;
	}
	return "";
}

#define VERSION_NONE 1 /* VER_NDX_GLOBAL: the object gives this symbol no version */

/*
 * Whether a symbol has the wanted version, or is the default one: hidden versions are for old
 * binaries only. As for the loader, a symbol without a version matches every version: it is another
 * interposer's (libtsan's, for example).
 */
static bool version_fits(const struct elf_symbols *s, uint32_t i, const char *version)
{
	if (!s->versions)
		return true;
	if (!version)
		return !(s->versions[i] & VERSION_HIDDEN);
	return s->versions[i] == VERSION_NONE ||
	       !strcmp(version_name(s, s->versions[i] & ~VERSION_HIDDEN), version);
}

static bool symbol_fits(const struct elf_symbols *s, uint32_t i, const char *name,
			const char *version)
{
	const ElfW(Sym) *sym = &s->table[i];
	unsigned type = ELF64_ST_TYPE(sym->st_info);

	return sym->st_shndx != SHN_UNDEF && type != STT_TLS &&
	       !strcmp(s->strings + sym->st_name, name) && version_fits(s, i, version);
}

static inline uint32_t gnu_hash(const char *name)
{
	uint32_t hash = 5381;

	for (const char *c = name; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	return hash;
}

#define WORD_BITS (8 * sizeof(ElfW(Addr)))

static inline const ElfW(Addr) * filter_word(const uint32_t *table, uint32_t words, uint32_t hash)
{
	return (const ElfW(Addr) *)(const void *)(table + 4) + hash / WORD_BITS % words;
}

/* Of the Bloom filter, before the table: two bits of a word for each name. */
static inline bool may_have(ElfW(Addr) word, uint32_t hash, uint32_t shift)
{
	return word >> hash % WORD_BITS & word >> (hash >> shift) % WORD_BITS & 1;
}

static bool copied(void *to, const void *from, size_t bytes)
{
	return sys_peek(to, from, bytes) == (long)bytes;
}

/* `apart`: by copies, since another thread may unload the object meanwhile. */
static inline bool taken(bool apart, void *to, const void *from, size_t bytes)
{
	if (apart)
		return copied(to, from, bytes);
	memcpy(to, from, bytes);
	return true;
}

static bool is_named(const struct elf_symbols *s, uint32_t i, const char *name)
{
	size_t bytes = strlen(name) + 1;
	char text[64];
	ElfW(Sym) sym;

	return bytes <= sizeof(text) && copied(&sym, &s->table[i], sizeof(sym)) &&
	       sym.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(sym.st_info) != STT_TLS &&
	       copied(text, s->strings + sym.st_name, bytes) && !memcmp(text, name, bytes);
}

#define CHAIN_MOST 256u

/* Apart, it takes any version. Inlined, so that nothing is asked about `apart`. */
__attribute__((always_inline)) static inline uint32_t
find_gnu(const struct elf_symbols *s, const char *name, const char *version, bool apart)
{
	uint32_t h[4], hash = gnu_hash(name), i, have = 0; /* h: buckets, first, words, shift */
	const uint32_t *bucket;
	ElfW(Addr) word;

	if (!taken(apart, h, s->gnu_hash, sizeof(h)) || !h[0] || !h[2] ||
	    !taken(apart, &word, filter_word(s->gnu_hash, h[2], hash), sizeof(word)) ||
	    !may_have(word, hash, h[3]))
		return 0;
	bucket = s->gnu_hash + 4 + h[2] * (sizeof(word) / 4);
	if (!taken(apart, &i, bucket + hash % h[0], sizeof(i)) || !i || i < h[1])
		return 0;
	for (uint32_t k = 0; k < CHAIN_MOST && !(have & 1); k++, i++) {
		if (!taken(apart, &have, bucket + h[0] + (i - h[1]), sizeof(have)))
			return 0;
		if ((have | 1) == (hash | 1) &&
		    (apart ? is_named(s, i, name) : symbol_fits(s, i, name, version)))
			return i;
	}
	return 0;
}

static uint32_t find_sysv(const struct elf_symbols *s, const char *name, const char *version)
{
	for (uint32_t i = 1; i < s->hash[1]; i++)
		if (symbol_fits(s, i, name, version))
			return i;
	return 0;
}

static uint32_t find_index(const struct elf_symbols *s, const char *name, const char *version)
{
	return s->gnu_hash ? find_gnu(s, name, version, false) : find_sysv(s, name, version);
}

static void *elf_find(const struct elf_symbols *s, const char *name, const char *version)
{
	uint32_t i = find_index(s, name, version);
	void *at = i ? (void *)(s->bias + s->table[i].st_value) : NULL;

	if (at && ELF64_ST_TYPE(s->table[i].st_info) == STT_GNU_IFUNC)
		at = ((void *(*)(void))at)();
	return at;
}

/* ---- by copies ---- */

#define DYNAMIC_PIECE 8u
#define DYNAMIC_MOST 256u

static bool symbols_copied(struct elf_symbols *s, const struct link_map *map)
{
	ElfW(Dyn) d[DYNAMIC_PIECE];
	long got = sizeof(d);

	*s = (struct elf_symbols){.bias = map->l_addr};
	for (uint32_t i = 0; i < DYNAMIC_MOST && got == sizeof(d); i += DYNAMIC_PIECE) {
		got = sys_peek(d, map->l_ld + i, sizeof(d));
		for (uint32_t k = 0; k < DYNAMIC_PIECE && (k + 1) * (long)sizeof(*d) <= got; k++) {
			if (d[k].d_tag == DT_NULL)
				return s->strings && s->table && s->gnu_hash;
			symbols_note(s, &d[k]);
		}
	}
	return false;
}

bool elf_has(const struct link_map *map, const char *name)
{
	struct elf_symbols s;

	return symbols_copied(&s, map) && find_gnu(&s, name, NULL, true);
}

/* ---- look-ups ---- */

void *elf_find_in(const struct link_map *map, const char *name, const char *version)
{
	struct elf_symbols s;

	return symbols_read(&s, map->l_addr, map->l_ld) ? elf_find(&s, name, version) : NULL;
}

/* While no other thread can load or unload an object, its entry is read where it is. */
static bool entry_read(struct link_map *entry, const struct link_map *map)
{
	if (sys_threaded)
		return copied(entry, map, sizeof(*entry));
	*entry = *map;
	return true;
}

/* The first definition in an object of the list from `map` on, and which object that is. */
static void *find_from(const struct link_map *map, const char *name, const char *version,
		       const struct link_map **in)
{
	struct link_map entry;
	void *at = NULL;

	for (; map && !at && entry_read(&entry, map); map = entry.l_next) {
		*in = map;
		if (!sys_threaded || elf_has(&entry, name))
			at = elf_find_in(&entry, name, version);
	}
	return at;
}

const struct link_map *elf_self(void)
{
	const struct link_map *map = first_object();

	while (map && map->l_ld != _DYNAMIC)
		map = map->l_next;
	return map;
}

struct elf_after elf_after(void)
{
	const struct link_map *map = elf_self();
	struct elf_after after = {.count = 0};

	for (map = map ? map->l_next : NULL; map && after.count < ELF_KEPT; map = map->l_next)
		after.count += symbols_read(&after.object[after.count], map->l_addr, map->l_ld);
	after.rest = map;
	return after;
}

void *elf_next_in(const struct elf_after *after, const char *name, const char *version)
{
	const struct link_map *in;
	void *at = NULL;

	for (unsigned i = 0; i < after->count && !at; i++)
		at = elf_find(&after->object[i], name, version);
	return at ?: find_from(after->rest, name, version, &in);
}

void *elf_next(const char *name, const char *version)
{
	const struct link_map *self = elf_self(), *in;

	return self ? find_from(self->l_next, name, version, &in) : NULL;
}

void *elf_find_behind(const struct link_map *map, const char *name, const struct link_map **in)
{
	return find_from(map->l_next, name, NULL, in);
}

void *elf_find_anywhere(const char *name)
{
	const struct link_map *in;

	return find_from(first_object(), name, NULL, &in);
}

bool elf_find_object(const char *name, struct link_map *entry)
{
	for (const struct link_map *map = first_object(); map && entry_read(entry, map);
	     map = entry->l_next)
		if (elf_has(entry, name))
			return true;
	return false;
}

void *elf_find_sized(const struct link_map *map, const char *name, uint64_t *bytes)
{
	struct elf_symbols s;
	uint32_t i;

	if (!symbols_read(&s, map->l_addr, map->l_ld) || !(i = find_index(&s, name, NULL)))
		return NULL;
	*bytes = s.table[i].st_size;
	return (void *)(s.bias + s.table[i].st_value);
}

void *elf_find_in_image(const void *image, const char *name)
{
	const ElfW(Ehdr) *head = image;
	const ElfW(Phdr) *p = (const void *)((const char *)image + head->e_phoff);
	const ElfW(Dyn) *dynamic = NULL;
	uint64_t bias = (uint64_t)image;
	struct elf_symbols s;

	for (unsigned i = 0; i < head->e_phnum; i++) {
		if (p[i].p_type == PT_LOAD && p[i].p_offset == 0)
			bias = (uint64_t)image - p[i].p_vaddr;
		if (p[i].p_type == PT_DYNAMIC)
			dynamic = (const void *)((const char *)image + p[i].p_offset);
	}
	return symbols_read(&s, bias, dynamic) ? elf_find(&s, name, NULL) : NULL;
}

/* Undefined symbols precede those in the hash table. If none is hashed, that bound is a dummy. */
bool elf_imports(const struct link_map *map, const char *name)
{
	struct elf_symbols s;
	uint32_t end;

	if (!symbols_read(&s, map->l_addr, map->l_ld))
		return false;
	end = s.gnu_hash ? s.gnu_hash[1] : s.hash[1];
	if (s.gnu_hash && end <= 1) {
		if ((const char *)s.table >= s.strings)
			return true;
		end = (uint32_t)((s.strings - (const char *)s.table) / (long)sizeof(*s.table));
	}
	for (uint32_t i = 1; i < end; i++)
		if (s.table[i].st_shndx == SHN_UNDEF &&
		    !strcmp(s.strings + s.table[i].st_name, name))
			return true;
	return false;
}

const char *elf_soname(const struct link_map *map)
{
	uint64_t name = 0;
	struct elf_symbols s;

	for (const ElfW(Dyn) *d = map->l_ld; d && d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_SONAME)
			name = d->d_un.d_val;
	return name && symbols_read(&s, map->l_addr, map->l_ld) ? s.strings + name : "";
}

const struct link_map *elf_program(void)
{
	return first_object();
}

bool elf_is_loaded(const struct link_map *map)
{
	const struct link_map *m = first_object();
	struct link_map entry;

	while (m && m != map)
		m = entry_read(&entry, m) ? entry.l_next : NULL;
	return m != NULL;
}

static void read_build_id(struct elf_object *out, uint64_t note, uint64_t bytes)
{
	struct {
		ElfW(Nhdr) head;
		char name[4];
		uint8_t id[20];
	} n;
	uint64_t at = note;

	while (at + sizeof(n.head) < note + bytes &&
	       sys_peek(&n, (void *)at, sizeof(n)) == sizeof(n)) {
		if (n.head.n_type == NT_GNU_BUILD_ID && n.head.n_namesz == 4 &&
		    !memcmp(n.name, "GNU", 4)) {
			for (uint32_t i = 0; i < n.head.n_descsz && i < sizeof(n.id); i++) {
				out->build_id[2 * i] = "0123456789abcdef"[n.id[i] >> 4];
				out->build_id[2 * i + 1] = "0123456789abcdef"[n.id[i] & 15];
			}
			return;
		}
		at += sizeof(n.head) + ((n.head.n_namesz + 3) & ~3u) +
		      ((n.head.n_descsz + 3) & ~3u);
	}
}

static void add_segment(struct elf_object *out, const ElfW(Phdr) * p, uint64_t bias)
{
	uint64_t start = bias + (p->p_vaddr & ~0xfffull), end = bias + p->p_vaddr + p->p_memsz;

	if (!out->base || start < out->base)
		out->base = start;
	if (end > out->end)
		out->end = end;
	if (!(p->p_flags & PF_X))
		return;
	if (!out->text_start || start < out->text_start)
		out->text_start = start;
	if (end > out->text_end)
		out->text_end = end;
}

#define HEADERS 16u /* of a program that are read, */
#define PIECE 4u /* this many at a time */

bool elf_describe(const struct link_map *map, struct elf_object *out)
{
	/* A non-PIE executable has bias 0; its headers are where it was linked. */
	uint64_t image = map->l_addr ? map->l_addr : 0x400000;
	ElfW(Ehdr) head;
	ElfW(Phdr) p[PIECE];

	memset(out, 0, sizeof(*out));
	if (sys_peek(&head, (void *)image, sizeof(head)) != sizeof(head) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_phentsize != sizeof(p[0]))
		return false;
	for (uint32_t i = 0; i < head.e_phnum && i < HEADERS; i++) {
		const ElfW(Phdr) *at = &p[i % PIECE];
		uint64_t from = image + head.e_phoff + i * sizeof(p[0]);

		if (i % PIECE == 0 && sys_peek(p, (void *)from, sizeof(p)) != sizeof(p))
			break;
		if (at->p_type == PT_LOAD)
			add_segment(out, at, map->l_addr);
		else if (at->p_type == PT_NOTE && !out->build_id[0])
			read_build_id(out, map->l_addr + at->p_vaddr, at->p_memsz);
	}
	return out->end != 0;
}
