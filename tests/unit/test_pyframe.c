/*
 * Frames of a Python stack taken apart, well formed or not. Neighbour: tools/facts/pyframe.h.
 */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include "facts/pyframe.h"

#define GET "Queue.get\t/usr/lib/python3.11/queue.py\t171\n"
#define OWN "main.<locals>.work\t/home/a/train.py\t12"

static void a_stack_is_read_to_its_end(void **state)
{
	const char *text = "no frame\n\n" GET "one\ttab only\n" OWN;
	struct pyframe frame;

	(void)state;
	assert_true(pyframe_next(&text, &frame));
	assert_true(pytext_is(frame.class, "Queue"));
	assert_true(pytext_is(frame.function, "get"));
	assert_true(pytext_is(frame.line, "171"));
	assert_true(pyframe_is_standard(&frame));
	assert_true(pyframe_next(&text, &frame));
	assert_true(pytext_is(frame.class, "main.<locals>"));
	assert_true(pytext_is(frame.function, "work"));
	assert_true(pytext_is(frame.line, "12"));
	assert_false(pyframe_is_standard(&frame));
	assert_false(pyframe_next(&text, &frame));
	text = NULL;
	assert_false(pyframe_next(&text, &frame));
}

static void names_are_whole(void **state)
{
	(void)state;
	assert_true(pyframe_among(GET OWN, "get", "queue.py"));
	assert_true(pyframe_among(GET OWN, "get", "/queue.py"));
	assert_true(pyframe_among(GET OWN, "", "a/train.py"));
	assert_true(pyframe_among("get\tqueue.py\t1\n", "get", "/queue.py"));
	assert_false(pyframe_among(GET OWN, "et", "queue.py"));
	assert_false(pyframe_among(GET OWN, "get", "ueue.py"));
	assert_false(pyframe_among(GET OWN, "get", "train.py"));
	assert_false(pyframe_among("", "", "queue.py"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stack_is_read_to_its_end),
		cmocka_unit_test(names_are_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
