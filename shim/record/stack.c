/* SPDX-License-Identifier: Apache-2.0 */
/* Copies raw stacks into records, which tools/symbolizer/unwind/ unwinds later. */
#include "stack.h"

#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../common/cpython/frame.h"
#include "../common/return_address.h"
#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "../python/python.h"
#include "log.h"
#include "modules.h"
#include "state.h"
#include "thread_names.h"

#define PYTHON_TEXT 8192u
#define BUSY_ROUNDS 4000u

/*
 * The end of the stack that contains `from`: for the main thread its arguments and environment,
 * which must not be recorded, for others the thread's descriptor. 0: out of reach.
 */
static uint64_t stack_end(uint64_t from, uint64_t pthread)
{
	uint64_t env = (uint64_t)(uintptr_t)sys_image.env;

	if (pthread > from && pthread - from < MPSAN_STACK_BYTES)
		return pthread & ~7ull;
	return env > from && env - from < MPSAN_STACK_BYTES ? env & ~7ull : 0;
}

/* Measures and hashes a stack in one pass; an unknown end shows as a short read. */
static uint64_t measure(uint64_t from, uint64_t end, uint64_t *hash)
{
	uint64_t piece[64], done = 0, most = end ? end - from : MPSAN_STACK_BYTES;
	long got;

	do {
		got = sys_peek(piece, (const void *)(from + done), sizeof(piece));
		if (got > 0) {
			*hash = modules_hash_code(*hash, piece, (uint64_t)got / 8);
			done += (uint64_t)got & ~7ull;
		}
	} while (got == sizeof(piece) && done < most);
	if (done < most)
		return done;
	if (!end)
		log_count(stacks_cut);
	return most;
}

static uint64_t write_stack(const uint64_t *regs, uint64_t valid, uint64_t pthread, bool own)
{
	uint64_t hash = regs[MPSAN_STACK_PC] ^ EV_stack ^
			(valid & MPSAN_STACK_BLOCKED ? regs[0] : 0);
	uint64_t end = stack_end(regs[MPSAN_STACK_SP], pthread), position, bytes;
	struct mpsan_stack *s;
	long got;

	/* a stack of the program's own may lie right before, with a gap in between */
	bytes = own && end ? sys_readable(regs[MPSAN_STACK_SP], end - regs[MPSAN_STACK_SP]) : 0;
	if (bytes)
		hash = modules_hash_code(hash, (const uint64_t *)regs[MPSAN_STACK_SP], bytes / 8);
	else
		bytes = measure(regs[MPSAN_STACK_SP], end, &hash);
	position = log_open() ? log_recall(hash) : 0;
	if (position)
		return position;
	s = log_reserve(EV_stack, sizeof(*s) + bytes, &position);
	if (!s)
		return 0;
	got = (own ? sys_peek_own : sys_peek)(s + 1, (const void *)regs[MPSAN_STACK_SP], bytes);
	s->hash = hash;
	s->bytes = got > 0 ? (uint64_t)got : 0;
	s->valid = valid;
	memcpy(s->regs, regs, sizeof(s->regs));
	log_commit(s, EV_stack, sizeof(*s) + bytes);
	log_remember(hash, position);
	return position;
}

/* The signals that this thread blocks, in place of a register. */
static uint64_t note_blocked(uint64_t *regs)
{
	return SYS4(SYS_rt_sigprocmask, -1, NULL, &regs[0], 8) ? 0 : MPSAN_STACK_BLOCKED;
}

__attribute__((noinline)) uint64_t stack_own(void)
{
	uint64_t regs[MPSAN_STACK_REGS] = {0}, valid;

	modules_update();
	thread_name_own();
	ARCH_REGISTERS(regs, valid);
	valid |= note_blocked(regs);
	return write_stack(regs, valid, sys_pthread(), true);
}

