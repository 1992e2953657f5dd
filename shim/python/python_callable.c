/* SPDX-License-Identifier: Apache-2.0 */
/* C functions of modules, as objects that this process's Python code calls. */
#include <string.h>

#include "../common/cpython/frame.h"
#include "../intercept/sys.h"
#include "python.h"
#include "python_self.h"

#define TYPE_ENTRY 56 /* PyTypeObject.tp_vectorcall_offset */
#define TYPE_HAS_ENTRY (1u << 11) /* Py_TPFLAGS_HAVE_VECTORCALL */
#define ENTRY_MAX 256u
#define NAME_BYTES 16u

uint64_t python_modules(void)
{
	const struct cpython *py = &python.py;
	struct state own;

	return python_own_state(&own) ?
		       cpython_member(py, cpython_peek_word(py, own.interp + py->at.interp_modules),
				      CPYTHON_DICT_USED) :
		       0;
}

/* Where an object of this type keeps the function by which it is called; 0: nowhere. */
static uint64_t entry_offset(const struct cpython *py, uint64_t type)
{
	uint64_t offset;

	if (!(cpython_peek_word(py, cpython_at(py, type, py->at.type_flags)) & TYPE_HAS_ENTRY))
		return 0;
	offset = cpython_member(py, type, TYPE_ENTRY);
	return offset >= CPYTHON_HEAD && offset < ENTRY_MAX && !(offset % 8) ? offset : 0;
}

/* A name in a module; after a dot, in the module that has the first one there. */
static uint64_t object_of(const char *module, const char *name)
{
	const struct cpython *py = &python.py;
	char first[NAME_BYTES];
	uint64_t object;
	size_t n = 0;

	while (name[n] && name[n] != '.' && n < sizeof(first) - 1) {
		first[n] = name[n];
		n++;
	}
	first[n] = '\0';
	if (name[n] != '.')
		return python_global(module, name);
	object = python_global(module, first);
	return object && cpython_is_a(py, object, "module") ?
		       cpython_dict_search(py, cpython_member(py, object, CPYTHON_MODULE_DICT),
					   name + n + 1) :
		       0;
}

bool python_callable(const char *module, const char *name, struct python_callable *found)
{
	const struct cpython *py = &python.py;
	uint64_t object = object_of(module, name), type, offset;

	if (!object || !cpython_is_a(py, object, "builtin_function_or_method"))
		return false;
	type = cpython_type(py, object);
	offset = entry_offset(py, type);
	*found = (struct python_callable){
		.object = object,
		.type = type,
		.method = cpython_member(py, object, CPYTHON_METHOD),
		.entry = object + offset,
		.function = offset ? cpython_peek_word(py, object + offset) : 0,
	};
	return found->method && found->function;
}

bool python_divert(const struct python_callable *callable, const void *to)
{
	const struct cpython *py = &python.own;
	uint64_t object = callable->object;

	return cpython_type(py, object) == callable->type &&
	       cpython_member(py, object, CPYTHON_METHOD) == callable->method &&
	       cpython_peek_word(py, callable->entry) == callable->function &&
	       sys_poke(callable->entry, (uint64_t)(uintptr_t)to);
}

bool python_called_by(const char *function, const char *caller, const char *file)
{
	struct frame frame;
	struct state own;
	struct walk walk;

	if (!python_own_state(&own))
		return false;
	walk_open(&walk, &python.own, own.frame);
	if (!walk_on(&walk, &frame) || !frame_is(&python.own, &frame, function, file))
		return false;
	return !*caller || (walk_on(&walk, &frame) && frame_is(&python.own, &frame, caller, file));
}
