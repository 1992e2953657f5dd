/*
 * The table of next definitions: filled once, asked by every hook. Neighbours: hook.h explains,
 * elf.c looks up.
 */
#include "hook.h"

#include <string.h>

#include "../include/mpsan_log.h"
#include "elf.h"
#include "life.h"

TLS volatile uintptr_t hook_guard;
STATE bool hook_off;

#ifdef MPSAN_COUNT_HOOKS
uint64_t *mpsan_hook_counts;
#endif

extern char hook_absent[];

#define HOOK(library, name, kind) extern char lazy_##name[];
#include "hooks.def"
#undef HOOK

void *hook_real[HOOK_COUNT] = {
#define HOOK(library, name, kind) lazy_##name,
#include "hooks.def"
#undef HOOK
};

/*
 * Our own exports, by address: the answers for dlsym. Declared as data because only the address
 * matters.
 */
#define HOOK(library, name, kind) extern char export_##name[] __asm__(#name);
#include "hooks.def"
#undef HOOK

static const struct {
	const char *name;
	void *hook;
} row[HOOK_COUNT] = {
#define HOOK(library, name, kind) {#name, export_##name},
#include "hooks.def"
#undef HOOK
};

/* Some functions exist for old binaries only (pthread_atfork): their version is the oldest. */
#if defined(__x86_64__)
#define OLDEST "GLIBC_2.2.5"
#else
#define OLDEST "GLIBC_2.17"
#endif

void hook_resolve(void)
{
	for (int i = 0; i < HOOK_COUNT; i++) {
		void *real = elf_next(row[i].name, NULL);

		if (!real)
			real = elf_next(row[i].name, OLDEST);
		hook_real[i] = real ? real : hook_absent;
	}
	hook_resolve_old();
}

static int row_find(const char *name)
{
	for (int i = 0; i < HOOK_COUNT; i++)
		if (!strcmp(row[i].name, name))
			return i;
	return -1;
}

bool hook_is_row(const char *name)
{
	return row_find(name) >= 0;
}

void *hook_answer(const char *name, const void *real)
{
	int i = row_find(name);

	return i >= 0 && hook_real[i] == real ? row[i].hook : NULL;
}

void hook_switch_off(unsigned why)
{
	hook_off = true;
	life_switched_off(why);
}