uint64_t stack_at(const uint64_t *regs)
{
	modules_update();
	return write_stack(regs, (1ull << MPSAN_STACK_REGS) - 1, sys_pthread(), false);
}

bool stack_returns_to(uint64_t start, uint64_t end)
{
	uint64_t words[64], at = (uint64_t)(uintptr_t)__builtin_frame_address(0);
	long got = sizeof(words);

	for (uint64_t seen = 0; seen < MPSAN_STACK_BYTES && got == sizeof(words); seen += got) {
		got = sys_peek_own(words, (const void *)(at + seen), sizeof(words));
		for (long i = 0; i < got / 8; i++)
			if (return_address(words[i]) >= start && return_address(words[i]) < end)
				return true;
	}
	return false;
}

/*
 * Parses /proc/self/task/TID/syscall: "NUMBER arg0 … arg5 SP PC", "-1 SP PC" for a thread stopped
 * outside a system call, or "running".
 */
uint64_t stack_of(uint32_t tid, uint64_t pthread)
{
	char path[64], text[256], *end = path + sizeof(path),
				  *at = text_put(path, end, "/proc/self/task/");
	uint64_t regs[MPSAN_STACK_REGS] = {0}, value[2] = {0, 0};

	at = text_put_number(at, end, tid, 10);
	text_put(at, end, "/syscall");
	if (sys_read_line(path, text, sizeof(text)) <= 0 || text[0] == 'r')
		return 0;
	for (const char *c = text; *c; c++) {
		if (c[0] != '0' || c[1] != 'x')
			continue;
		value[0] = value[1];
		value[1] = text_hex(c + 2);
	}
	regs[MPSAN_STACK_SP] = value[0];
	regs[MPSAN_STACK_PC] = value[1];
	return regs[MPSAN_STACK_SP] ?
		       write_stack(regs, 1ull << MPSAN_STACK_SP | 1ull << MPSAN_STACK_PC, pthread,
				   false) :
		       0;
}

/* Waits for a while, as long as frames take: who has it may have been interrupted by this call. */
static bool claim_buffer(uint32_t *busy)
{
	for (unsigned i = 0; i < BUSY_ROUNDS; i++) {
		uint32_t expected = 0;

		if (!__atomic_load_n(busy, __ATOMIC_RELAXED) &&
		    __atomic_compare_exchange_n(busy, &expected, 1, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return true;
		arch_pause();
	}
	return false;
}

/* Writes frames of a thread, or with `raised` what the calling one handles. */
static uint64_t write_python(uint64_t pthread, bool raised)
{
	/*
	 * Too large for the stacks that hooks run on. Two threads at once are rare, and one may then
	 * get no frames.
	 */
	static struct {
		uint32_t busy;
		uint32_t pid;
		struct walk walk;
		char text[PYTHON_TEXT];
	} buffer LARGE;
	uint64_t position = 0;

	if (!python_present())
		return 0;
	if (buffer.pid != life.pid)
		buffer.busy = 0;
	if (!claim_buffer(&buffer.busy))
		return 0;
	buffer.pid = life.pid;
	if (raised ? python_raised(buffer.text, sizeof(buffer.text)) :
		     python_stack(pthread, &buffer.walk, buffer.text, sizeof(buffer.text)))
		position = log_text(buffer.text);
	__atomic_store_n(&buffer.busy, 0, __ATOMIC_RELEASE);
	return position;
}

uint64_t stack_python(uint64_t pthread)
{
	return write_python(pthread, false);
}

uint64_t stack_raised(void)
{
	return write_python(0, true);
}

/*
 * No hook sees main() return into exit(), so the stack is searched for it: exit() only calls the
 * function that runs the handlers, and is far shorter than this.
 */
#define EXIT_BYTES 64u

bool stack_is_exiting(void)
{
	uint64_t start = (uint64_t)(uintptr_t)REAL(exit);

	return life_code() != -1 || stack_returns_to(start + 1, start + EXIT_BYTES);
}
