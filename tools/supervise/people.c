/* See people.h. */
#include "people.h"

#include "../facts/people.h"

void people_init(struct people *people, struct knots *knots)
{
	*people = (struct people){.knots = knots};
	crowd_init(&people->crowd, knots->reader, &knots->census);
	load_init(&people->load, &people->crowd);
	bound_init(&people->bound, &people->crowd);
	growth_init(&people->growth, &people->crowd);
	unnoticed_init(&people->unnoticed, &people->crowd, &knots->waits);
	heeded_init(&people->heeded, &people->crowd);
}

void people_look(struct people *people)
{
	struct watchlog *log = &people->knots->log;

	if (people->seen_ns == people->knots->census.now_ns)
		return;
	people->seen_ns = people->knots->census.now_ns;
	crowd_take(&people->crowd);
	load_look(&people->load);
	bound_look(&people->bound, log);
	growth_look(&people->growth);
	unnoticed_look(&people->unnoticed, log);
	heeded_look(&people->heeded, log);
}

void people_finish(struct people *people)
{
	struct watchlog *log = &people->knots->log;

	load_finish(&people->load, log);
	growth_finish(&people->growth, log);
	bound_finish(&people->bound);
	unnoticed_finish(&people->unnoticed);
	heeded_finish(&people->heeded, log);
	crowd_finish(&people->crowd);
}

#define BIRTH_NS 300000000ull /* a child says that it is there sooner than this after its fork */

static bool awaits_birth(const struct reader *reader)
{
	const struct facts *facts = &reader->facts;

	for (uint32_t i = facts->fork_count;
	     i-- > 0 && facts->forks[i].at.time_ns + BIRTH_NS > reader->now_ns;)
		if (facts->forks[i].child == FACT_NONE && fact_how_copies(facts->forks[i].ev.how))
			return true;
	return false;
}

bool people_are_open(const struct reader *reader)
{
	if (awaits_birth(reader))
		return true;
	READER_EACH_SLOT(reader, slot) {
		uint64_t left_ns =
			reader->processes[slot].gone ? 0 : people_left_ns(&reader->facts, slot);

		if (left_ns && reader->now_ns <= left_ns)
			return true;
	}
	return false;
}
