/* SPDX-License-Identifier: Apache-2.0 */
/* Steps and arguments of findings about CUDA. */
#include "evidence_cuda.h"

#include <stdlib.h>
#include <string.h>

#include "../base/jsontext.h"
#include "args.h"
#include "text_cuda.h"

#define CONSUMERS_TOLD 4u /* named, with a step each; the others are counted */

static const struct mpsan_process *process_of(const struct cuda_subjects *subjects, uint32_t slot)
{
	return subjects->facts->processes[slot].slot;
}

static void set_callsite(const struct cuda_subjects *subjects, struct callsite *callsite,
			 const struct fact_place *at, uint64_t stack, uint64_t python,
			 uint64_t caller)
{
	callsite_init(subjects->ctx, callsite, at, at->tid, stack, python);
	callsite_locate(subjects->ctx, callsite, caller, true);
}

/* Stacks of an allocation that the library exported are in its owner's log. */
static void set_exporter(struct cuda_subjects *subjects)
{
	const struct ipc_piece *piece = subjects->piece;
	const struct ev_ipc_open *ev;

	if (piece->by_export) {
		const struct ipc_export *export =
			&subjects->facts->cuda.exports[piece->by_export - 1];

		set_callsite(subjects, &subjects->exporter, &export->at, export->ev.stack,
			     export->ev.python, export->ev.caller);
		return;
	}
	ev = &subjects->facts->cuda.imports[piece->by_import - 1].ev;
	subjects->exported = (struct fact_place){.slot = piece->owner,
						 .by = piece->owner,
						 .tid = process_of(subjects, piece->owner)->pid,
						 .time_ns = piece->born_ns};
	set_callsite(subjects, &subjects->exporter, &subjects->exported, ev->owner_stack,
		     ev->owner_python, 0);
}

static void set_freer(struct cuda_subjects *subjects)
{
	const struct ipc_free *end = &subjects->facts->cuda.frees[subjects->piece->freed - 1];

	set_callsite(subjects, &subjects->freer, &end->at, end->ev.stack, end->ev.python,
		     end->ev.caller);
}

static void set_gone(struct cuda_subjects *subjects, uint32_t slot)
{
	uint64_t end = cuda_end_ns(subjects->facts, slot);

	subjects->ended = (struct fact_place){.slot = slot,
					      .by = slot,
					      .tid = process_of(subjects, slot)->pid,
					      .time_ns = end ? end : subjects->facts->now_ns};
	callsite_init(subjects->ctx, &subjects->gone, &subjects->ended, subjects->ended.tid, 0, 0);
}

bool cuda_gather(struct cuda_subjects *subjects, const struct evidence_context *ctx,
		 const struct finding *finding)
{
	const struct facts *facts = &ctx->reader->facts;

	*subjects = (struct cuda_subjects){.ctx = ctx, .facts = facts, .finding = finding};
	if (!((finding->trigger.kind >= TRIGGER_CUDA_CALL &&
	       finding->trigger.kind <= TRIGGER_SHARING_OVER) ||
	      finding->init))
		return false;
	if (finding->init) {
		subjects->init = &facts->cuda.inits[finding->init - 1];
		set_callsite(subjects, &subjects->initialiser, &subjects->init->at,
			     subjects->init->ev.stack, subjects->init->ev.python,
			     subjects->init->ev.caller);
	}
	if (finding->piece) {
		subjects->piece = &facts->cuda.pieces[finding->piece - 1];
		set_exporter(subjects);
		if (subjects->piece->freed)
			set_freer(subjects);
	}
	if (finding->import) {
		subjects->import = &facts->cuda.imports[finding->import - 1];
		set_callsite(subjects, &subjects->importer, &subjects->import->at,
			     subjects->import->ev.stack, subjects->import->ev.python,
			     subjects->import->ev.caller);
	}
	if (finding->trigger.kind == TRIGGER_SHARER_GONE)
		set_gone(subjects, finding->trigger.index);
	return true;
}

void cuda_finish(struct cuda_subjects *subjects)
{
	callsite_finish(&subjects->initialiser);
	callsite_finish(&subjects->exporter);
	callsite_finish(&subjects->importer);
	callsite_finish(&subjects->freer);
	callsite_finish(&subjects->gone);
}

#define ACT(fact, called)                                                                         \
	((struct cuda_event){&(fact)->at, (fact)->ev.called, (fact)->ev.caller, (fact)->ev.stack, \
			     (fact)->ev.python, 0})

static struct cuda_event with_result(struct cuda_event event, uint64_t result)
{
	event.result = result;
	return event;
}

/* For the end of a process: what it had open if the finding is about that, else its exports. */
static struct cuda_event event_of_end(const struct cuda_subjects *subjects)
{
	const struct ipc_piece *piece = subjects->piece;

