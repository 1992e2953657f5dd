/* SPDX-License-Identifier: Apache-2.0 */
/* The readers of CPython's frames and locks end, and stay within their buffers, whatever memory says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../../shim/common/cpython/at_hand.h"
#include "../../shim/common/cpython/exception.h"
#include "../../shim/common/cpython/name.h"
#include "../../shim/common/cpython/process.h"
#include "../../shim/common/cpython/taker.h"

#ifndef ROUNDS
#define ROUNDS 6000u /* -DROUNDS=... for more, under sanitizers */
#endif
#define PEEKS_MAX 2000000u /* of one round */
#define TYPE 0x7000u /* of everything that a reader asks for */

static const char *const names[] = {"method",
				    "builtin_function_or_method",
				    "method_descriptor",
				    "function",
				    "_thread.lock",
				    "_thread.RLock",
				    "cell",
				    "tuple",
				    "__exit__",
				    "acquire",
				    "Condition",
				    "_io.TextIOWrapper",
				    "_io.BufferedWriter",
				    "dict",
				    "list",
				    "int"};

static struct {
	uint64_t seed;
	unsigned peeks;
} garbage;

static uint64_t next(void)
{
	garbage.seed = garbage.seed * 6364136223846793005ull + 1442695040888963407ull;
	return garbage.seed >> 20;
}

/* Mostly small numbers and addresses of types, at times a name that is looked for. */
static long peek(const struct cpython *py, void *to, uint64_t from, size_t bytes)
{
	const char *name = names[next() % (sizeof(names) / sizeof(*names))];
	unsigned char *at = to;

	(void)py, (void)from;
	garbage.peeks++;
	if (next() % 64 == 0)
		return next() % 2 ? -1 : (long)(bytes / 2);
	for (size_t i = 0; i < bytes; i++)
		at[i] = (unsigned char)(next() % 4 ? 0 : next());
	for (size_t i = 0; i + 8 <= bytes; i += 8)
		if (next() % 3 == 0)
			memcpy(at + i, &(uint64_t){TYPE + next() % 4 * 8}, 8);
	if (next() % 2 && bytes >= strlen(name) + 1)
		memcpy(at, name, strlen(name) + 1);
	return (long)bytes;
}

static void see(const struct cpython *py, const struct cpython_lock *lock,
		const struct frame *frame, const struct with_block *block, void *context)
{
	unsigned *seen = context;

	(void)lock;
	with_line(py, frame, block);
	++*seen;
}

static void read_exceptions(const struct cpython *py, char text[64])
{
	struct cpython_exception exception, before;
	uint64_t object[] = {cpython_handled(py, 4096), cpython_uncaught(py, 4096), 4096};

	for (unsigned i = 0; i < 3; i++) {
		if (!cpython_exception_read(py, &exception, object[i]))
			exception = (struct cpython_exception){4096, TYPE, 4096, 4096, 4096, 0};
		cpython_exception_before(py, &before, &exception);
		assert_true(cpython_exception_type(py, &exception, text, 64) < 64);
		assert_true(cpython_exception_text(py, &exception, text, 64) < 64);
		assert_true(cpython_exception_frames(py, &exception, text, 64) < 64);
		assert_true(cpython_exception_place(py, &exception));
		cpython_exception_is_parents(py, &exception, 4096);
		cpython_exception_caught(py, &exception);
	}
	cpython_ended_main(py, &(struct state){.frame = 4096}, &exception);
	assert_true(cpython_raised(py, 4096, &(struct state){.frame = 4096}, 0, text, 64) < 64);
}

/* What is asked of processes, queues, threads, tasks and exceptions: frames, dicts and type objects. */
static void read_the_rest(const struct cpython *py, char text[64], uint64_t lock)
{
	uint64_t objects[8];

	cpython_awaited_queue(py, 4096);
	cpython_awaits_simple(py, 4096, lock);
	cpython_joined(py, 4096);
	assert_true(cpython_awaited(py, 4096, objects, 8) <= 8);
	assert_true(cpython_task(py, 4096, objects, 8) <= 8);
	cpython_starting(py, 4096);
	cpython_started(py, 4096);
	cpython_only_feeds(py, 4096);
	cpython_fed(py, 4096);
	cpython_feeder_drops(py, 4096);
	cpython_runs_main(py, 4096);
	cpython_loads_data(py, 4096);
	cpython_code_of(py, 4096);
	assert_true(cpython_process_name(py, 4096, text, 64) < 64);
	cpython_model(py, 4096, text, 64);
	cpython_file_owner(py, &(struct state){.frame = 4096}, lock);
	read_exceptions(py, text);
}

static void garbage_is_read_in_bounded_time(void **state)
{
	static const uint32_t version[] = {0x03080000, 0x030a0000, 0x030b0000, 0x030d0000,
					   0x030d05f0, 0x030e0af0, 0x030f02f0};
	unsigned seen = 0;
	char text[64];
	struct cpython_taker taker;
	uint64_t object;

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct cpython py = {.peek = peek,
				     .version = version[round % 7],
				     .runtime = 64,
				     .type_type = TYPE,
				     .code_type = TYPE,
				     .unicode_type = TYPE,
				     .bytes_type = TYPE};

		garbage.seed = round + 1;
		garbage.peeks = 0;
		cpython_describe(&py); /* what it says of such memory does not matter */
		py.state_bytes = CPYTHON_STATE_BYTES;
		py.frame_bytes = CPYTHON_FRAME_BYTES;
		py.code_bytes = CPYTHON_CODE_BYTES;
		cpython_held(&py, 4096, see, &seen);
		assert_true(cpython_lock_name(&py, &(struct state){.frame = 4096}, 8192, TYPE,
					      round & 8, text, sizeof(text)) < sizeof(text));
		cpython_parked(&py, 4096, 4096);
		cpython_taker(&py, 4096,
			      round & 8 ? &(struct cpython_lock){.object = TYPE} :
					  &(struct cpython_lock){.address = 8192},
			      &taker);
		assert_true(cpython_called_text(&py, 4096, 8192, round & 8, text, sizeof(text),
						&object) < sizeof(text));
		cpython_taker_around(&py, 4096, &(struct cpython_lock){.object = TYPE}, &taker);
		assert_true(cpython_taker_text(&py, &taker, text, sizeof(text)) < sizeof(text));
		read_the_rest(&py, text, 8192);
		assert_true(garbage.peeks < PEEKS_MAX);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(garbage_is_read_in_bounded_time)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
