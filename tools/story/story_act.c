/* See story_event.h. */
#include "story_act.h"

#include <stdlib.h>
#include <string.h>

#include "../facts/processes.h"
#include "../reader/fields.h"
#include "text_cuda.h"
#include "text_process.h"
#include "story_shm.h"
#include "args.h"

uint64_t event_field(const struct fact_event *event, const char *name)
{
	const struct field *fields = event_fields(event->type);

	for (uint32_t i = 0; fields && fields[i].name; i++)
		if (!strcmp(fields[i].name, name))
			return event->field[i];
	return 0;
}

static void set_callsite(const struct event_cast *cast, struct callsite *callsite,
			 const struct fact_event *event)
{
	callsite_init(cast->teller, callsite, &event->at, event->at.tid,
		      event_field(event, "stack"), event_field(event, "python"));
	/* A fault is often inside a function of libc: whose code it works for says more. */
	callsite_locate(cast->teller, callsite,
			event->type == EV_fault ? 0 : event_field(event, "caller"), true);
}

static void set_ended(struct event_cast *cast, uint32_t slot)
{
	const struct fact_process *process = &cast->facts->processes[slot];

	cast->end = (struct fact_place){.slot = slot,
					.by = slot,
					.tid = process->slot->pid,
					.time_ns = process->gone ? process->gone_ns :
								   cast->facts->now_ns};
	callsite_init(cast->teller, &cast->ended, &cast->end, cast->end.tid, 0, 0);
}

bool event_gather(struct event_cast *cast, const struct teller *teller,
		  const struct finding *finding)
{
	const struct facts *facts = &teller->reader->facts;

	*cast = (struct event_cast){.teller = teller, .facts = facts, .finding = finding};
	if (finding->trigger.kind == TRIGGER_EVENT) {
		cast->event = &facts->events[finding->trigger.index];
		set_callsite(cast, &cast->doer, cast->event);
	}
	if (finding->cause) {
		cast->cause = &facts->events[finding->cause - 1];
		set_callsite(cast, &cast->causer, cast->cause);
	}
	if (finding->process)
		set_ended(cast, finding->process - 1);
	if (finding->segment)
		shm_maker_callsite(cast, &cast->maker);
	return cast->event || cast->cause || finding->process || cast->maker.at;
}

void event_finish(struct event_cast *cast)
{
	callsite_finish(&cast->doer);
	callsite_finish(&cast->causer);
	callsite_finish(&cast->ended);
	callsite_finish(&cast->maker);
}

const struct callsite *event_main(const struct event_cast *cast)
{
	return cast->event	      ? &cast->doer :
	       cast->cause	      ? &cast->causer :
	       cast->finding->process ? &cast->ended :
					&cast->maker;
}

static char *value_text(const struct event_cast *cast, const struct fact_event *event,
			const struct field *field, uint64_t value)
{
	const char *text;

	if (!strcmp(field->name, "bytes") || !strcmp(field->name, "copied") ||
	    !strcmp(field->name, "total") || !strcmp(field->name, "resident") ||
	    !strcmp(field->name, "inherited"))
		return bytes_text(value);
	switch (field->format) {
	case POS:
		text = reader_text(cast->teller->reader, event->at.slot, value);
		return text ? text_copy(text) : NULL;
	case TIME:
		return duration_text(value);
	case HEX:
	case CODE:
		return text_format("0x%llx", (unsigned long long)value);
	default:
		return text_format("%llu", (unsigned long long)value);
	}
}

static void set_fields(const struct event_cast *cast, const struct fact_event *event,
		       const char *prefix, json_t *words)
{
	const struct field *field = event_fields(event->type);

	for (uint32_t i = 0; field->name; i++, field++) {
		char *name;

		if (!strcmp(field->name, "stack") || !strcmp(field->name, "python"))
			continue;
		name = text_format("%s%s", prefix, field->name);
		args_set(words, name, value_text(cast, event, field, event->field[i]));
		free(name);
	}
}

static void set_actor(const struct event_cast *cast, const struct fact_event *event,
		      const struct callsite *callsite, const char *prefix, json_t *words)
{
	char *who = text_format("%swho", prefix), *at = text_format("%sat", prefix);

	args_set(words, who, process_text(cast->teller->reader, event->at.by));
	args_set(words, at, text_copy(callsite->where ? callsite->where : "an unknown place"));
	free(who);
	free(at);
}

/* Who made a process, and whom that process left behind. */
static void parent_words(const struct reader *reader, uint32_t slot, json_t *words)
{
	uint32_t parent = process_parent(&reader->facts, slot);
	bool known = parent != FACT_NONE;

	args_set(words, "parent_process", known ? process_text(reader, parent) : NULL);
	args_set(words, "parent_end", known ? process_end_text(reader, parent) : NULL);
	args_set(words, "left_behind", process_left_text(reader, slot));
}

void event_words(const struct event_cast *cast, json_t *words)
{
	const struct reader *reader = cast->teller->reader;

	if (cast->event) {
		set_fields(cast, cast->event, "", words);
		set_actor(cast, cast->event, &cast->doer, "", words);
	}
	if (cast->cause) {
		set_fields(cast, cast->cause, "cause_", words);
		set_actor(cast, cast->cause, &cast->causer, "cause_", words);
	}
	if (cast->finding->process) {
		args_set(words, "process", process_text(reader, cast->finding->process - 1));
		args_set(words, "end", process_end_text(reader, cast->finding->process - 1));
		parent_words(reader, cast->finding->process - 1, words);
	}
	args_set(words, "amount", text_format("%llu", (unsigned long long)cast->finding->amount));
	args_set(words, "amount_bytes", bytes_text(cast->finding->amount));
	if (cast->facts->shm.links)
		shm_words(cast, words);
}

const struct callsite *event_callsite(const struct event_cast *cast, enum step_role role)
{
	switch (role) {
	case STEP_EVENT:
		return cast->event ? &cast->doer : NULL;
	case STEP_CAUSE:
		return cast->cause ? &cast->causer : NULL;
	case STEP_ENDED:
		return cast->finding->process ? &cast->ended : NULL;
	case STEP_MAKER:
		return cast->maker.at ? &cast->maker : NULL;
	default:
		return NULL;
	}
}

void event_hash(const struct event_cast *cast, uint64_t *hash)
{
	if (cast->event)
		callsite_hash(hash, &cast->doer);
	if (cast->cause)
		callsite_hash(hash, &cast->causer);
	if (cast->maker.at)
		callsite_hash(hash, &cast->maker);
}
