/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads pending bytes from the FILE structures of libc, whose layout is part of its ABI: old macros
 * read it.
 */
#include "stdio.h"

#include "../intercept/elf.h"
#include "../intercept/sys.h"
#include "../record/log.h"
#include "../record/stack.h"
#include "../record/state.h"

#define FILES_SEEN 64u
#define PENDING_MOST (1u << 20)
#define HASHED_MOST 256u

struct pending {
	const FILE *stream;
	const char *base;
	uint64_t bytes;
	uint64_t hash; /* of the first of them */
	int fd;
};

STATE uint32_t stdio_left;
STATE static uint32_t noted;
static struct pending pending[STDIO_STREAMS];
static const FILE *const *all; /* libc's list of streams; NULL: not found */
static const FILE *standard[3]; /* these never move */
static bool sought;

static void stdio_find(void)
{
	standard[0] = elf_find_anywhere("_IO_2_1_stdin_");
	standard[1] = elf_find_anywhere("_IO_2_1_stdout_");
	standard[2] = elf_find_anywhere("_IO_2_1_stderr_");
	all = elf_find_anywhere("_IO_list_all");
	__atomic_store_n(&sought, true, __ATOMIC_RELEASE);
}

/*
 * Copies a stream: another thread may close it and free its memory meanwhile. NULL: not readable.
 */
static const FILE *stdio_look_at(const FILE *stream, FILE *copy)
{
	for (unsigned i = 0; i < 3; i++)
		if (stream == standard[i])
			return stream;
	return sys_peek(copy, stream, sizeof(*copy)) == sizeof(*copy) ? copy : NULL;
}

static uint64_t hash_of(const char *base, uint64_t bytes)
{
	unsigned char text[HASHED_MOST];
	long got = sys_peek(text, base, bytes < sizeof(text) ? bytes : sizeof(text));
	uint64_t hash = bytes;

	for (long i = 0; i < got; i++)
		hash = (hash ^ text[i]) * 0x9e3779b97f4a7c15ull;
	return hash;
}

/* The number of bytes that wait to be written; 0: none, or a wide-character stream. */
static uint64_t pending_bytes(const FILE *file)
{
	uint64_t bytes = (uint64_t)(file->_IO_write_ptr - file->_IO_write_base);

	return file->_mode <= 0 && file->_fileno >= 0 && file->_IO_write_base &&
			       bytes <= PENDING_MOST ?
		       bytes :
		       0;
}

static void stdio_note(const FILE *stream, const FILE *file)
{
	uint64_t bytes = pending_bytes(file);

	if (!bytes || noted == STDIO_STREAMS)
		return;
	pending[noted++] = (struct pending){stream, file->_IO_write_base, bytes,
					    hash_of(file->_IO_write_base, bytes), file->_fileno};
}

void stdio_before_fork(unsigned how)
{
	const FILE *at, *file;
	FILE copy;

	noted = 0;
	if (how == MPSAN_HOW_DAEMON) /* the parent ends without writing anything */
		return;
	if (!__atomic_load_n(&sought, __ATOMIC_ACQUIRE))
		stdio_find();
	at = all ? __atomic_load_n(all, __ATOMIC_RELAXED) : NULL;
	for (uint32_t i = 0; at && i < FILES_SEEN; i++) {
		file = stdio_look_at(at, &copy);
		if (!file)
			return;
		stdio_note(at, file);
		at = file->_chain;
	}
}

void stdio_forked(bool child)
{
	stdio_left = child ? noted : 0;
	noted = 0;
}

/* Whether the parent's bytes are still at the start of the buffer. */
static bool is_still_there(const struct pending *p)
{
	FILE file;

	return sys_peek(&file, p->stream, sizeof(file)) == sizeof(file) && file._fileno == p->fd &&
	       file._IO_write_base == p->base && pending_bytes(&file) >= p->bytes &&
	       hash_of(p->base, p->bytes) == p->hash;
}

static void stdio_state(const struct pending *p, uint64_t caller)
{
	EMIT(stdio_twice, .fd = (uint64_t)p->fd, .bytes = p->bytes, .fork = life.self->fork_pos,
	     .caller = caller, .stack = stack_own(), .python = stack_python(0));
}

void stdio_written(FILE *stream, uint64_t caller)
{
	uint32_t left = 0;

	if (!life_may_change())
		return;
	GUARDED {
		for (uint32_t i = 0; i < stdio_left; i++) {
			if (stream && pending[i].stream != stream)
				pending[left++] = pending[i];
			else if (is_still_there(&pending[i]))
				stdio_state(&pending[i], caller);
		}
		stdio_left = left;
	}
}
