/* Exceptions of C++ as runtimes lay them out, made by hand: their types and texts. Neighbours: shim/common/cxx_exception.h. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <stdint.h>
#include <string.h>

#include "../../shim/common/cxx_exception.h"

/* The one piece of memory that can be read. */
static struct {
	struct type_info {
		uint64_t table, name, base;
	} type, base, meta;
	uint64_t table
		[2]; /* of the two types: their own type_info stands before what they point to */
	char name[64], base_name[64], meta_name[64], text[64];
	uint64_t exception[32]; /* a header, and the object */
} world;

static uint64_t address(const void *of)
{
	return (uint64_t)(uintptr_t)of;
}

static long peek(void *to, const void *from, size_t bytes)
{
	uint64_t start = address(&world), end = start + sizeof(world), at = address(from);

	if (at < start || at >= end)
		return -1;
	if (bytes > end - at)
		bytes = end - at;
	memcpy(to, from, bytes);
	return (long)bytes;
}

/* An object that has one word before its text. */
static void make_world(const char *name, const char *base)
{
	memset(&world, 0, sizeof(world));
	strcpy(world.name, name);
	strcpy(world.base_name, base);
	strcpy(world.meta_name, "N10__cxxabiv120__si_class_type_infoE");
	strcpy(world.text, "boom\nand more");
	world.table[0] = address(&world.meta);
	world.meta.name = address(world.meta_name);
	world.type = (struct type_info){address(&world.table[1]), address(world.name),
					address(&world.base)};
	world.base = (struct type_info){.name = address(world.base_name)};
	world.exception[0] = address(&world.type);
	world.exception[10] = 0x474e5543432b2b00;
	world.exception[15] = address(world.text);
}

static void assert_read(const char *type, const char *text)
{
	struct cxx_exception exception;
	char got[64];

	assert_true(cxx_exception_read(peek, address(world.exception), &exception));
	assert_true(cxx_exception_type(peek, &exception, got, sizeof(got)));
	assert_string_equal(got, type);
	assert_int_equal(cxx_exception_text(peek, &exception, got, sizeof(got)), *text != 0);
	assert_string_equal(got, text);
}

static void derived_has_the_text_of_its_base(void **state)
{
	(void)state;
	make_world("N4data6BadRowE", "St13runtime_error");
	assert_read("data::BadRow", "boom");
	strcpy(world.name, "*N4data6BadRowE"); /* not the same in all objects */
	assert_read("data::BadRow", "boom");
	strcpy(world.base_name, "St9exception");
	assert_read("data::BadRow", "");
}

static void rethrown_and_other_runtimes(void **state)
{
	struct cxx_exception exception;

	(void)state;
	make_world("St11logic_error", "St9exception");
	memmove(world.exception + 4, world.exception, 28 * 8);
	world.exception[0] = address(world.exception + 4 + 14);
	world.exception[10] = 0x474e5543432b2b01; /* one that refers to the first */
	assert_read("std::logic_error", "boom");
	make_world("St11logic_error", "St9exception");
	world.exception[2] = world.exception[0];
	world.exception[12] = 0x434c4e47432b2b00; /* libc++abi's */
	world.exception[10] = world.exception[0] = 0;
	world.exception[17] = world.exception[15];
	assert_read("std::logic_error", "boom");
	world.exception[12] = 1; /* not of C++ */
	assert_false(cxx_exception_read(peek, address(world.exception), &exception));
	assert_false(cxx_exception_read(peek, 0, &exception));
}

static void garbage_is_read_without_harm(void **state)
{
	struct cxx_exception exception;
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(world) / 8; i++) {
		for (unsigned value = 0; value < 4; value++) {
			make_world("N4data6BadRowE", "St13runtime_error");
			((uint64_t *)&world)[i] = value == 0 ? 0 :
						  value == 1 ? ~0ull :
						  value == 2 ? address(&world) :
							       address(&world + 1) - 3;
			cxx_exception_read(peek, address(world.exception), &exception);
			cxx_exception_type(peek, &exception, text, sizeof(text));
			assert_true(strlen(text) < sizeof(text));
			cxx_exception_text(peek, &exception, text, sizeof(text));
			assert_true(strlen(text) < sizeof(text));
		}
	}
	make_world("N4data6BadRowE", "St13runtime_errox");
	world.base.base = address(&world.base); /* a circle */
	world.base.table = address(&world.table[1]);
	assert_read("data::BadRow", "");
}

static void types_are_named_as_in_the_source(void **state)
{
	static const char *const names[][2] = {
		{"St13runtime_error", "std::runtime_error"},
		{"N3c105ErrorE", "c10::Error"},
		{"6Failed", "Failed"},
		{"N12_GLOBAL__N_16FailedE", "(anonymous namespace)::Failed"},
		{"NSt10filesystem7__cxx1116filesystem_errorE",
		 "std::filesystem::__cxx11::filesystem_error"},
		{"NSt8ios_base7failureB5cxx11E", "std::ios_base::failure"},
		{"PKc", "char const*"},
		{"i", "int"},
		{"NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", "std::string"},
		{"3BoxIiE", "3BoxIiE"},
		{"99Failed", "99Failed"},
		{"N3c105Error", "N3c105Error"},
		{"St", "std"},
		{"", ""},
		{"0", "0"},
		{"99999999999999999999999", "99999999999999999999999"},
	};
	char text[64], small[8];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		cxx_type_text(names[i][0], text, sizeof(text));
		assert_string_equal(text, names[i][1]);
		cxx_type_text(names[i][0], small, sizeof(small));
		assert_true(strlen(small) < sizeof(small));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(derived_has_the_text_of_its_base),
		cmocka_unit_test(rethrown_and_other_runtimes),
		cmocka_unit_test(garbage_is_read_without_harm),
		cmocka_unit_test(types_are_named_as_in_the_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
