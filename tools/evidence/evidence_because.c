/* SPDX-License-Identifier: Apache-2.0 */
/* Tells the exception that caused a wait, and others before it. */
#include "evidence_because.h"

#include <stdlib.h>
#include <string.h>

#include "../base/headline.h"
#include "../base/jsontext.h"
#include "../facts/exceptions.h"
#include "../facts/processes.h"
#include "../rules/because.h"
#include "../rules/dead_ends.h"
#include "../rules/deadlock.h"
#include "../symbols/frame.h"
#include "../symbols/raised.h"
#include "text_process.h"

#define OTHERS_MAX 4u

/* A process that said where it ended has recorded why, too. */
static void replace_end(const struct facts *facts, struct finding *finding)
{
	const struct fact_event *event = &facts->events[finding->cause - 1];
	uint32_t exception = event->type == EV_left ? exception_of_process(facts, event->by) :
						      FACT_NONE;

	if (exception != FACT_NONE)
		finding->cause = exception + 1;
}

/* The main module of a child that the waiter has forked is its worker. */
static uint64_t where_for(const struct facts *facts, const struct fact_deadlock *deadlock,
			  uint32_t event)
{
	uint64_t where = exception_where(facts, event);
	const struct fact_blocked *first = deadlock_subject(facts, deadlock);

	return where == MPSAN_WHERE_MAIN && first &&
			       process_parent(facts, facts->events[event].by) == first->at.by ?
		       MPSAN_WHERE_WORKER :
		       where;
}

struct finding because_of(const struct facts *facts, const struct finding *told)
{
	const struct fact_deadlock *deadlock;
	struct finding finding = *told;
	uint32_t event;

	if (finding.cause)
		replace_end(facts, &finding);
	if (finding.cause || finding.deadlock - 1 >= facts->deadlock_count)
		return finding;
	deadlock = &facts->deadlocks[finding.deadlock - 1];
	event = because_process(
		facts, deadlock,
		deadlock_lost_sender(facts, deadlock, deadlock_subject(facts, deadlock)));
	if (event == FACT_NONE)
		event = because_thread(facts, deadlock);
	if (event == FACT_NONE)
		event = because_item(facts, deadlock);
	if (event == FACT_NONE)
		return finding;
	finding.cause = event + 1;
	finding.fix = because_fix(where_for(facts, deadlock, event));
	return finding;
}

/* What ended, by what; with marks (headline.h). */
static char *story_text(const struct evidence_context *ctx, uint32_t event,
			const struct callsite *callsite)
{
	const struct fact_event *fact = &ctx->reader->facts.events[event];
	AUTO_FREE char *what = exception_text(ctx->reader, event, callsite->where),
		       *actor = callsite_actor(callsite),
		       *process = process_text(ctx->reader, fact->by);

	switch (EVENT_AS(fact, exception)->where) {
	case MPSAN_WHERE_FEEDER:
		return text_format("%ca queue's feeder thread in %c%s dropped an item for %s",
				   HEADLINE_OPEN, HEADLINE_SHUT, process, what);
	case MPSAN_WHERE_THREAD:
		return text_format("%s of %s ended by %s", actor ? actor : "a thread", process,
				   what);
	case MPSAN_WHERE_PANIC:
		return text_format("%s of %s had %s", actor ? actor : "a thread", process, what);
	case MPSAN_WHERE_ABORT:
	case MPSAN_WHERE_TERMINATE:
		return text_format("%s aborted: %s", process, what);
	case MPSAN_WHERE_OTHER:
		return text_format("%s of %s handled %s, and ended", actor ? actor : "a thread",
				   process, what);
	case MPSAN_WHERE_TASK:
		return text_format("a task in %s ended by %s", process, what);
	case MPSAN_WHERE_MAIN: /* the process may wait at its end */
		return text_format("the main module of %s ended by %s", process, what);
	default:
		return text_format("%s ended by %s", process, what);
	}
}

static const char *cause_kind(const struct facts *facts, uint32_t event)
{
	uint64_t where = exception_where(facts, event);

	return where == MPSAN_WHERE_FEEDER	? "dropped" :
	       where == MPSAN_WHERE_PANIC	? "panic" :
	       exception_is_abort(facts, event) ? "abort" :
						  "exception";
}

static void set_cause(const struct evidence_context *ctx, json_t *object, const char *kind,
		      json_t *type, json_t *text, uint32_t slot, uint32_t tid, json_t *python)
{
	json_object_set_new(object, "cause",
			    json_pack("{s:s, s:O, s:O, s:I, s:I, s:O}", "kind", kind, "type", type,
				      "text", text, "pid",
				      (json_int_t)ctx->reader->session.table[slot].pid, "tid",
				      (json_int_t)tid, "python", python));
}

