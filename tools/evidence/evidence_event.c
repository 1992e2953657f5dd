/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps and arguments of findings about events that carry all their facts, and about ends of
 * processes.
 */
#include "evidence_event.h"

#include <string.h>

#include "../facts/exceptions.h"
#include "../facts/processes.h"
#include "../reader/fields.h"
#include "args.h"
#include "evidence_shm.h"
#include "steps/dead_owner.h"
#include "text_cuda.h"
#include "text_process.h"

uint64_t event_field(const struct fact_event *event, const char *name)
{
	const struct field *fields = event_fields(event->type);

	for (uint32_t i = 0; fields && fields[i].name; i++)
		if (!strcmp(fields[i].name, name))
			return event_payload(event)[i];
	return 0;
}

static void set_callsite(const struct event_subjects *subjects, struct callsite *callsite,
			 const struct fact_event *event, struct fact_place *at)
{
	*at = reader_event_place(subjects->ctx->reader, event);
	callsite_init(subjects->ctx, callsite, at, at->tid, event_field(event, "stack"),
		      event_field(event, "python"));
	/* A fault is often inside a libc function: the caller says more. */
	callsite_locate(subjects->ctx, callsite,
			event->type == EV_fault ? 0 : event_field(event, "caller"), true);
}

static void set_ended(struct event_subjects *subjects, uint32_t slot)
{
	const struct fact_process *process = &subjects->facts->processes[slot];
	uint32_t event;

	subjects->end = (struct fact_place){.slot = slot,
					    .by = slot,
					    .tid = process->slot->pid,
					    .time_ns = process->gone ? process->gone_ns :
								       subjects->facts->now_ns};
	event = exception_of_process(subjects->facts, slot);
	if (event != FACT_NONE && exception_is_abort(subjects->facts, event))
		set_callsite(subjects, &subjects->ended, &subjects->facts->events[event],
			     &subjects->end);
	else
		callsite_init(subjects->ctx, &subjects->ended, &subjects->end, subjects->end.tid, 0,
			      0);
}

bool event_gather(struct event_subjects *subjects, const struct evidence_context *ctx,
		  const struct finding *finding)
{
	const struct facts *facts = &ctx->reader->facts;

	*subjects = (struct event_subjects){.ctx = ctx, .facts = facts, .finding = finding};
	if (finding->trigger.kind == TRIGGER_EVENT) {
		subjects->event = &facts->events[finding->trigger.index];
		set_callsite(subjects, &subjects->doer, subjects->event, &subjects->event_at);
	}
	if (finding->cause) {
		subjects->cause = &facts->events[finding->cause - 1];
		set_callsite(subjects, &subjects->causer, subjects->cause, &subjects->cause_at);
	}
	if (finding->process)
		set_ended(subjects, finding->process - 1);
	if (finding->segment)
		shm_maker_callsite(subjects, &subjects->maker, &subjects->made_at);
	return subjects->event || subjects->cause || finding->process || subjects->maker.at;
}

void event_finish(struct event_subjects *subjects)
{
	callsite_finish(&subjects->doer);
	callsite_finish(&subjects->causer);
	callsite_finish(&subjects->ended);
	callsite_finish(&subjects->maker);
}

const struct callsite *event_main(const struct event_subjects *subjects)
{
	return subjects->event		  ? &subjects->doer :
	       subjects->cause		  ? &subjects->causer :
	       subjects->finding->process ? &subjects->ended :
					    &subjects->maker;
}

static char *value_text(const struct event_subjects *subjects, const struct fact_event *event,
			const struct field *field, uint64_t value)
{
	const char *text;

	if (!strcmp(field->name, "bytes") || !strcmp(field->name, "copied") ||
	    !strcmp(field->name, "total") || !strcmp(field->name, "resident") ||
	    !strcmp(field->name, "inherited"))
		return bytes_text(value);
	switch (field->format) {
	case FORMAT_POS:
		text = reader_text(subjects->ctx->reader, event->slot, value);
		return text ? text_copy(text) : NULL;
	case FORMAT_TIME:
		return duration_text(value);
	case FORMAT_HEX:
	case FORMAT_CODE:
		return text_format("0x%llx", (unsigned long long)value);
	default:
		return text_format("%llu", (unsigned long long)value);
	}
}

static void set_fields(const struct event_subjects *subjects, const struct fact_event *event,
		       const char *prefix, json_t *args)
{
	const struct field *field = event_fields(event->type);

	for (uint32_t i = 0; field->name; i++, field++) {
		if (!strcmp(field->name, "stack") || !strcmp(field->name, "python"))
			continue;
		args_set_field(args, prefix, field->name,
			       value_text(subjects, event, field, event_payload(event)[i]));
	}
}

