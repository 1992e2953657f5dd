/* See story_cuda.h. */
#include "story_cuda.h"

#include <stdlib.h>
#include <string.h>

#include "text_cuda.h"
#include "args.h"

#define CONSUMERS_TOLD 4u /* by name, and one step each; the others are counted */

static const struct mpsan_process *process_of(const struct cuda_cast *cast, uint32_t slot)
{
	return cast->facts->processes[slot].slot;
}

static void set_callsite(const struct cuda_cast *cast, struct callsite *callsite,
			 const struct fact_place *at, uint64_t stack, uint64_t python,
			 uint64_t caller)
{
	callsite_init(cast->teller, callsite, at, at->tid, stack, python);
	callsite_locate(cast->teller, callsite, caller, true);
}

/* The stacks of what the library exported stand in its owner's log, told by who opened it. */
static void set_exporter(struct cuda_cast *cast)
{
	const struct ipc_piece *piece = cast->piece;
	const struct ev_ipc_open *ev;

	if (piece->by_export) {
		const struct ipc_export *export = &cast->facts->cuda.exports[piece->by_export - 1];

		set_callsite(cast, &cast->exporter, &export->at, export->ev.stack,
			     export->ev.python, export->ev.caller);
		return;
	}
	ev = &cast->facts->cuda.imports[piece->by_import - 1].ev;
	cast->exported = (struct fact_place){.slot = piece->owner,
					     .by = piece->owner,
					     .tid = process_of(cast, piece->owner)->pid,
					     .time_ns = piece->born_ns};
	set_callsite(cast, &cast->exporter, &cast->exported, ev->owner_stack, ev->owner_python, 0);
}

static void set_freer(struct cuda_cast *cast)
{
	const struct ipc_free *end = &cast->facts->cuda.frees[cast->piece->freed - 1];

	set_callsite(cast, &cast->freer, &end->at, end->ev.stack, end->ev.python, end->ev.caller);
}

static void set_gone(struct cuda_cast *cast, uint32_t slot)
{
	uint64_t end = cuda_end_ns(cast->facts, slot);

	cast->ended = (struct fact_place){.slot = slot,
					  .by = slot,
					  .tid = process_of(cast, slot)->pid,
					  .time_ns = end ? end : cast->facts->now_ns};
	callsite_init(cast->teller, &cast->gone, &cast->ended, cast->ended.tid, 0, 0);
}

bool cuda_gather(struct cuda_cast *cast, const struct teller *teller, const struct finding *finding)
{
	const struct facts *facts = &teller->reader->facts;

	*cast = (struct cuda_cast){.teller = teller, .facts = facts, .finding = finding};
	if (!((finding->trigger.kind >= TRIGGER_CUDA_CALL &&
	       finding->trigger.kind <= TRIGGER_SHARING_OVER) ||
	      finding->init))
		return false;
	if (finding->init) {
		cast->init = &facts->cuda.inits[finding->init - 1];
		set_callsite(cast, &cast->initialiser, &cast->init->at, cast->init->ev.stack,
			     cast->init->ev.python, cast->init->ev.caller);
	}
	if (finding->piece) {
		cast->piece = &facts->cuda.pieces[finding->piece - 1];
		set_exporter(cast);
		if (cast->piece->freed)
			set_freer(cast);
	}
	if (finding->import) {
		cast->import = &facts->cuda.imports[finding->import - 1];
		set_callsite(cast, &cast->importer, &cast->import->at, cast->import->ev.stack,
			     cast->import->ev.python, cast->import->ev.caller);
	}
	if (finding->trigger.kind == TRIGGER_SHARER_GONE)
		set_gone(cast, finding->trigger.index);
	return true;
}

void cuda_finish(struct cuda_cast *cast)
{
	callsite_finish(&cast->initialiser);
	callsite_finish(&cast->exporter);
	callsite_finish(&cast->importer);
	callsite_finish(&cast->freer);
	callsite_finish(&cast->gone);
}

#define ACT(fact, called)                                                                         \
	((struct cuda_event){&(fact)->at, (fact)->ev.called, (fact)->ev.caller, (fact)->ev.stack, \
			     (fact)->ev.python, 0})