static void set_raised(const struct evidence_context *ctx, uint32_t event,
		       const struct callsite *causer, json_t *object)
{
	const struct fact_event *fact = &ctx->reader->facts.events[event];
	const struct ev_exception *ev = EVENT_AS(fact, exception);
	json_auto_t *type = jsontext_of(reader_text(ctx->reader, fact->slot, ev->type)),
		    *text = jsontext_of(reader_text(ctx->reader, fact->slot, ev->text));

	set_cause(ctx, object, cause_kind(&ctx->reader->facts, event), type, text, fact->by,
		  causer->tid, causer->python);
}

static bool is_part(const struct facts *facts, const struct fact_deadlock *deadlock, uint32_t slot)
{
	for (uint32_t i = deadlock->begin; i < deadlock->end && i < facts->blocked_count; i++)
		if (facts->blockeds[i].at.by == slot ||
		    process_parent(facts, slot) == facts->blockeds[i].at.by)
			return true;
	return false;
}

/* Whether code of a library caught it, which may do so in a healthy program: it handles it in the traceback's outermost frame. */
static bool is_caught_by_library(const struct fact_event *fact, const struct callsite *callsite)
{
	size_t count = json_array_size(callsite->python);

	return EVENT_AS(fact, exception)->where == MPSAN_WHERE_OTHER && count &&
	       frame_distance(json_array_get(callsite->python, count - 1));
}

/* Whether it was told. */
static bool add_other(const struct evidence_context *ctx, uint32_t event, json_t *steps)
{
	const struct fact_event *fact = &ctx->reader->facts.events[event];
	struct fact_place at = reader_event_place(ctx->reader, fact);
	struct callsite callsite;
	bool told;

	callsite_init(ctx, &callsite, &at, at.tid, EVENT_AS(fact, exception)->stack,
		      EVENT_AS(fact, exception)->python);
	callsite_locate(ctx, &callsite, EVENT_AS(fact, exception)->caller, true);
	told = !is_caught_by_library(fact, &callsite);
	if (told) {
		AUTO_FREE char *marked = story_text(ctx, event, &callsite),
			       *story = headline_whole(marked);
		AUTO_FREE char *text = text_format("failed before: %s", story);

		json_array_append_new(steps,
				      callsite_step(ctx, &callsite, STEP_CAUSE, jsontext_of(text)));
	}
	callsite_finish(&callsite);
	return told;
}

/* Appends those of processes of the deadlock that are not its cause, until there are OTHERS_MAX; `caught`: by the program. */
static uint32_t add_others(const struct evidence_context *ctx, const struct finding *finding,
			   json_t *steps, bool caught, uint32_t told)
{
	const struct facts *facts = &ctx->reader->facts;
	const struct fact_deadlock *deadlock = &facts->deadlocks[finding->deadlock - 1];

	for (uint32_t slot = 0; slot < facts->process_count; slot++) {
		uint32_t event = FACT_NONE;

		if (!is_part(facts, deadlock, slot))
			continue;
		while (told < OTHERS_MAX) {
			event = caught ? fact_event_of(facts, slot, EV_exception, event) :
					 exception_before(facts, slot, event);
			if (event == FACT_NONE)
				break;
			if (event + 1 == finding->cause ||
			    event_time(&facts->events[event]) > deadlock->at.time_ns ||
			    (caught && !because_gave_up(facts, deadlock, event)))
				continue;
			told += add_other(ctx, event, steps);
		}
	}
	return told;
}

/* The exception that the waiter is handling. */
static void set_handled(const struct evidence_context *ctx, const struct callsite *waiter,
			json_t *object)
{
	set_cause(ctx, object, "exception", json_object_get(waiter->handling, "type"),
		  json_object_get(waiter->handling, "text"), waiter->at->by, waiter->tid,
		  json_object_get(waiter->handling, "raised"));
}

/* Whether the place of the wait says so already: the waiter is that main thread, whose module it has ended. */
static bool is_waiters(const struct facts *facts, uint32_t event, const struct callsite *waiter)
{
	return waiter->handling && exception_where(facts, event) == MPSAN_WHERE_MAIN &&
	       facts->events[event].by == waiter->at->by &&
	       event_tid(&facts->events[event]) == waiter->tid;
}