/* Sets the arguments about the process's parent, and the workers that it left behind. */
static void parent_args(const struct reader *reader, uint32_t slot, json_t *args)
{
	uint32_t parent = process_parent(&reader->facts, slot);
	bool known = parent != FACT_NONE;

	args_set(args, ARG_parent_process, known ? process_text(reader, parent) : NULL);
	args_set(args, ARG_parent_end, known ? process_end_text(reader, parent, NULL) : NULL);
	args_set(args, ARG_left_behind, process_left_text(reader, slot));
}

void event_args(const struct event_subjects *subjects, json_t *args)
{
	const struct reader *reader = subjects->ctx->reader;

	if (subjects->event) {
		set_fields(subjects, subjects->event, "", args);
		args_set(args, ARG_who, process_text(reader, subjects->event->by));
		args_set(args, ARG_at, callsite_where(&subjects->doer));
		if (subjects->event->type == EV_exception)
			args_set(args, ARG_exception,
				 exception_text(reader, subjects->finding->trigger.index,
						subjects->doer.where));
	}
	if (subjects->cause) {
		set_fields(subjects, subjects->cause, ARGS_OF_CAUSE, args);
		args_set(args, ARG_cause_who, process_text(reader, subjects->cause->by));
		args_set(args, ARG_cause_at, callsite_where(&subjects->causer));
		if (subjects->cause->type == EV_exception)
			args_set(args, ARG_cause_exception,
				 exception_text(reader, subjects->finding->cause - 1,
						subjects->causer.where));
	}
	if (subjects->finding->process) {
		args_set(args, ARG_process, process_text(reader, subjects->finding->process - 1));
		args_set(args, ARG_end,
			 process_end_marked(reader, subjects->finding->process - 1,
					    subjects->ended.where));
		args_set(args, ARG_ended_by,
			 ended_by_text(subjects->ctx, subjects->finding->process - 1));
		parent_args(reader, subjects->finding->process - 1, args);
	}
	args_set(args, ARG_amount,
		 text_format("%llu", (unsigned long long)subjects->finding->amount));
	args_set(args, ARG_amount_bytes, bytes_text(subjects->finding->amount));
	if (subjects->facts->shm.links)
		shm_args(subjects, args);
}

const struct callsite *event_callsite(const struct event_subjects *subjects, enum step_role role)
{
	switch (role) {
	case STEP_EVENT:
		return subjects->event ? &subjects->doer : NULL;
	case STEP_CAUSE:
		return subjects->cause ? &subjects->causer : NULL;
	case STEP_ENDED:
		return subjects->finding->process ? &subjects->ended : NULL;
	case STEP_MAKER:
		return subjects->maker.at ? &subjects->maker : NULL;
	default:
		return NULL;
	}
}

/* The script that a process runs, without its folder; NULL: none, or unknown. */
static char *script_of(const struct mpsan_process *process)
{
	uint32_t most = process->argv_bytes < MPSAN_ARGV_BYTES ? process->argv_bytes :
								 MPSAN_ARGV_BYTES;
	const char *end = process->argv + most, *word = process->argv, *next;

	for (; word < end && (next = memchr(word, '\0', (size_t)(end - word))); word = next + 1) {
		const char *folder = strrchr(word, '/');

		if (next - word > 3 && !strcmp(next - 3, ".py"))
			return text_copy(folder ? folder + 1 : word);
	}
	return NULL;
}

/* A feeder has no frames of the program, so the process's name, without its number, and the script count. */
static void hash_feeder(const struct event_subjects *subjects, const struct fact_event *event,
			uint64_t *hash)
{
	AUTO_FREE char *name = process_given_name(subjects->ctx->reader, event->by), *script = NULL;
	uint32_t slot = event->by;

	if (name)
		name[strcspn(name, "0123456789")] = '\0';
	for (uint32_t up = 0; !script && slot < subjects->facts->process_count && up < 8; up++) {
		script = script_of(subjects->facts->processes[slot].slot);
		slot = process_parent(subjects->facts, slot);
	}
	callsite_hash_text(hash, name);
	callsite_hash_text(hash, script);
}

static void hash_event(const struct event_subjects *subjects, const struct fact_event *event,
		       const struct callsite *callsite, uint64_t *hash)
{
	callsite_hash(hash, callsite);
	if (event->type == EV_exception && EVENT_AS(event, exception)->where == MPSAN_WHERE_FEEDER)
		hash_feeder(subjects, event, hash);
}

void event_hash(const struct event_subjects *subjects, uint64_t *hash)
{
	if (subjects->event)
		hash_event(subjects, subjects->event, &subjects->doer, hash);
	if (subjects->cause)
		hash_event(subjects, subjects->cause, &subjects->causer, hash);
	if (subjects->maker.at)
		callsite_hash(hash, &subjects->maker);
}
