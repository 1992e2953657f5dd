/* Memory that a forked process shares and has copied, from what the kernel says. Neighbour: shim/common/pages.h. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <stdio.h>
#include <string.h>

#include "../../shim/common/pages.h"

#define MIB (1ull << 20)

static struct pages pages;
static char text[4096];

static int begin(void **state)
{
	(void)state;
	pages = (struct pages){0};
	text[0] = '\0';
	return 0;
}

/* A mapping with so many MiB of anonymous memory. */
static void mapping(const char *rights, unsigned anonymous, unsigned own, unsigned huge,
		    unsigned swapped)
{
	size_t at = strlen(text);

	snprintf(text + at, sizeof(text) - at,
		 "7f0000000000-7f0010000000 %s 00000000 00:00 0 [anon: Anonymous: 7 kB]\n"
		 "Rss:            %u kB\nShared_Dirty:   %u kB\nPrivate_Dirty:  %u kB\n"
		 "Anonymous:      %u kB\nLazyFree:  0 kB\nAnonHugePages:  %u kB\nSwap:  %u kB\n"
		 "SwapPss:  99 kB\nVmFlags: rd wr mr mw me ac\n",
		 rights, anonymous << 10, (anonymous - own) << 10, own << 10, anonymous << 10,
		 huge << 10, swapped << 10);
}

/* The kernel gives it in pieces of any size. */
static void read_in_pieces_of(size_t bytes)
{
	size_t all = strlen(text);

	for (size_t at = 0; at < all; at += bytes)
		pages_read(&pages, text + at, at + bytes < all ? bytes : all - at);
	pages_read(&pages, NULL, 0);
}

static void sums_private_mappings_in_any_pieces(void **state)
{
	(void)state;
	for (size_t bytes = 1; bytes < 700; bytes += 37) {
		begin(state);
		mapping("rw-p", 100, 60, 0, 0);
		mapping("rw-s", 50, 50, 0, 0);
		mapping("r--p", 10, 0, 0, 0);
		read_in_pieces_of(bytes);
		assert_int_equal(pages.own, 60 * MIB);
		assert_int_equal(pages.common, 50 * MIB);
	}
}

static void takes_huge_pages_for_new_ones_and_swapped_ones_for_shared(void **state)
{
	(void)state;
	mapping("rw-p", 100, 60, 50, 0); /* of the huge ones 40 may be shared */
	mapping("rw-p", 8, 8, 0, 30);
	read_in_pieces_of(64);
	assert_int_equal(pages.own, (50 + 8) * MIB);
	assert_int_equal(pages.common, (40 + 30) * MIB);
}

static uint64_t copied(unsigned inherited, unsigned given, unsigned parents)
{
	const struct pages_bounds bounds = {
		.inherited = inherited * MIB, .given = given * MIB, .parents = parents * MIB};

	return pages_copied(&pages, &bounds) / MIB;
}

static void copied_is_the_least_of_what_is_possible(void **state)
{
	(void)state;
	mapping("rw-p", 100, 60, 0, 0);
	read_in_pieces_of(512);
	assert_int_equal(copied(100, 1000, 100), 60);
	assert_int_equal(copied(70, 1000, 70), 30); /* 40 of it are still shared */
	assert_int_equal(copied(30, 1000, 30), 0);
	assert_int_equal(copied(200, 1000, 200), 60); /* what it has besides is gone */
	assert_int_equal(copied(100, 20, 100), 20);
	assert_int_equal(copied(100, 1000, 80), 40); /* 20 were given back by the parent */
	assert_int_equal(copied(100, 1000, 500), 60);
	assert_int_equal(copied(100, 1000, 0), 0);
}

static void statm_tells_what_belongs_to_no_file(void **state)
{
	(void)state;
	assert_int_equal(pages_anonymous("9000 500 100 10 0 400 0\n"), 400 * PAGES_BYTES);
	assert_int_equal(pages_anonymous("9000 100 500 10 0 400 0\n"), 0);
	assert_int_equal(pages_anonymous(""), 0);
}

#define STORY(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(sums_private_mappings_in_any_pieces),
		STORY(takes_huge_pages_for_new_ones_and_swapped_ones_for_shared),
		STORY(copied_is_the_least_of_what_is_possible),
		STORY(statm_tells_what_belongs_to_no_file),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
