/*
 * Stacks that unwind alike (tools/symbolizer/unwind/unwind_alike.c), tried on a stack of this very process: the same one at another
 * place is known, and with another return address it is not.
 */
#define _GNU_SOURCE 1
#include "self_modules.h"
#include "self_snapshot.h"
#include "symbolizer/modules.h"
#include "symbolizer/unwind/unwind.h"
#include "symbolizer/unwind/unwind_alike.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FRAMES 64
#define FARTHER 0x100000u

static struct modules modules;
static uint64_t found[FRAMES];
static size_t count;

NOINLINE static void inner(void)
{
	take();
	AFTER_CALL;
}

NOINLINE static void outer(void)
{
	inner();
	AFTER_CALL;
}

static size_t unwind(uint64_t *pcs)
{
	return unwind_stack(&modules, &snapshot.head, snapshot.bytes, pcs, NULL, FRAMES);
}

static size_t ask(void)
{
	const struct unwind_question question = {&modules, &snapshot.head, snapshot.bytes, FRAMES,
						 false};
	uint64_t pcs[FRAMES];
	size_t known = unwind_alike(&question, pcs, NULL);

	assert_true(!known || (known == count && !memcmp(pcs, found, count * sizeof(*pcs))));
	return known;
}

/* As another thread would have it: all addresses within the stack are farther up. */
static void move(void)
{
	uint64_t *word = (uint64_t *)snapshot.bytes, sp = snapshot.head.regs[RSP];

	for (size_t i = 0; i < snapshot.head.bytes / 8; i++)
		if (word[i] - sp <= snapshot.head.bytes)
			word[i] += FARTHER;
	snapshot.head.regs[RSP] += FARTHER;
}

static int setup(void **state)
{
	(void)state;
	self_modules_init(&modules);
	modules.made = 1;
	return 0;
}

static int unwind_one(void **state)
{
	(void)state;
	unwind_alike_finish();
	outer();
	snapshot.head.valid = 1ull << RIP | 1ull << RSP;
	snapshot.head.regs[0] = 0;
	count = unwind(found);
	assert_in_range(count, 3, FRAMES);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unwind_finish();
	self_modules_finish(&modules);
	return 0;
}

static void the_same_stack_elsewhere_is_known(void **state)
{
	uint64_t pcs[FRAMES];

	(void)state;
	move();
	assert_int_equal(ask(), count);
	assert_int_equal(unwind(pcs), count);
	modules.made = 0; /* without looking for one like it */
	assert_int_equal(ask(), 0);
	assert_int_equal(unwind(pcs), count);
	assert_memory_equal(pcs, found, count * sizeof(*pcs));
	modules.made = 1;
}

static void another_return_address_is_another_stack(void **state)
{
	uint64_t *word = (uint64_t *)snapshot.bytes;

	(void)state;
	move();
	for (size_t i = 0; i < snapshot.head.bytes / 8; i++)
		if (word[i] == found[2])
			word[i] = found[1];
	assert_int_equal(ask(), 0);
}

static void other_modules_and_registers_tell_nothing(void **state)
{
	(void)state;
	modules.made = 2;
	assert_int_equal(ask(), 0);
	modules.made = 1;
	snapshot.head.valid |= 1ull << RBP;
	assert_int_equal(ask(), 0);
	snapshot.head.valid = 1ull << RIP | 1ull << RSP;
	snapshot.head.bytes -= 8;
	assert_int_equal(ask(), 0);
	snapshot.head.bytes += 8;
	assert_int_equal(ask(), count);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_same_stack_elsewhere_is_known, unwind_one),
		cmocka_unit_test_setup(another_return_address_is_another_stack, unwind_one),
		cmocka_unit_test_setup(other_modules_and_registers_tell_nothing, unwind_one),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
