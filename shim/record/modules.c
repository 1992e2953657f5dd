/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps a sorted list of the loaded objects, writes new ones to the log as `module` events, and
 * recognises the Python interpreter among them.
 */
#include "modules.h"

#include <fcntl.h>
#include <link.h>
#include <stdlib.h>

#include "../common/hash.h"
#include "../common/return_address.h"
#include "../intercept/elf.h"
#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "../python/python.h"
#include "log.h"
#include "state.h"

#define MODULES 768u
#define PYPY_LIMIT \
	"this Python is PyPy, whose frames and locks are not read: only locks and waits in libc are seen"
struct module {
	uint64_t base, end, text_start, text_end;
	uint64_t id; /* a hash of its build ID, or of its path */
};

/* Sorted by base; changes only under `busy`. A reader that meets a move misses a module at worst. */
static struct {
	uint32_t busy;
	uint32_t count;
	bool torch;
	uint64_t python; /* an address inside the interpreter; 0: not found */
	struct link_map *last;
	struct module item[MODULES];
} modules LARGE;

/* The first one that ends behind this address. */
static uint32_t module_place(uint64_t address)
{
	uint32_t low = 0, high = modules.count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (modules.item[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static const struct module *module_find(uint64_t address)
{
	uint32_t i = module_place(address);

	return i < modules.count && modules.item[i].base <= address ? &modules.item[i] : NULL;
}

/* Whether this object is known. Those in whose place it lies were unloaded. */
static bool module_is_known(const struct elf_object *o, uint64_t id)
{
	uint32_t at = module_place(o->base);

	while (at < modules.count && modules.item[at].base < o->end) {
		const struct module *m = &modules.item[at];

		if (m->base == o->base && m->end == o->end && m->id == id)
			return true;
		modules.count--;
		for (uint32_t i = at; i < modules.count; i++)
			modules.item[i] = modules.item[i + 1];
	}
	return false;
}

static void module_add(const struct elf_object *o, uint64_t id)
{
	uint32_t i = modules.count;

	if (i == MODULES)
		return;
	for (; i && modules.item[i - 1].base > o->base; i--)
		modules.item[i] = modules.item[i - 1];
	modules.item[i] = (struct module){o->base, o->end, o->text_start, o->text_end, id};
	modules.count++;
}

static void path_of(const struct link_map *map, char *path, uint32_t bytes)
{
	long n = sys_peek(path, map->l_name, bytes - 1);

	path[n > 0 ? n : 0] = '\0';
	if (!path[0] && (n = SYS4(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, bytes - 1)) > 0)
		path[n] = '\0';
}

static void note_python(const struct link_map *map, uint64_t base)
{
	python_look(map);
	if (modules.python || !elf_has(map, "Py_GetVersion"))
		return;
	modules.python = base;
	if (python_limit())
		EMIT(limit, .what = log_text(python_limit()), .count = 1);
}

static void note_module(const struct link_map *map)
{
	static char path[512]; /* only the thread that has set `busy` comes here */
	struct elf_object o;
	uint64_t id;

	if (!elf_describe(map, &o))
		return;
	path_of(map, path, sizeof(path));
	id = hash_text(HASH_EMPTY, o.build_id[0] ? o.build_id : path);
	if (module_is_known(&o, id))
		return;
	if (text_starts(text_tail(path), "libtorch")) {
		modules.torch = true;
		life_flag(MPSAN_PROCESS_TORCH);
	}
	if (text_starts(text_tail(path), "libpypy"))
		EMIT(limit, .what = log_text(PYPY_LIMIT), .count = 1);
	note_python(map, o.base);
	module_add(&o, id);
	EMIT(module, .base = o.base, .end = o.end, .path = log_text(path),
	     .build_id = log_text(o.build_id), .text_start = o.text_start, .text_end = o.text_end);
}

/*
 * The first object that is not known yet, NULL: there is none. The loader appends new objects. If libc itself
 * has unloaded the last known one, as it does for iconv, no entry of the list points back to it.
 */
static struct link_map *first_unknown(void)
{
	struct link_map *last = __atomic_load_n(&modules.last, __ATOMIC_RELAXED);
	struct link_map map, next;

	if (!last || sys_peek(&map, last, sizeof(map)) != sizeof(map))
		return _r_debug.r_map;
	if (!map.l_next)
		return NULL;
	return sys_peek(&next, map.l_next, sizeof(next)) == sizeof(next) && next.l_prev == last ?
		       map.l_next :
		       _r_debug.r_map;
}

void modules_update(void)
{
	struct link_map map;
	struct link_map *at = first_unknown();
	uint32_t expected = 0;

	if (!at || !log_open())
		return;
	if (_r_debug.r_state != RT_CONSISTENT) {
		log_count(modules_skipped);
		return;
	}
	if (!__atomic_compare_exchange_n(&modules.busy, &expected, 1, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return;
	for (int i = 0; at && i < 4096 && sys_peek(&map, at, sizeof(map)) == sizeof(map); i++) {
		note_module(&map);
		modules.last = at;
		at = map.l_next;
	}
	if (!life.self->python)
		life.self->python = python_version();
	__atomic_store_n(&modules.busy, 0, __ATOMIC_RELEASE);
}

void modules_unloaded(void)
{
	__atomic_store_n(&modules.last, NULL, __ATOMIC_RELAXED);
}

bool modules_have_torch(void)
{
	return modules.torch;
}

bool modules_have(uint64_t address, uint64_t *text_start)
{
	const struct module *m = module_find(address);

	if (m && text_start)
		*text_start = m->text_start;
	return m != NULL;
}

bool modules_is_python(uint64_t code)
{
	const struct module *m = module_find(code);

	return m && modules.python >= m->base && modules.python < m->end;
}

struct span {
	uint64_t start, end;
};

static bool span_has(struct span span, uint64_t address)
{
	return address - span.start < span.end - span.start;
}

/* Whether it is in some module's code; if it is in none, `outside` receives the span around it that is in none. */
static bool is_code(uint64_t address, struct span *text, struct span *outside)
{
	uint32_t i = module_place(address);

	if (i < modules.count && modules.item[i].base <= address) {
		*text = (struct span){modules.item[i].text_start, modules.item[i].text_end};
		return span_has(*text, address);
	}
	*outside = (struct span){i ? modules.item[i - 1].end : 0,
				 i < modules.count ? modules.item[i].base : UINT64_MAX};
	return false;
}

/*
 * Hashes only the words that are code addresses: equal stacks agree in these. Most of the others point to the heap, to
 * the stack, or are small numbers: each kind is searched for once.
 */
uint64_t modules_hash_code(uint64_t hash, const uint64_t *word, uint64_t words)
{
	struct span text = {0, 0}, outside = {0, 0};
	uint64_t least = modules.count ? modules.item[0].base : UINT64_MAX;
	uint64_t most = modules.count ? modules.item[modules.count - 1].end : 0;

	for (uint64_t i = 0; i < words; i++) {
		uint64_t code = return_address(word[i]);

		if (code < least || code >= most || span_has(outside, code))
			continue;
		if (span_has(text, code) || is_code(code, &text, &outside))
			hash = (hash ^ code) * 0x9e3779b97f4a7c15ull;
	}
	return hash;
}
