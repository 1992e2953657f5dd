/*
 * cow-growth: a forked worker begins with its parent's memory at no cost, and pays for each page that either
 * of them writes to. Python writes to an object whenever it looks at it: it counts references there.
 */
#include <stddef.h>

#include "../core/people.h"

#define WARNING_BYTES (64ull << 20) /* in one worker: the interpreter and its modules take less */
#define NOTE_BYTES (16ull << 20) /* in all of a place */
#define SITES 64u /* places that fork; what comes beyond takes the place of another */

static const struct tale tale = {
	"workers forked at {fork_at} copied {amount_bytes} of the memory that they shared with process {parent}, "
	"because they or it wrote to it; what they allocated themselves is not counted",
	{{STEP_FORK, "{forker} of process {parent} called {how}"}},
};

/* Forks of one process at one place. */
struct site {
	uint32_t by, fork;
	uint64_t place;
	uint64_t copied, most; /* in all, and in one child */
	uint32_t act; /* of the child that copied most + 1 */
};

static void tell(const struct moment *moment, struct findings *out, const struct site *site)
{
	if (site->copied < NOTE_BYTES)
		return;
	finding_add(
		out, moment,
		(struct finding){.rule = RULE_cow_growth,
				 .grade = site->most < WARNING_BYTES ? GRADE_NOTE : GRADE_WARNING,
				 .tale = &tale,
				 .fork = site->fork,
				 .held = FACT_NONE,
				 .cause = site->act,
				 .amount = site->copied});
}

/* Where a process forked: the library writes equal frames and equal stacks once. */
static uint64_t place_of(const struct fact_fork *fork)
{
	return fork->ev.python ? fork->ev.python : fork->ev.stack;
}

static bool is_newest(const struct facts *facts, uint32_t index)
{
	return fact_act_of(facts, facts->acts[index].at.by, EV_growth, FACT_NONE) == index;
}

static void add(const struct facts *facts, struct site *site, uint32_t index)
{
	uint64_t copied = ACT_AS(&facts->acts[index], growth)->copied;

	site->copied += copied;
	if (site->act && copied <= site->most)
		return;
	site->most = copied;
	site->act = index + 1;
}

void rule_cow_growth(const struct facts *facts, const struct moment *moment, struct findings *out)
{
	struct site sites[SITES] = {0};

	for (uint32_t i = 0; i < facts->act_count; i++) {
		uint32_t fork = facts->acts[i].type == EV_growth && is_newest(facts, i) ?
					people_fork(facts, facts->acts[i].at.by) :
					FACT_NONE;
		const struct fact_fork *from = fork == FACT_NONE ? NULL : &facts->forks[fork];
		struct site *site;

		if (!from)
			continue;
		site = &sites[(from->at.by + place_of(from) / MPSAN_UNIT) % SITES];
		if (site->act && (site->by != from->at.by || site->place != place_of(from))) {
			tell(moment, out, site);
			site->act = 0;
		}
		if (!site->act)
			*site = (struct site){
				.by = from->at.by, .fork = fork, .place = place_of(from)};
		add(facts, site, i);
	}
	for (uint32_t i = 0; i < SITES; i++)
		tell(moment, out, &sites[i]);
}