	if (subjects->import &&
	    (subjects->finding->trigger.kind == TRIGGER_SHARING_OVER ||
	     subjects->import->at.by == subjects->finding->trigger.index || !piece->by_export))
		return ACT(subjects->import, function);
	return ACT(&subjects->facts->cuda.exports[piece->by_export - 1], function);
}

struct cuda_event cuda_event(const struct cuda_subjects *subjects)
{
	const struct cuda_facts *cuda = &subjects->facts->cuda;
	uint32_t index = subjects->finding->trigger.index;

	switch (subjects->finding->trigger.kind) {
	case TRIGGER_CUDA_CALL:
		return with_result(ACT(&cuda->calls[index], function),
				   cuda->calls[index].ev.result);
	case TRIGGER_CUDA_ENV:
		return ACT(&cuda->envs[index], after);
	case TRIGGER_EXPORT:
		return ACT(&cuda->exports[index], function);
	case TRIGGER_IPC_OPEN:
		return with_result(ACT(&cuda->imports[index], function),
				   cuda->imports[index].ev.result);
	case TRIGGER_FREE:
		return ACT(&cuda->frees[index], function);
	case TRIGGER_REFUSED:
		return with_result(ACT(&cuda->refuseds[index], function),
				   cuda->refuseds[index].ev.result);
	case TRIGGER_IPC_EVENT:
		return (struct cuda_event){&cuda->events[index].at,
					   cuda->events[index].ev.function,
					   cuda->events[index].ev.caller,
					   0,
					   0,
					   0};
	case TRIGGER_SHARER_GONE:
	case TRIGGER_SHARING_OVER:
		if (subjects->finding->context)
			return ACT(&cuda->contexts[subjects->finding->context - 1], function);
		return event_of_end(subjects);
	default:
		return (struct cuda_event){0};
	}
}

static char *number(uint64_t value)
{
	return text_format("%llu", (unsigned long long)value);
}

/* The name in the program's source, without the version suffix that CUDA's headers add. */
static char *function_text(const struct cuda_subjects *subjects, const struct fact_place *at,
			   uint64_t pos)
{
	const char *name = at ? reader_text(subjects->ctx->reader, at->slot, pos) : NULL;
	size_t length = name ? strlen(name) : 0;

	if (!length)
		return text_copy("a CUDA function");
	if (length > 5 &&
	    (!strcmp(name + length - 5, "_ptsz") || !strcmp(name + length - 5, "_ptds")))
		length -= 5;
	if (length > 3 && name[length - 3] == '_' && name[length - 2] == 'v')
		length -= 3;
	return text_format("%.*s()", (int)length, name);
}

static bool begins_with_one(const char *text, const char *const *args)
{
	for (; text && *args; args++)
		if (!strncmp(text, *args, strlen(*args)))
			return true;
	return false;
}

static const char *module_of(const json_t *frame)
{
	const char *module = json_string_value(json_object_get(frame, "module"));

	return module ? path_base(module) : NULL;
}

/*
 * Whether a frame is in between: CUDA's own libraries call each other, and Python calls them
 * through libraries. The caller of the outermost of these is of interest.
 */
static bool is_way_through(const json_t *frame)
{
	static const char *const ways[] = {"libcuda.", "libcudart", "libmpsan",
					   "libffi.",  "_ctypes",   NULL};

	return begins_with_one(module_of(frame), ways);
}

/* The frame of the code that initialised the driver, often a library. */
static json_t *starter(const struct cuda_subjects *subjects)
{
	json_t *frame = frame_of_caller(subjects->ctx->frames, &subjects->init->at,
					subjects->init->ev.caller);
	json_t *other;

	if (frame && !is_way_through(frame))
		return frame;
	JSON_EACH(other, subjects->initialiser.native) {
		if (is_way_through(other))
			continue;
		json_decref(frame);
		return json_incref(other);
	}
	return frame;
}

/* The file of Python code; the library or program of other code. */
static char *library_text(const struct cuda_subjects *subjects, const json_t *frame)
{
	static const char *const interpreters[] = {"python", "libpython", NULL};
	const char *module = module_of(frame);
	const char *file = json_string_value(
		json_object_get(json_array_get(subjects->initialiser.python, 0), "file"));

	if (file && (!module || begins_with_one(module, interpreters)))
		module = path_base(file);
	return text_copy(module ? module : "an unknown module");
}

static void starter_args(const struct cuda_subjects *subjects, json_t *args)
{
	json_auto_t *frame = starter(subjects);
	json_t *script = frames_first_script(subjects->initialiser.python);
	char *place = frame_text(script ? script : frame);

	args_set(args, ARG_library, library_text(subjects, frame));
	args_set(args, ARG_init_at, place ? place : text_copy("an unknown place"));
}

