/* SPDX-License-Identifier: Apache-2.0 */
/* Solves who waits for whom, rank by rank, and puts it into words. */
#include "stuck.h"

#include <stdlib.h>
#include <string.h>

#include "../base/util.h"
#include "numbers.h"

static struct stuck_rank *rank_of_number(struct stuck_rank *ranks, uint32_t count, uint32_t number)
{
	uint32_t low = 0;

	while (low < count) {
		uint32_t middle = low + (count - low) / 2;

		if (ranks[middle].number == number)
			return &ranks[middle];
		if (ranks[middle].number < number)
			low = middle + 1;
		else
			count = middle;
	}
	return NULL;
}

static bool is_open(const struct stuck_rank *rank)
{
	return !rank || rank->state == RANK_OPEN || (rank->state == RANK_WAITS && !rank->stuck);
}

/* Whether one that it needs may still come. */
static bool has_way_out(struct stuck_rank *ranks, uint32_t count, uint32_t world,
			const struct stuck_rank *rank)
{
	uint32_t needed = rank->needs ? rank->needs_count : world;

	if (!rank->needs && count < world)
		return true;
	for (uint32_t i = 0; i < needed; i++) {
		uint32_t number = rank->needs ? rank->needs[i] : ranks[i].number;

		if (number != rank->number && is_open(rank_of_number(ranks, count, number)))
			return true;
	}
	return false;
}

static void mark_lacked(struct stuck_rank *ranks, uint32_t count, const struct stuck_rank *by)
{
	uint32_t needed = by->needs ? by->needs_count : count;

	for (uint32_t i = 0; i < needed; i++) {
		struct stuck_rank *rank = by->needs ? rank_of_number(ranks, count, by->needs[i]) :
						      &ranks[i];

		rank->lacked = rank->state >= RANK_DEAD;
	}
}

static bool is_same_place(const struct stuck_rank *one, const struct stuck_rank *other)
{
	return !strcmp(one->in->name, other->in->name) && !strcmp(one->in->place, other->in->place);
}

/* Where all receive, none sends. */
static bool all_receive(const struct stuck_rank *first)
{
	return first && !strcmp(first->in->name, "recv");
}

static bool differ(const struct stuck_rank *ranks, uint32_t count)
{
	const struct stuck_rank *first = NULL;

	for (uint32_t i = 0; i < count; i++) {
		if (ranks[i].lacked)
			return true;
		if (!ranks[i].stuck)
			continue;
		if (first && !is_same_place(first, &ranks[i]))
			return true;
		first = first ? first : &ranks[i];
	}
	return all_receive(first);
}

uint32_t stuck_find(struct stuck_rank *ranks, uint32_t count, uint32_t world)
{
	uint32_t left = 0;
	bool more = true;

	for (uint32_t i = 0; i < count; i++)
		ranks[i].stuck = ranks[i].state == RANK_WAITS;
	while (more) {
		more = false;
		for (uint32_t i = 0; i < count; i++)
			if (ranks[i].stuck && has_way_out(ranks, count, world, &ranks[i])) {
				ranks[i].stuck = false;
				more = true;
			}
	}
	for (uint32_t i = 0; i < count; i++) {
		left += ranks[i].stuck;
		if (ranks[i].stuck)
			mark_lacked(ranks, count, &ranks[i]);
	}
	return left && differ(ranks, count) ? left : 0;
}

bool stuck_is_certain(const struct stuck_rank *ranks, uint32_t count)
{
	bool lacked = false;

	for (uint32_t i = 0; i < count; i++) {
		if (ranks[i].stuck && collective_is_work(ranks[i].in))
			return false;
		lacked |= ranks[i].lacked;
	}
	return lacked;
}

/* ---- words ---- */

/* Whether both are told in one group; an own group for one that is not told at all. */
static bool is_in_group(const struct stuck_rank *one, const struct stuck_rank *other)
{
	if (one->stuck || other->stuck)
		return one->stuck && other->stuck && is_same_place(one, other);
	return one->lacked && other->lacked && !strcmp(one->what, other->what);
}

/* The first rank of each rank's group. */
static uint32_t *leaders_of(const struct stuck_rank *ranks, uint32_t count)
{
	uint32_t *leader = memory_get((count + 1) * sizeof(*leader));

	for (uint32_t i = 0; i < count; i++) {
		uint32_t first = 0;

		while (first < i &&
		       (leader[first] != first || !is_in_group(&ranks[first], &ranks[i])))
			first++;
		leader[i] = first;
	}
	return leader;
}

static char *group_numbers(const struct stuck_rank *ranks, uint32_t count, const uint32_t *leader,
			   uint32_t of, uint32_t size)
{
	AUTO_FREE uint32_t *number = memory_get(size * sizeof(*number));
	uint32_t used = 0;

	for (uint32_t i = 0; i < count; i++)
		if (leader[i] == of)
			number[used++] = ranks[i].number;
	return numbers_text(number, size);
}

static char *add_group(char *text, const struct stuck_rank *ranks, uint32_t count,
		       const uint32_t *leader, uint32_t of, uint32_t size)
{
	const struct stuck_rank *one = &ranks[of];
	char *rest;

	text = text_join(text, "; ", group_numbers(ranks, count, leader, of, size));
	if (!one->stuck)
		rest = text_copy(one->what);
	else if (*one->in->place)
		rest = text_format("%s in %s (%s)", size > 1 ? "wait" : "waits", one->in->name,
				   one->in->place);
	else
		rest = text_format("%s in %s", size > 1 ? "wait" : "waits", one->in->name);
	return text_join(text, " ", rest);
}

/* The largest group that is left, of those that wait or the others; `count`: none. */
static uint32_t next_group(const struct stuck_rank *ranks, uint32_t count, const uint32_t *size,
			   bool waits)
{
	uint32_t best = count;

	for (uint32_t i = 0; i < count; i++)
		if (size[i] && ranks[i].stuck == waits && (waits || ranks[i].lacked) &&
		    (best == count || size[i] > size[best]))
			best = i;
	return best;
}

char *stuck_text(const struct stuck_rank *ranks, uint32_t count)
{
	AUTO_FREE uint32_t *leader = leaders_of(ranks, count),
			   *size = memory_get((count + 1) * sizeof(*size));
	uint32_t at;
	char *text = text_copy("");

	for (uint32_t i = 0; i < count; i++)
		size[leader[i]]++;
	for (int waits = 1; waits >= 0; waits--)
		while ((at = next_group(ranks, count, size, waits == 1)) < count) {
			text = add_group(text, ranks, count, leader, at, size[at]);
			size[at] = 0;
		}
	return text;
}
