/*
 * Unwind instructions of functions that sign their return address (tools/symbolizer/unwind/cfi_signing.c): only the instruction is
 * hidden, not what looks like it in an operand, and nothing is touched outside of the entry, however damaged it is.
 */
#include "symbolizer/unwind/cfi_signing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NEGATE 0x2d

/* As gcc writes them for aarch64: "zR", addresses relative to themselves in four bytes. */
static const uint8_t common[] = {16,  0, 0, 0,	  0,  0, 0,    0,    1,	 'z',
				 'R', 0, 4, 0x78, 30, 1, 0x1b, 0x0c, 31, 0};
#define ENTRY sizeof(common)
#define INSTRUCTIONS (ENTRY + 17)

static uint8_t frames[256];
static size_t size;

static void describe(const uint8_t *instructions, size_t bytes)
{
	uint32_t length = (uint32_t)(13 + bytes), back = (uint32_t)(ENTRY + 4);

	memset(frames, 0, sizeof(frames));
	memcpy(frames, common, sizeof(common));
	memcpy(frames + ENTRY, &length, sizeof(length));
	memcpy(frames + ENTRY + 4, &back, sizeof(back));
	memcpy(frames + INSTRUCTIONS, instructions, bytes);
	size = INSTRUCTIONS + bytes;
	frames[size] = NEGATE; /* belongs to nobody */
}

#define DESCRIBE(...) \
	describe((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))
#define assert_instructions(...)                                                             \
	assert_memory_equal(frames + INSTRUCTIONS, ((const uint8_t[]){__VA_ARGS__, NEGATE}), \
			    sizeof((const uint8_t[]){__VA_ARGS__, NEGATE}))

static void the_instruction_is_hidden(void **state)
{
	(void)state;
	DESCRIBE(0x41, NEGATE, 0x42, 0x0e, 32, 0x9d, 4, 0x9e, 3, 0x0a, 0x44, 0x0b, NEGATE);
	cfi_hide_signing(frames, size, ENTRY);
	assert_instructions(0x41, 0, 0x42, 0x0e, 32, 0x9d, 4, 0x9e, 3, 0x0a, 0x44, 0x0b, 0);
}

static void operands_are_not(void **state)
{
	(void)state;
	DESCRIBE(0x0e, NEGATE, 0x02, NEGATE, 0x04, NEGATE, NEGATE, 0, NEGATE, 0x16, NEGATE, 2,
		 NEGATE, NEGATE, 0x0f, 1, NEGATE, 0x2e, 0x80, NEGATE, NEGATE);
	cfi_hide_signing(frames, size, ENTRY);
	assert_instructions(0x0e, NEGATE, 0x02, NEGATE, 0x04, NEGATE, NEGATE, 0, NEGATE, 0x16,
			    NEGATE, 2, NEGATE, NEGATE, 0x0f, 1, NEGATE, 0x2e, 0x80, NEGATE, 0);
}

static void what_is_unknown_ends_it(void **state)
{
	(void)state;
	DESCRIBE(NEGATE, 0x3f, NEGATE);
	cfi_hide_signing(frames, size, ENTRY);
	assert_instructions(0, 0x3f, NEGATE);
}

/* Each byte is once each of these values, and the section ends anywhere. */
static void damage_stays_within(void **state)
{
	static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};

	(void)state;
	for (size_t at = 0; at < INSTRUCTIONS + 4; at++) {
		for (size_t value = 0; value < sizeof(values); value++) {
			uint8_t *copy;

			DESCRIBE(0x0f, 2, 0, 0, NEGATE);
			frames[at] = values[value];
			for (size_t end = 0; end <= size; end++) {
				copy = malloc(
					end +
					1); /* a byte beyond is an error of valgrind and ASan */
				memcpy(copy, frames, end + 1);
				cfi_hide_signing(copy, end, ENTRY);
				assert_int_equal(copy[end], frames[end]);
				free(copy);
			}
		}
	}
}

static void only_entries_of_functions_count(void **state)
{
	(void)state;
	DESCRIBE(NEGATE);
	cfi_hide_signing(frames, size, 0); /* the common one */
	cfi_hide_signing(frames, size, size);
	cfi_hide_signing(frames, size, size + 100);
	frames[4] = 1; /* no common one */
	cfi_hide_signing(frames, size, ENTRY);
	assert_instructions(NEGATE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_instruction_is_hidden),
		cmocka_unit_test(operands_are_not),
		cmocka_unit_test(what_is_unknown_ends_it),
		cmocka_unit_test(damage_stays_within),
		cmocka_unit_test(only_entries_of_functions_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
