/* The table of ranges: found by any address, full to the brim, changed by many threads. Neighbour: shim/common/ranges.h. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../../shim/common/ranges.h"

#define MANY 100000u
#define MANY_PLACES (1u << 17)

/* What a place holds here: words that follow from its range, so that a mixture shows. */
struct piece {
	struct range range;
	uint64_t word[9];
};

static struct ranges *table;

static void make(uint64_t places)
{
	uint64_t bytes = ranges_bytes(places, sizeof(struct piece));

	table = aligned_alloc(64, (bytes + 63) / 64 * 64);
	assert_non_null(table);
	for (uint64_t i = 0; i < bytes / 8; i++)
		((uint64_t *)(void *)table)[i] = 0;
	ranges_init(table, places, sizeof(struct piece));
}

static int end(void **state)
{
	(void)state;
	free(table);
	table = NULL;
	return 0;
}

static bool add(uint32_t owner, uint64_t start, uint64_t bytes, uint64_t seed)
{
	struct piece *piece = ranges_claim(table, owner, start, bytes);

	for (unsigned i = 0; piece && i < 9; i++)
		piece->word[i] = seed * (i + 1);
	if (piece)
		ranges_publish(piece);
	return piece != NULL;
}

static bool is_whole(const struct piece *piece)
{
	for (unsigned i = 1; i < 9; i++)
		if (piece->word[i] != piece->word[0] * (i + 1))
			return false;
	return true;
}

static bool has(uint32_t owner, uint64_t address, uint64_t start)
{
	struct piece copy;

	return ranges_find(table, owner, address, &copy) && copy.range.start == start;
}

static bool drop(uint32_t owner, uint64_t start)
{
	struct piece copy;
	void *place = ranges_find(table, owner, start, &copy);

	return place && ranges_drop(table, place, &copy);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void any_address_of_a_range_finds_it(void **state)
{
	static const uint64_t sizes[] = {1, 2, 3, 511, 512, 513, 1u << 21, 5ull << 30};
	struct piece copy;

	(void)state;
	make(64);
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		uint64_t start = 0x7f0000000000ull + i * (64ull << 30) + 4093 * i, bytes = sizes[i];

		assert_true(add(7, start, bytes, i));
		assert_true(has(7, start, start) && has(7, start + bytes / 2, start) &&
			    has(7, start + bytes - 1, start));
		assert_null(ranges_find(table, 7, start - 1, &copy));
		assert_null(ranges_find(table, 7, start + bytes, &copy));
		assert_null(ranges_find(table, 8, start, &copy));
	}
	assert_int_equal(table->used, sizeof(sizes) / sizeof(*sizes));
}

static void what_was_dropped_is_never_found(void **state)
{
	struct piece copy;
	void *place;

	(void)state;
	make(16);
	assert_true(add(1, 4096, 100, 1));
	place = ranges_find(table, 1, 4100, &copy);
	assert_true(ranges_same(place, &copy));
	assert_true(ranges_drop(table, place, &copy));
	assert_false(ranges_same(place, &copy));
	assert_false(ranges_drop(table, place, &copy));
	assert_null(ranges_find(table, 1, 4100, &copy));
	assert_int_equal(table->used, 0);
	assert_true(add(1, 4096, 50, 2)); /* the same place again, for something shorter */
	assert_null(ranges_find(table, 1, 4196 - 1, &copy));
	assert_true(has(1, 4096, 4096));
}

static void nobody_finds_what_is_not_published(void **state)
{
	struct piece copy, *piece;
	uint64_t at = 0;

	(void)state;
	make(16);
	piece = ranges_claim(table, 1, 4096, 100);
	assert_non_null(piece);
	assert_null(ranges_find(table, 1, 4096, &copy));
	assert_null(ranges_next(table, &at, &copy));
	ranges_publish(piece);
	assert_true(has(1, 4096, 4096));
}

static void a_full_table_says_so(void **state)
{
	uint64_t at = 0, seen = 0;
	struct piece copy;

	(void)state;
	make(16);
	for (uint64_t i = 0; i < 16; i++)
		assert_true(add(1, i * 4096, 4096, i));
	assert_false(add(1, 16 * 4096, 4096, 16));
	assert_int_equal(table->full, 1);
	while (ranges_next(table, &at, &copy))
		seen++;
	assert_int_equal(seen, 16);
	assert_true(drop(1, 5 * 4096));
	assert_true(add(1, 16 * 4096, 4096, 16));
}

/* Sizes as an allocator asks for them, some side by side, some with gaps; several owners. */
static uint64_t next_start(uint64_t *random, uint64_t start, uint64_t *bytes)
{
	*random = *random * 6364136223846793005ull + 1442695040888963407ull;
	*bytes = (512ull << (*random >> 60)) - (*random >> 40 & 255);
	return start + ((*random >> 33 & 3) * 4096);
}

static unsigned fill(uint64_t seed, uint64_t *start, uint64_t *bytes)
{
	uint64_t random = seed, at = 0x7f1200000000ull;
	unsigned lost = 0;

	for (uint32_t i = 0; i < MANY; i++) {
		start[i] = next_start(&random, at, &bytes[i]);
		at = start[i] + bytes[i];
		lost += !add(i % 3, start[i], bytes[i], i);
	}
	return lost;
}

