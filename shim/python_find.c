/*
 * Finds CPython among the loaded objects, and which one it is. Neighbours: python_layout.h says
 * where each version keeps things; python.c reads frames with what was found here.
 */
#include <stdatomic.h>
#include <string.h>

#include "elf.h"
#include "python.h"
#include "python_layout.h"
#include "python_object.h"

struct python python;

/* Set after `python`. Two threads that look at once store the same words. */
static _Atomic bool python_found;

static void *find_either(const char *name, const char *other)
{
	void *at = elf_find_anywhere(name);

	return at ? at : elf_find_anywhere(other);
}

/* "3.9.18 (main, ..." as Py_Version would say it. */
static uint32_t version_from_text(const char *text)
{
	uint32_t part[3] = {0};

	for (unsigned i = 0; i < 3; i++, text += *text == '.')
		for (; *text >= '0' && *text <= '9'; text++)
			part[i] = part[i] * 10 + (uint32_t)(*text - '0');
	return part[0] << 24 | part[1] << 16 | part[2] << 8 | 0xf0;
}

static uint32_t find_version(void)
{
	const unsigned long *number = elf_find_anywhere("Py_Version");
	const char *(*text)(void) = elf_find_anywhere("Py_GetVersion");

	if (number)
		return (uint32_t)*number;
	return text ? version_from_text(text()) : 0;
}

/* Takes CPython's own table where it has one; what it lacks stays as the row says. */
static const char *read_debug_offsets(struct python_layout *at)
{
	const struct python_debug_offsets *d = elf_find_anywhere("_PyRuntime");

	if (!d || memcmp(d->cookie, PYTHON_DEBUG_COOKIE, sizeof(d->cookie)))
		return "CPython's table of offsets is missing";
	if (d->free_threaded)
		return "free-threaded CPython: frames change while they are read";
	at->state_prev = (uint16_t)d->state.prev;
	at->state_next = (uint16_t)d->state.next;
	at->state_interp = (uint16_t)d->state.interp;
	at->state_frame = (uint16_t)d->state.current_frame;
	at->state_thread_id = (uint16_t)d->state.thread_id;
	at->frame_previous = (uint16_t)d->frame.previous;
	at->frame_code = (uint16_t)d->frame.executable;
	at->frame_instr = (uint16_t)d->frame.instr_ptr;
	at->frame_locals = (uint16_t)d->frame.localsplus;
	at->frame_owner = (uint16_t)d->frame.owner;
	at->code_filename = (uint16_t)d->code.filename;
	at->code_name = (uint16_t)d->code.qualname;
	at->code_lines = (uint16_t)d->code.linetable;
	at->code_firstlineno = (uint16_t)d->code.firstlineno;
	/* "int _co_firsttraceable; void *co_extra" stand before the instructions. */
	at->code_firsttraceable = (uint16_t)(d->code.co_code_adaptive - 16);
	at->code_units = (uint16_t)d->code.co_code_adaptive;
	at->str_state = (uint16_t)d->str.state;
	at->str_length = (uint16_t)d->str.length;
	at->str_ascii = (uint16_t)d->str.asciiobject_size;
	at->str_compact = (uint16_t)(at->str_ascii + 16);
	return NULL;
}

static const char *find_layout(struct python *p)
{
	for (unsigned i = 0; i < sizeof(python_layouts) / sizeof(python_layouts[0]); i++)
		if (p->version >> 16 == (3u << 8 | python_layouts[i].minor))
			p->at = python_layouts[i];
	if (!p->at.minor)
		return "this version of Python is not known";
	return p->at.minor == PYTHON_DEBUG_MINOR ? read_debug_offsets(&p->at) : NULL;
}

static void find_types(struct python *p)
{
	p->code_type = (uint64_t)elf_find_anywhere("PyCode_Type");
	p->unicode_type = (uint64_t)elf_find_anywhere("PyUnicode_Type");
	p->bytes_type = (uint64_t)elf_find_anywhere("PyBytes_Type");
}

/* Lengths to read, and a last look at whether this build is as its version says. */
static const char *find_sizes(struct python *p)
{
	uint64_t type_type = (uint64_t)elf_find_anywhere("PyType_Type"), type = 0;

	p->state_bytes = p->at.state_thread_id + 8;
	p->frame_bytes = p->at.frame_owner ? p->at.frame_owner + 1 : p->at.frame_instr + 4;
	p->code_bytes = p->at.code_units ? p->at.code_firsttraceable + 4 : p->at.code_lines + 8;
	if (p->state_bytes > PYTHON_STATE_BYTES || p->frame_bytes > PYTHON_FRAME_BYTES ||
	    p->code_bytes > PYTHON_CODE_BYTES || p->at.str_compact > PYTHON_CHUNK)
		return "CPython's structures are not as expected";
	if (!p->code_type || !p->unicode_type || !p->bytes_type || !p->is_finalizing ||
	    !p->current_state)
		return "this CPython does not export what is needed";
	if (!python_peek(&type, p->code_type + PYTHON_OB_TYPE, sizeof(type)))
		return "process_vm_readv is not allowed";
	return type == type_type ? NULL : "CPython was built with traced references";
}

void python_look(void)
{
	struct python p = {0};

	if (atomic_load_explicit(&python_found, memory_order_acquire))
		return;
	p.is_initialized = elf_find_anywhere("Py_IsInitialized");
	p.this_state = elf_find_anywhere("PyGILState_GetThisThreadState");
	if (!p.is_initialized || !p.this_state)
		return;
	p.is_finalizing = find_either("Py_IsFinalizing", "_Py_IsFinalizing");
	p.current_state = find_either("PyThreadState_GetUnchecked", "_PyThreadState_UncheckedGet");
	p.version = find_version();
	p.limit = find_layout(&p);
	find_types(&p);
	if (!p.limit)
		p.limit = find_sizes(&p);
	python = p;
	atomic_store_explicit(&python_found, true, memory_order_release);
}

bool python_present(void)
{
	return atomic_load_explicit(&python_found, memory_order_acquire) && python.is_initialized();
}

uint32_t python_version(void)
{
	return atomic_load_explicit(&python_found, memory_order_acquire) ? python.version : 0;
}

const char *python_limit(void)
{
	return atomic_load_explicit(&python_found, memory_order_acquire) ? python.limit : NULL;
}

/*
 * The state first: a thread without one must not ask for the current one, which is thread-local
 * from 3.12 on and would be allocated at the first touch where libpython came by dlopen
 * (facts 1.7). And never PyGILState_Check, which says 1 to everybody once a sub-interpreter exists
 * (facts 2.2).
 */
bool python_holds_gil(void)
{
	void *state = python_present() && python.current_state ? python.this_state() : NULL;

	return state && state == python.current_state();
}