#define FIX_FAILED                                                                                                                 \
	"mend what raised the exception; ask each task and Future for its result, or give it a done callback, so that those that " \
	"wait for what it was to do learn of its failure"

/* What is told of the waiter is a fix of its own for all but what it handles: that may be handled well. */
static const char *waiters_fix(const struct callsite *waiter)
{
	const char *how = waiter->handling ? jsontext_at(waiter->handling, "how") : "";

	return !strcmp(how, "ended")  ? because_fix(MPSAN_WHERE_MAIN) :
	       !strcmp(how, "failed") ? FIX_FAILED :
					NULL;
}

/* Where no event is the cause: what the waiter cleans up after, or what ended its main module, or that nobody has seen one. */
static void tell_waiters(const struct evidence_context *ctx, const struct finding *finding,
			 const struct callsite *waiter, json_t *object)
{
	const struct facts *facts = &ctx->reader->facts;
	const struct fact_deadlock *deadlock = &facts->deadlocks[finding->deadlock - 1];
	const char *own = finding->process ? NULL : waiters_fix(waiter);
	AUTO_FREE char *text =
		own ? callsite_fix(ctx, waiter, own) :
		      text_format("%s%s",
				  because_fix_first(facts, finding, dead_end_last(facts, deadlock)),
				  jsontext_at(object, "fix"));

	json_object_set_new(object, "fix", jsontext_of(text));
	if (waiter->handling && (own || deadlock_subject(facts, deadlock)->ev.cleans))
		set_handled(ctx, waiter, object);
}

/* The cause is why the wait never ends. */
static void set_message(json_t *object, const char *story, const char *marked)
{
	AUTO_FREE char *why = headline_fit(marked, HEADLINE_REST),
		       *message = text_format("%s, and %s", story, jsontext_at(object, "message"));

	json_object_set_new(object, "message", jsontext_of(message));
	json_object_set_new(object, "why", jsontext_of(why));
}

/* Where the place of the wait had no room for it: what the waiter handles comes before why the wait never ends. */
static void tell_handled(const struct callsite *waiter, json_t *object)
{
	const char *type = waiter->handling ? jsontext_at(waiter->handling, "type") : "",
		   *why = jsontext_at(object, "why");
	AUTO_FREE char *handled = NULL, *both = NULL, *fitted = NULL;

	if (!*type || strstr(jsontext_at(object, "what"), type) || strstr(why, type))
		return;
	handled = raised_text(waiter->handling);
	both = text_format("%s%s%s", handled + strspn(handled, " "), *why ? ": " : "", why);
	fitted = headline_fit(headline_columns(both) <= HEADLINE_REST ? both : handled,
			      HEADLINE_REST);
	json_object_set_new(object, "why", jsontext_of(fitted));
}

/* Puts the step of the cause first; the end of its process, which has the same in it, gets its frames instead. */
static void put_first(json_t *steps, json_t *cause)
{
	json_t *first = json_array_get(steps, 0);

	if (strcmp(jsontext_at(first, "role"), "end") != 0 ||
	    jsontext_number(first, "pid") != jsontext_number(cause, "pid")) {
		json_array_insert_new(steps, 0, cause);
		return;
	}
	json_object_set(first, "at", json_object_get(cause, "at"));
	json_object_set(first, "stack", json_object_get(cause, "stack"));
	json_object_set(first, "python", json_object_get(cause, "python"));
	json_decref(cause);
}

void because_tell(const struct evidence_context *ctx, const struct finding *finding,
		  const struct callsite *causer, const struct callsite *waiter, json_t *object)
{
	const struct facts *facts = &ctx->reader->facts;
	json_t *steps = json_object_get(object, "evidence");
	bool raised = finding->cause && facts->events[finding->cause - 1].type == EV_exception;
	uint32_t told;

	if (raised)
		set_raised(ctx, finding->cause - 1, causer, object);
	if (finding->deadlock - 1 >= facts->deadlock_count)
		return;
	if (!finding->cause)
		tell_waiters(ctx, finding, waiter, object);
	tell_handled(waiter, object);
	if (raised && !finding->process) { /* else the message has its end */
		AUTO_FREE char *marked = story_text(ctx, finding->cause - 1, causer),
			       *story = headline_whole(marked);

		if (!is_waiters(facts, finding->cause - 1, waiter))
			set_message(object, story, marked);
		put_first(steps, callsite_step(ctx, causer, STEP_CAUSE, jsontext_of(story)));
	}
	told = add_others(ctx, finding, steps, false, 0);
	add_others(ctx, finding, steps, true, told);
}