static void init_args(const struct cuda_subjects *subjects, json_t *args)
{
	const struct fact_cuda_init *init = subjects->init;
	const struct finding *finding = subjects->finding;

	args_set(args, ARG_initialiser, callsite_actor(&subjects->initialiser));
	args_set(args, ARG_init_function, function_text(subjects, &init->at, init->ev.function));
	starter_args(subjects, args);
	args_set(args, ARG_parent, number(process_of(subjects, init->at.by)->pid));
	if (finding->fork - 1 < subjects->facts->fork_count)
		args_set(
			args, ARG_forked,
			number(process_of(subjects, subjects->facts->forks[finding->fork - 1].at.by)
				       ->pid));
}

/*
 * Lists the processes that had the piece open when it was freed, newest first. One of them surely
 * had, hence the finding; the others according to all records.
 */
static uint32_t users(const struct cuda_subjects *subjects, uint32_t *list, uint32_t room)
{
	const struct ipc_piece *piece = subjects->piece;
	uint64_t then = piece->end_ns ? piece->end_ns : cuda_end_ns(subjects->facts, piece->owner);
	uint32_t count = 0;

	EACH_USE(subjects->facts, piece, at) {
		const struct ipc_import *import = &subjects->facts->cuda.imports[at - 1];
		bool known = false;

		if (import->at.by == piece->owner || !ipc_is_open(subjects->facts, import, then))
			continue;
		for (uint32_t i = 0; i < count && i < room; i++)
			known |= subjects->facts->cuda.imports[list[i] - 1].at.by == import->at.by;
		if (known)
			continue;
		if (count < room)
			list[count] = at;
		count++;
	}
	return count;
}

static char *consumers_text(const struct cuda_subjects *subjects)
{
	uint32_t list[CONSUMERS_TOLD], count = users(subjects, list, CONSUMERS_TOLD);
	char *text = text_copy("");

	for (uint32_t i = 0; i < count && i < CONSUMERS_TOLD; i++) {
		const struct ipc_import *import = &subjects->facts->cuda.imports[list[i] - 1];
		char *longer = text_format("%s%sprocess %u", text,
					   !i		  ? "" :
					   i + 1 == count ? " and " :
							    ", ",
					   process_of(subjects, import->at.by)->pid);

		free(text);
		text = longer;
	}
	if (count > CONSUMERS_TOLD) {
		char *longer = text_format("%s and %u more", text, count - CONSUMERS_TOLD);

		free(text);
		text = longer;
	}
	return text;
}

static void piece_args(const struct cuda_subjects *subjects, json_t *args)
{
	const struct ipc_piece *piece = subjects->piece;
	const struct cuda_facts *cuda = &subjects->facts->cuda;

	args_set(args, ARG_bytes, bytes_text(piece->bytes));
	args_set(args, ARG_device, device_text(piece->device));
	args_set(args, ARG_memory, text_copy(memory_text(piece->memory)));
	args_set(args, ARG_producer, number(process_of(subjects, piece->owner)->pid));
	args_set(args, ARG_exported_at, callsite_where(&subjects->exporter));
	args_set(args, ARG_export_function,
		 piece->by_export ? function_text(subjects, &cuda->exports[piece->by_export - 1].at,
						  cuda->exports[piece->by_export - 1].ev.function) :
				    text_copy("mpsan"));
	args_set(args, ARG_end, end_text(subjects->facts, piece->owner));
	if (subjects->finding->trigger.kind == TRIGGER_FREE ||
	    subjects->finding->trigger.kind == TRIGGER_SHARER_GONE)
		args_set(args, ARG_consumers, consumers_text(subjects));
	if (subjects->finding->trigger.kind == TRIGGER_IPC_OPEN)
		args_set(args, ARG_late,
			 duration_text(cuda->imports[subjects->finding->trigger.index].at.time_ns -
				       piece->end_ns));
}

static void import_args(const struct cuda_subjects *subjects, json_t *args)
{
	const struct ipc_import *import = subjects->import;
	uint64_t close = ipc_close_ns(subjects->facts, import);

	args_set(args, ARG_consumer, number(process_of(subjects, import->at.by)->pid));
	args_set(args, ARG_consumer_end, end_text(subjects->facts, import->at.by));
	args_set(args, ARG_opened_at, callsite_where(&subjects->importer));
	args_set(args, ARG_open_function,
		 function_text(subjects, &import->at, import->ev.function));
	args_set(args, ARG_held,
		 duration_text((close ? close : subjects->facts->now_ns) - import->at.time_ns));
}

static char *setting_text(const struct cuda_subjects *subjects, const struct fact_cuda_env *env,
			  uint64_t pos)
{
	const char *value = reader_text(subjects->ctx->reader, env->at.slot, pos);

	return value ? text_format("\"%s\"", value) : text_copy("unset");
}