static struct cuda_event with_result(struct cuda_event event, uint64_t result)
{
	event.result = result;
	return event;
}

/* Of the end of a process: what it had open if that is the point, else what it had exported. */
static struct cuda_event event_of_end(const struct cuda_cast *cast)
{
	const struct ipc_piece *piece = cast->piece;

	if (cast->import &&
	    (cast->finding->trigger.kind == TRIGGER_SHARING_OVER ||
	     cast->import->at.by == cast->finding->trigger.index || !piece->by_export))
		return ACT(cast->import, function);
	return ACT(&cast->facts->cuda.exports[piece->by_export - 1], function);
}

struct cuda_event cuda_event(const struct cuda_cast *cast)
{
	const struct cuda_facts *cuda = &cast->facts->cuda;
	uint32_t index = cast->finding->trigger.index;

	switch (cast->finding->trigger.kind) {
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
		if (cast->finding->context)
			return ACT(&cuda->contexts[cast->finding->context - 1], function);
		return event_of_end(cast);
	default:
		return (struct cuda_event){0};
	}
}

static char *where(const struct callsite *callsite)
{
	return text_copy(callsite->where ? callsite->where : "an unknown place");
}

static char *number(uint64_t value)
{
	return text_format("%llu", (unsigned long long)value);
}

