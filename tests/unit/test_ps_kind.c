/* Which threads wait for a disk although they often wake up. Neighbour: tools/ps/ps_kind.h. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include "ps/ps_kind.h"

static void page_faults_are_a_disk(void **state)
{
	(void)state;
	assert_true(kind_loads_pages('D', false, 1, 1000));
	assert_true(kind_loads_pages('R', false, 900, 1000));
	assert_true(kind_loads_pages('S', false, 500, 1000));
}

static void polling_is_none(void **state)
{
	(void)state;
	assert_false(kind_loads_pages('S', true, 900, 1000));
	assert_false(kind_loads_pages('D', true, 900, 1000));
	assert_false(kind_loads_pages('R', false, 100, 1000));
	assert_false(kind_loads_pages('R', false, 0, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(page_faults_are_a_disk),
		cmocka_unit_test(polling_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
