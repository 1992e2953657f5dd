/* One exception in the world of story_deadlock.h, before its deadlock. */
#ifndef STORY_RAISED_H
#define STORY_RAISED_H

#include "story_deadlock.h"

static struct story_record raised_record;
static struct fact_event raised;

static inline struct ev_exception *raises(enum mpsan_exception_where where)
{
	raised = story_event(&raised_record, PARENT, EV_exception, &world.process[PARENT], 0,
			     11 * SECOND);
	raised_record.head.tid = WORKER;
	world.facts.events = &raised;
	world.facts.event_count = 1;
	((struct ev_exception *)raised_record.fields)->where = where;
	return (struct ev_exception *)raised_record.fields;
}

#endif