/* As programs write it: which version of a function they got is the header's choice. */
static char *function_text(const struct cuda_cast *cast, const struct fact_place *at, uint64_t pos)
{
	const char *name = at ? reader_text(cast->teller->reader, at->slot, pos) : NULL;
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

static bool begins_with_one(const char *text, const char *const *words)
{
	for (; text && *words; words++)
		if (!strncmp(text, *words, strlen(*words)))
			return true;
	return false;
}

static const char *module_of(const json_t *frame)
{
	const char *module = json_string_value(json_object_get(frame, "module"));

	return module ? path_base(module) : NULL;
}

/*
 * CUDA's own libraries call each other, and Python calls them through libraries of its own; who called
 * the first of all these is of interest.
 */
static bool is_way_through(const json_t *frame)
{
	static const char *const ways[] = {"libcuda.", "libcudart", "libmpsan",
					   "libffi.",  "_ctypes",   NULL};

	return begins_with_one(module_of(frame), ways);
}

/* The frame of the code that made the driver start: often not the program's own. */
static json_t *starter(const struct cuda_cast *cast)
{
	json_t *frame =
		frame_of_caller(cast->teller->frames, &cast->init->at, cast->init->ev.caller);
	json_t *other;
	size_t i;

	if (frame && !is_way_through(frame))
		return frame;
	json_array_foreach(cast->initialiser.native, i, other)
	{
		if (is_way_through(other))
			continue;
		json_decref(frame);
		return json_incref(other);
	}
	return frame;
}

/* Of Python's own code the file, of all other code the library or program. */
static char *library_text(const struct cuda_cast *cast, const json_t *frame)
{
	static const char *const interpreters[] = {"python", "libpython", NULL};
	const char *module = module_of(frame);
	const char *file = json_string_value(
		json_object_get(json_array_get(cast->initialiser.python, 0), "file"));

	if (file && (!module || begins_with_one(module, interpreters)))
		module = path_base(file);
	return text_copy(module ? module : "an unknown module");
}

static void starter_words(const struct cuda_cast *cast, json_t *words)
{
	json_t *frame = starter(cast), *script = frames_first_script(cast->initialiser.python);
	char *place = frame_text(script ? script : frame);

	args_set(words, "library", library_text(cast, frame));
	args_set(words, "init_at", place ? place : text_copy("an unknown place"));
	json_decref(frame);
}

static void init_words(const struct cuda_cast *cast, json_t *words)
{
	const struct fact_cuda_init *init = cast->init;
	const struct finding *finding = cast->finding;

	args_set(words, "initialiser", callsite_actor(&cast->initialiser));
	args_set(words, "init_function", function_text(cast, &init->at, init->ev.function));
	starter_words(cast, words);
	args_set(words, "parent", number(process_of(cast, init->at.by)->pid));
	if (finding->fork < cast->facts->fork_count)
		args_set(words, "forked",
			 number(process_of(cast, cast->facts->forks[finding->fork].at.by)->pid));
}

/*
 * The processes that had the piece open when it came to its end, newest first. One of them surely
 * had, which is why there is a finding; the others by all that is recorded.
 */
static uint32_t users(const struct cuda_cast *cast, uint32_t *list, uint32_t room)
{
	const struct ipc_piece *piece = cast->piece;
	uint64_t then = piece->end_ns ? piece->end_ns : cuda_end_ns(cast->facts, piece->owner);
	uint32_t count = 0;

	EACH_USE(cast->facts, piece, at) {
		const struct ipc_import *import = &cast->facts->cuda.imports[at - 1];
		bool known = false;

		if (import->at.by == piece->owner || !ipc_is_open(cast->facts, import, then))
			continue;
		for (uint32_t i = 0; i < count && i < room; i++)
			known |= cast->facts->cuda.imports[list[i] - 1].at.by == import->at.by;
		if (known)
			continue;
		if (count < room)
			list[count] = at;
		count++;
	}
	return count;
}

static char *consumers_text(const struct cuda_cast *cast)
{
	uint32_t list[CONSUMERS_TOLD], count = users(cast, list, CONSUMERS_TOLD);
	char *text = text_copy("");

	for (uint32_t i = 0; i < count && i < CONSUMERS_TOLD; i++) {
		const struct ipc_import *import = &cast->facts->cuda.imports[list[i] - 1];
		char *longer = text_format("%s%sprocess %u", text,
					   !i		  ? "" :
					   i + 1 == count ? " and " :
							    ", ",
					   process_of(cast, import->at.by)->pid);

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

static void piece_words(const struct cuda_cast *cast, json_t *words)
{
	const struct ipc_piece *piece = cast->piece;
	const struct cuda_facts *cuda = &cast->facts->cuda;

	args_set(words, "bytes", bytes_text(piece->bytes));
	args_set(words, "device", device_text(piece->device));
	args_set(words, "memory", text_copy(memory_text(piece->memory)));
	args_set(words, "producer", number(process_of(cast, piece->owner)->pid));
	args_set(words, "exported_at", where(&cast->exporter));
	args_set(words, "export_function",
		 piece->by_export ? function_text(cast, &cuda->exports[piece->by_export - 1].at,
						  cuda->exports[piece->by_export - 1].ev.function) :
				    text_copy("mpsan"));
	args_set(words, "end", end_text(cast->facts, piece->owner));
	if (cast->finding->trigger.kind == TRIGGER_FREE ||
	    cast->finding->trigger.kind == TRIGGER_SHARER_GONE)
		args_set(words, "consumers", consumers_text(cast));
	if (cast->finding->trigger.kind == TRIGGER_IPC_OPEN)
		args_set(words, "late",
			 duration_text(cuda->imports[cast->finding->trigger.index].at.time_ns -
				       piece->end_ns));
}

static void import_words(const struct cuda_cast *cast, json_t *words)
{
	const struct ipc_import *import = cast->import;
	uint64_t close = ipc_close_ns(cast->facts, import);

	args_set(words, "consumer", number(process_of(cast, import->at.by)->pid));
	args_set(words, "consumer_end", end_text(cast->facts, import->at.by));
	args_set(words, "opened_at", where(&cast->importer));
	args_set(words, "open_function", function_text(cast, &import->at, import->ev.function));
	args_set(words, "held",
		 duration_text((close ? close : cast->facts->now_ns) - import->at.time_ns));
}

static char *setting_text(const struct cuda_cast *cast, const struct fact_cuda_env *env,
			  uint64_t pos)
{
	const char *value = reader_text(cast->teller->reader, env->at.slot, pos);

	return value ? text_format("\"%s\"", value) : text_copy("unset");
}

static void trigger_words(const struct cuda_cast *cast, json_t *words)
{
	const struct cuda_facts *cuda = &cast->facts->cuda;
	uint32_t index = cast->finding->trigger.index;

	switch (cast->finding->trigger.kind) {
	case TRIGGER_CUDA_ENV:
		args_set(words, "before",
			 setting_text(cast, &cuda->envs[index], cuda->envs[index].ev.before));
		args_set(words, "after",
			 setting_text(cast, &cuda->envs[index], cuda->envs[index].ev.after));
		break;
	case TRIGGER_REFUSED:
		if (!cast->piece)
			args_set(words, "memory",
				 text_copy(memory_text(cuda->refuseds[index].ev.memory)));
		args_set(words, "cause", text_copy(cause_text(cuda->refuseds[index].ev.cause)));
		args_set(words, "advice", text_copy(cause_advice(cuda->refuseds[index].ev.cause)));
		args_set(words, "other", number(cuda->refuseds[index].ev.other));
		break;
	case TRIGGER_IPC_EVENT:
		args_set(words, "count", number(cuda->events[index].ev.made));
		break;
	case TRIGGER_EXPORT:
		args_set(words, "count", number(cuda->exports[index].waiting));
		break;
	case TRIGGER_SHARING_OVER:
		args_set(words, "count", number(cuda_crowd(cast->facts, &index)));
		break;
	case TRIGGER_SHARER_GONE:
		args_set(words, "gone", number(process_of(cast, index)->pid));
		args_set(words, "end", end_text(cast->facts, index));
		break;
	default:
		break;
	}
}

void cuda_words(const struct cuda_cast *cast, const struct callsite *main_callsite, json_t *words)
{
	struct cuda_event event = cuda_event(cast);
	const char *name =
		event.at ? reader_text(cast->teller->reader, event.at->slot, event.function) : NULL;

	args_set(words, "function", function_text(cast, event.at, event.function));
	args_set(words, "result", result_text(name, event.result));
	args_set(words, "at", where(main_callsite));
	if (cast->init)
		init_words(cast, words);
	if (cast->piece)
		piece_words(cast, words);
	if (cast->import)
		import_words(cast, words);
	trigger_words(cast, words);
}

static const struct callsite *if_there(const struct callsite *callsite)
{
	return callsite->at ? callsite : NULL;
}

const struct callsite *cuda_callsite(const struct cuda_cast *cast, enum step_role role)
{
	switch (role) {
	case STEP_INIT:
		return if_there(&cast->initialiser);
	case STEP_EXPORT:
		return if_there(&cast->exporter);
	case STEP_IMPORT:
		return if_there(&cast->importer);
	case STEP_FREE:
		return if_there(&cast->freer);
	case STEP_GONE:
		return if_there(&cast->gone);
	default:
		return NULL;
	}
}

void cuda_import_steps(const struct cuda_cast *cast, json_t *words, const char *what, json_t *steps)
{
	uint32_t list[CONSUMERS_TOLD], count = users(cast, list, CONSUMERS_TOLD);

	for (uint32_t i = 0; i < count && i < CONSUMERS_TOLD; i++) {
		const struct ipc_import *import = &cast->facts->cuda.imports[list[i] - 1];
		struct callsite callsite;

		set_callsite(cast, &callsite, &import->at, import->ev.stack, import->ev.python,
			     import->ev.caller);
		args_set(words, "consumer", number(process_of(cast, import->at.by)->pid));
		json_array_append_new(steps, callsite_step(cast->teller, &callsite, STEP_IMPORTS,
							   args_fill(words, what)));
		callsite_finish(&callsite);
	}
}

void cuda_hash(const struct cuda_cast *cast, uint64_t *hash)
{
	struct cuda_event event = cuda_event(cast);
	char *function = function_text(cast, event.at, event.function);

	if (cast->finding->trigger.kind != TRIGGER_CUDA_ENV)
		callsite_hash_text(hash, function);
	if (cast->finding->trigger.kind == TRIGGER_REFUSED)
		callsite_hash_text(
			hash, memory_text(cast->facts->cuda.refuseds[cast->finding->trigger.index]
						  .ev.memory));
	if (cast->init)
		callsite_hash(hash, &cast->initialiser);
	if (cast->piece)
		callsite_hash(hash, &cast->exporter);
	free(function);
}