static void trigger_args(const struct cuda_subjects *subjects, json_t *args)
{
	const struct cuda_facts *cuda = &subjects->facts->cuda;
	uint32_t index = subjects->finding->trigger.index;

	switch (subjects->finding->trigger.kind) {
	case TRIGGER_CUDA_ENV:
		args_set(args, ARG_before,
			 setting_text(subjects, &cuda->envs[index], cuda->envs[index].ev.before));
		args_set(args, ARG_after,
			 setting_text(subjects, &cuda->envs[index], cuda->envs[index].ev.after));
		break;
	case TRIGGER_REFUSED:
		if (!subjects->piece)
			args_set(args, ARG_memory,
				 text_copy(memory_text(cuda->refuseds[index].ev.memory)));
		args_set(args, ARG_cause, text_copy(cause_text(cuda->refuseds[index].ev.cause)));
		args_set(args, ARG_advice, text_copy(cause_advice(cuda->refuseds[index].ev.cause)));
		args_set(args, ARG_other, number(cuda->refuseds[index].ev.other));
		break;
	case TRIGGER_IPC_EVENT:
		args_set(args, ARG_count, number(cuda->events[index].ev.made));
		break;
	case TRIGGER_EXPORT:
		args_set(args, ARG_count, number(cuda->exports[index].waiting));
		break;
	case TRIGGER_SHARING_OVER:
		args_set(args, ARG_count, number(cuda_crowd(subjects->facts, &index)));
		break;
	case TRIGGER_SHARER_GONE:
		args_set(args, ARG_gone, number(process_of(subjects, index)->pid));
		args_set(args, ARG_end, end_text(subjects->facts, index));
		break;
	default:
		break;
	}
}

void cuda_args(const struct cuda_subjects *subjects, const struct callsite *main_callsite,
	       json_t *args)
{
	struct cuda_event event = cuda_event(subjects);
	const char *name =
		event.at ? reader_text(subjects->ctx->reader, event.at->slot, event.function) :
			   NULL;

	args_set(args, ARG_function, function_text(subjects, event.at, event.function));
	args_set(args, ARG_result, result_text(name, event.result));
	args_set(args, ARG_at, callsite_where(main_callsite));
	if (subjects->init)
		init_args(subjects, args);
	if (subjects->piece)
		piece_args(subjects, args);
	if (subjects->import)
		import_args(subjects, args);
	trigger_args(subjects, args);
}

static const struct callsite *if_there(const struct callsite *callsite)
{
	return callsite->at ? callsite : NULL;
}

const struct callsite *cuda_callsite(const struct cuda_subjects *subjects, enum step_role role)
{
	switch (role) {
	case STEP_INIT:
		return if_there(&subjects->initialiser);
	case STEP_EXPORT:
		return if_there(&subjects->exporter);
	case STEP_IMPORT:
		return if_there(&subjects->importer);
	case STEP_FREE:
		return if_there(&subjects->freer);
	case STEP_GONE:
		return if_there(&subjects->gone);
	default:
		return NULL;
	}
}

void cuda_import_steps(const struct cuda_subjects *subjects, json_t *args, const char *what,
		       json_t *steps)
{
	uint32_t list[CONSUMERS_TOLD], count = users(subjects, list, CONSUMERS_TOLD);

	for (uint32_t i = 0; i < count && i < CONSUMERS_TOLD; i++) {
		const struct ipc_import *import = &subjects->facts->cuda.imports[list[i] - 1];
		struct callsite callsite;

		set_callsite(subjects, &callsite, &import->at, import->ev.stack, import->ev.python,
			     import->ev.caller);
		args_set(args, ARG_consumer, number(process_of(subjects, import->at.by)->pid));
		json_array_append_new(steps, callsite_step(subjects->ctx, &callsite, STEP_IMPORTS,
							   args_fill(args, what)));
		callsite_finish(&callsite);
	}
}

void cuda_hash(const struct cuda_subjects *subjects, uint64_t *hash)
{
	struct cuda_event event = cuda_event(subjects);
	AUTO_FREE char *function = function_text(subjects, event.at, event.function);

	if (subjects->finding->trigger.kind != TRIGGER_CUDA_ENV)
		callsite_hash_text(hash, function);
	if (subjects->finding->trigger.kind == TRIGGER_REFUSED)
		callsite_hash_text(
			hash,
			memory_text(subjects->facts->cuda.refuseds[subjects->finding->trigger.index]
					    .ev.memory));
	if (subjects->init)
		callsite_hash(hash, &subjects->initialiser);
	if (subjects->piece)
		callsite_hash(hash, &subjects->exporter);
}
