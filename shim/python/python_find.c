/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds CPython among the loaded objects. common/cpython/ knows the layout of each version;
 * python.c reads frames with what was found here.
 */
#include "../intercept/elf.h"
#include "../intercept/sys.h"
#include "python.h"
#include "python_self.h"

struct python python;
bool python_catches;
static bool wants_handlers;
/* Set after `python`. Two threads that search at once store the same words. */
_Atomic bool python_found;

static void *find_either(const struct link_map *in, const char *name, const char *other)
{
	void *at = elf_find_in(in, name, NULL);

	return at ? at : elf_find_in(in, other, NULL);
}

static uint32_t find_version(const struct link_map *in)
{
	const unsigned long *number = elf_find_in(in, "Py_Version", NULL);
	const char *(*text)(void) = elf_find_in(in, "Py_GetVersion", NULL);

	if (number)
		return (uint32_t)*number;
	return text ? cpython_version(text()) : 0;
}

static long peek_own(const struct cpython *py, void *to, uint64_t from, size_t bytes)
{
	(void)py;
	return sys_peek_own(to, (const void *)from, bytes);
}

static uint64_t find(const struct link_map *in, const char *name)
{
	return (uint64_t)elf_find_in(in, name, NULL);
}

static void find_symbols(struct python *p, const struct link_map *in)
{
	uint64_t bytes = 0;

	p->py.peek = python_blocks_peek;
	p->py.version = find_version(in);
	p->py.runtime = (uint64_t)elf_find_sized(in, "_PyRuntime", &bytes);
	p->truth = find(in, "_Py_TrueStruct");
	p->runtime_end = p->py.runtime + bytes;
	p->py.type_type = find(in, "PyType_Type");
	p->py.code_type = find(in, "PyCode_Type");
	p->py.unicode_type = find(in, "PyUnicode_Type");
	p->py.bytes_type = find(in, "PyBytes_Type");
	p->py.none = find(in, "_Py_NoneStruct");
}

void python_look(const struct link_map *in)
{
	struct python p = {0};

	if (atomic_load_explicit(&python_found, memory_order_acquire) ||
	    !elf_has(in, "Py_IsInitialized") || !elf_has(in, "PyGILState_GetThisThreadState"))
		return;
	p.is_initialized = elf_find_in(in, "Py_IsInitialized", NULL);
	p.this_state = elf_find_in(in, "PyGILState_GetThisThreadState", NULL);
	if (!p.is_initialized || !p.this_state)
		return;
	p.is_finalizing = find_either(in, "Py_IsFinalizing", "_Py_IsFinalizing");
	p.current_state =
		find_either(in, "PyThreadState_GetUnchecked", "_PyThreadState_UncheckedGet");
	find_symbols(&p, in);
	p.limit = p.is_finalizing && p.current_state ?
			  cpython_describe(&p.py) :
			  "this CPython does not export what is needed";
	p.own = p.py;
	p.own.peek = peek_own;
	python = p;
	python_catches = wants_handlers && !p.limit && p.py.at.state_exc_info;
	atomic_store_explicit(&python_found, true, memory_order_release);
}

void python_watch_handlers(bool on)
{
	wants_handlers = python_catches = on;
}

void python_search(void)
{
	struct link_map object;

	if (!atomic_load_explicit(&python_found, memory_order_acquire) &&
	    elf_find_object("Py_IsInitialized", &object))
		python_look(&object);
}

bool python_present(void)
{
	return atomic_load_explicit(&python_found, memory_order_acquire) && python.is_initialized();
}

uint32_t python_version(void)
{
	return atomic_load_explicit(&python_found, memory_order_acquire) ? python.py.version : 0;
}

const char *python_limit(void)
{
	return atomic_load_explicit(&python_found, memory_order_acquire) ? python.limit : NULL;
}

/*
 * Asks for the thread's own state first. A thread without one must not ask for the current one:
 * from 3.12 on that is a thread-local variable, which is allocated at its first use if libpython
 * came by dlopen. PyGILState_Check is no alternative: it always returns 1 once a sub-interpreter
 * exists (its check is switched off then).
 */
bool python_holds_gil(void)
{
	void *state = python_present() && python.current_state ? python.this_state() : NULL;

	return state && state == python.current_state();
}

static bool in_runtime(uint64_t at)
{
	return at >= python.py.runtime && at < python.runtime_end;
}

/* The newest interpreter is the first of the list; the main one is part of _PyRuntime, and so is its GIL. */
static bool has_other_interpreters(void)
{
	uint64_t at = python.py.runtime + python.py.at.runtime_interpreters;

	return in_runtime(at) &&
	       !in_runtime(__atomic_load_n((const uint64_t *)(uintptr_t)at, __ATOMIC_RELAXED));
}

bool python_holds_main_gil(void)
{
	const struct cpython *py = &python.py;
	uint64_t interp;

	if (!python_holds_gil())
		return false;
	if (!py->at.interp_gil || python.limit || !has_other_interpreters())
		return true;
	interp = cpython_peek_word(py, (uint64_t)python.this_state() + py->at.state_interp);
	return in_runtime(cpython_peek_word(py, interp + py->at.interp_gil));
}

bool python_is_gil(const void *condition)
{
	return atomic_load_explicit(&python_found, memory_order_acquire) &&
	       in_runtime((uint64_t)condition);
}
