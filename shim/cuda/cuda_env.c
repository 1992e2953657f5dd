/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records changes of CUDA_VISIBLE_DEVICES after the driver was initialised, which have no effect in
 * this process. hooks/libc.c calls around setenv and similar functions.
 */
#include <string.h>

#include "../intercept/elf.h"
#include "../intercept/sys.h"
#include "../record/log.h"
#include "../record/stack.h"
#include "../record/state.h"
#include "cuda.h"

#define VARIABLE "CUDA_VISIBLE_DEVICES"
#define CHANGES 8u

/* The current value; other threads do not change it meanwhile, or the program has a race. */
static const char *value_now(void)
{
	const char *const *const *environment = elf_find_anywhere("environ");
	const char *const *at = environment ? *environment : NULL;

	for (; at && *at; at++)
		if (text_starts(*at, VARIABLE "="))
			return *at + sizeof(VARIABLE);
	return NULL;
}

/* Before a change; `name` may be an assignment, or NULL for clearenv. */
void cuda_env_before(struct cuda_env *env, const char *name)
{
	const uint32_t n = sizeof(VARIABLE) - 1;
	const char *value;

	if (name && (!text_starts(name, VARIABLE) || (name[n] && name[n] != '=')))
		return;
	value = value_now();
	env->watched = true;
	env->set = value != NULL;
	text_put(env->text, env->text + sizeof(env->text), value ? value : "");
}

static uint64_t text_of(const char *value, bool set)
{
	return set ? log_text(value) : 0;
}

void cuda_env_after(const struct cuda_env *env, uint64_t caller)
{
	static uint32_t changes;
	const char *value = value_now();
	char cut[sizeof(env->text)];

	text_put(cut, cut + sizeof(cut), value ? value : "");
	if ((env->set == (value != NULL) && text_equal(cut, env->text)) || !life_may_state() ||
	    __atomic_add_fetch(&changes, 1, __ATOMIC_RELAXED) > CHANGES)
		return;
	GUARDED
		EMIT(cuda_env, .before = text_of(env->text, env->set),
		     .after = text_of(cut, value != NULL), .caller = caller, .stack = stack_own(),
		     .python = stack_python(0));
}
