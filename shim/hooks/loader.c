/*
 * dlsym and dlvsym on an explicit handle go around a preloaded library. Where the object that the
 * handle names itself defines the very function that we stand in for, the answer is our hook; all
 * else, RTLD_NEXT and RTLD_DEFAULT first, is the real function's business, which must see its true
 * caller (facts 1.3).
 */
#include <dlfcn.h>

#include "../elf.h"
#include "../hook.h"

/* In glibc a handle is the object's entry in the loader's list: compared before it is followed. */
static void *answer(const struct pass_regs *regs, const char *version)
{
	const struct link_map *map = (const void *)regs->arg[0];
	const char *name = (const char *)regs->arg[1];
	void *real;

	if (hook_off || !name || (void *)map == RTLD_DEFAULT || (void *)map == RTLD_NEXT ||
	    !hook_is_row(name) || !elf_is_loaded(map))
		return NULL;
	real = elf_find_in(map, name, version);
	return real ? hook_answer(name, real) : NULL;
}

PASS(dlsym)
{
	void *hook;

	ENTER(dlsym);
	hook = answer(regs, NULL);
	if (!hook)
		return (void *)REAL(dlsym);
	regs->result = (uint64_t)hook;
	return NULL;
}

PASS(dlvsym)
{
	void *hook;

	ENTER(dlvsym);
	hook = answer(regs, (const char *)regs->arg[2]);
	if (!hook)
		return (void *)REAL(dlvsym);
	regs->result = (uint64_t)hook;
	return NULL;
}