static void a_hundred_thousand_live_ranges(void **state)
{
	uint64_t *start = calloc(MANY, 8), *bytes = calloc(MANY, 8);
	double began, filled, found;

	(void)state;
	for (uint64_t seed = 1; seed <= 3; seed++) {
		end(state);
		make(MANY_PLACES);
		began = seconds();
		assert_int_equal(fill(seed, start, bytes), 0);
		filled = seconds();
		for (uint32_t i = 0; i < MANY; i++)
			assert_true(has(i % 3, start[i], start[i]) &&
				    has(i % 3, start[i] + bytes[i] / 2, start[i]) &&
				    has(i % 3, start[i] + bytes[i] - 1, start[i]));
		found = seconds();
		for (uint32_t i = 0; i < MANY; i += 2)
			assert_true(drop(i % 3, start[i]));
		for (uint32_t i = 0; i < MANY; i++)
			assert_int_equal(has(i % 3, start[i], start[i]), i % 2);
		print_message("%u ranges: %.0f ns to add one, %.0f ns to find one\n", MANY,
			      (filled - began) / MANY * 1e9, (found - filled) / MANY / 3 * 1e9);
	}
	free(start);
	free(bytes);
}

/* Inodes, pages and blocks of a device, as they are given: one after the other, or every second or third one. */
static void ranges_in_a_row_fit_as_well(void **state)
{
	static const uint64_t sizes[] = {1, 4096, 2u << 20};

	(void)state;
	for (uint64_t gap = 1; gap <= 3; gap++)
		for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			end(state);
			make(MANY_PLACES);
			for (uint64_t k = 0; k < MANY; k++)
				assert_true(add(1, (1000 + k * gap) * sizes[i], sizes[i], k));
			for (uint64_t k = 0; k < MANY; k++)
				assert_true(has(1, (1000 + k * gap) * sizes[i],
						(1000 + k * gap) * sizes[i]));
		}
}

static void few_pages_are_written_by_few_ranges(void **state)
{
	uint64_t pages = 0, bytes = ranges_bytes(MANY_PLACES, sizeof(struct piece));
	const char *memory;

	(void)state;
	make(MANY_PLACES);
	for (uint64_t k = 0; k < 1000; k++)
		assert_true(add(1, 8793908 + k, 1, k));
	memory = (const char *)table;
	for (uint64_t at = 0; at + 4096 <= bytes; at += 4096) {
		uint64_t i = 0;

		while (i < 4096 && !memory[at + i])
			i++;
		pages += i < 4096;
	}
	assert_in_range(pages, 1, 80);
}

#define THREADS 4u
#define OWN 4u /* ranges of each thread */

static atomic_bool stop;
static atomic_uint mixed, ghosts, missing;

/* Looks for others' ranges while they come and go: what it gets is whole, and contains the address. */
static void *look(void *unused)
{
	uint64_t random = 1;
	struct piece copy;

	while (!stop) {
		uint32_t owner = (uint32_t)(random >> 50) % THREADS;
		uint64_t address = (random >> 20) % (OWN * 8192ull);

		random = random * 6364136223846793005ull + 1442695040888963407ull;
		if (!ranges_find(table, owner, address, &copy))
			continue;
		mixed += !is_whole(&copy);
		ghosts += copy.range.owner != owner || address < copy.range.start ||
			  address - copy.range.start >= copy.range.bytes;
	}
	return unused;
}

/* Its own ranges are what it made of them, whatever the others do. */
static void *change(void *number)
{
	uint32_t owner = (uint32_t)(uintptr_t)number;
	bool there[OWN] = {false};
	uint64_t random = owner + 1;

	for (unsigned i = 0; i < 400000; i++) {
		uint64_t n, start;

		random = random * 6364136223846793005ull + 1442695040888963407ull;
		n = (random >> 40) % OWN;
		start = n * 8192;
		missing += has(owner, start, start) != there[n];
		if (there[n])
			missing += !drop(owner, start);
		else
			missing += !add(owner, start, 8192 - (random >> 30) % 64, random >> 8);
		there[n] = !there[n];
	}
	return NULL;
}

static void many_threads_at_once(void **state)
{
	pthread_t changer[THREADS], looker[2];

	(void)state;
	make(64);
	for (uintptr_t i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&looker[i], NULL, look, NULL), 0);
	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&changer[i], NULL, change, (void *)i), 0);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(changer[i], NULL);
	stop = true;
	for (unsigned i = 0; i < 2; i++)
		pthread_join(looker[i], NULL);
	assert_int_equal(mixed, 0);
	assert_int_equal(ghosts, 0);
	assert_int_equal(missing, 0);
	assert_int_equal(table->full, 0);
}

#define STORY(name) cmocka_unit_test_teardown(name, end)

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(any_address_of_a_range_finds_it),	    STORY(what_was_dropped_is_never_found),
		STORY(nobody_finds_what_is_not_published),  STORY(a_full_table_says_so),
		STORY(a_hundred_thousand_live_ranges),	    STORY(ranges_in_a_row_fit_as_well),
		STORY(few_pages_are_written_by_few_ranges), STORY(many_threads_at_once),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
