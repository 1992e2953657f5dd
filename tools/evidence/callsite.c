/* SPDX-License-Identifier: Apache-2.0 */
/* Finds thread, stacks and place of a step, and makes the step's JSON. */
#include "callsite.h"

#include <stdlib.h>
#include <string.h>

#include "../base/fix_text.h"
#include "../base/headline.h"
#include "../base/jsontext.h"
#include "../symbols/raised.h"
#include "text_locks.h"

void callsite_init(const struct evidence_context *ctx, struct callsite *callsite,
		   const struct fact_place *at, uint32_t tid, uint64_t stack, uint64_t python)
{
	*callsite = (struct callsite){
		.at = at,
		.tid = tid,
		.time_ns = at->time_ns,
		.native = frames_native(ctx->frames, at, stack),
		.python = frames_python(ctx->frames, at, python),
		.thread = thread_text(ctx->reader, ctx->frames, at->by, tid, at->time_ns),
	};
}

void callsite_finish(struct callsite *callsite)
{
	json_decref(callsite->native);
	json_decref(callsite->python);
	json_decref(callsite->frame);
	json_decref(callsite->handling);
	free(callsite->thread);
	free(callsite->where);
	free(callsite->taken);
	*callsite = (struct callsite){0};
}

char *callsite_fix(const struct evidence_context *ctx, const struct callsite *callsite,
		   const char *fix)
{
	const struct facts *facts = &ctx->reader->facts;
	uint32_t slot = callsite->at->by;
	bool python = json_array_size(callsite->python) ||
		      (slot < facts->process_count && facts->processes[slot].slot->python);

	return fix_for(fix, python ? FIX_FOR_PYTHON : FIX_FOR_NATIVE);
}

char *callsite_where(const struct callsite *callsite)
{
	return text_copy(callsite->where ? callsite->where : "an unknown place");
}

char *callsite_waits(const struct callsite *callsite)
{
	AUTO_FREE char *raised = raised_text(callsite->handling);
	char *where = callsite_where(callsite);

	return *raised ? text_join(where, "",
				   text_format("%c%s%c", HEADLINE_OPEN, raised, HEADLINE_SHUT)) :
			 where;
}

void callsite_handles(const struct evidence_context *ctx, struct callsite *callsite,
		      uint64_t raised)
{
	const char *text = raised ? reader_text(ctx->reader, callsite->at->slot, raised) : NULL;

	callsite->handling = raised_json(text);
}

char *callsite_line(const struct evidence_context *ctx, const struct fact_place *at,
		    uint64_t python)
{
	json_auto_t *frames = frames_python(ctx->frames, at, python);

	return frame_text(json_array_get(frames, 0));
}

void callsite_locate(const struct evidence_context *ctx, struct callsite *callsite, uint64_t caller,
		     bool python_first)
{
	json_t *frame = python_first ? json_incref(frames_first_script(callsite->python)) : NULL;

	if (!frame)
		frame = frame_of_call(ctx->frames, callsite->at, caller, callsite->native);
	if (!frame)
		frame = json_incref(frames_first_script(callsite->python));
	if (!frame)
		frame = json_incref(frames_first_own(callsite->native));
	if (!frame)
		frame = json_incref(json_array_get(callsite->native, 0));
	callsite->frame = frame;
	callsite->where = frames_place(frame, callsite->python);
	if (!json_array_size(callsite->native) && caller)
		json_array_append_new(callsite->native,
				      frame_of_caller(ctx->frames, callsite->at, caller));
}

const char *callsite_place(const struct callsite *callsite)
{
	return callsite->frame && frame_is_header(callsite->frame) ? NULL : callsite->where;
}

char *callsite_actor(const struct callsite *callsite)
{
	if (!callsite->thread)
		return NULL;
	if (!strcmp(callsite->thread, "main thread"))
		return text_format("the main thread");
	if (!strncmp(callsite->thread, "TID ", 4))
		return text_format("thread %u", callsite->tid);
	return text_format("thread \"%s\" (TID %u)", callsite->thread, callsite->tid);
}

bool callsite_is_of_main(const struct callsite *callsite)
{
	size_t count = json_array_size(callsite->python);
	const char *function = jsontext_at(json_array_get(callsite->python, count - 1), "function");

	return count && !strstr(function, "_bootstrap");
}

/* Whether a Python frame is in the function that is handled at `place`: "stop (serve.py:12)". */
static bool is_handled_at(const json_t *frame, const char *place)
{
	const char *function = jsontext_at(frame, "function"), *dot = strrchr(function, '.');
	const char *file = path_base(jsontext_at(frame, "file"));
	AUTO_FREE char *name = text_format("%s (%s:", function, file),
		       *plain = text_format("%s (%s:", dot ? dot + 1 : function, file);
	const char *full = strncmp(place, plain, strlen(plain)) ? name : plain;

	return !strncmp(place, full, strlen(full)) &&
	       jsontext_number(frame, "line") >= atoll(place + strlen(full));
}

/* The signal whose Python handler one of these frames is; "" if none is. */
static char *handled_signal(json_t *python, const char *handlers)
{
	static const char handled[] = ", handled at ";
	json_t *frame;

	for (const char *one = handlers; one && *one;) {
		const char *place = strstr(one, handled), *next = strstr(one, "; ");

		JSON_EACH(frame, python)
			if (place && (!next || place < next) &&
			    is_handled_at(frame, place + strlen(handled)))
				return text_format("%.*s", (int)(place - one), one);
		one = next ? next + 2 : NULL;
	}
	return text_copy("");
}

/* Whether the interpreter calls a handler in this frame. */
static bool calls_handler(const json_t *frame)
{
	const char *function = jsontext_at(frame, "function");

	return !strcmp(function, "_PyErr_CheckSignalsTstate") ||
	       !strcmp(function, "PyErr_CheckSignals");
}

char *callsite_handler(const struct callsite *callsite, const char *handlers)
{
	AUTO_FREE char *signal = NULL;
	bool called = false;
	json_t *frame;

	JSON_EACH(frame, callsite->native) {
		called |= calls_handler(frame);
		if (!signal && *jsontext_at(frame, "handler_of"))
			signal = text_copy(jsontext_at(frame, "handler_of"));
	}
	if (!signal)
		signal = handled_signal(callsite->python, handlers);
	return *signal ? text_format(" in the handler of %s", signal) :
	       called  ? text_copy(" in a signal handler") :
			 text_copy("");
}

static const char *const role_text[] = {
#define ROLE(constant, name, meaning) name,
#include "../rules/step_roles.def"
#undef ROLE
};

json_t *callsite_step(const struct evidence_context *ctx, const struct callsite *callsite,
		      enum step_role role, json_t *what)
{
	const struct session *session = &ctx->reader->session;
	uint32_t pid = callsite->at->by < session->slots ? session->table[callsite->at->by].pid : 0;

	frames_show(ctx->frames, callsite->at, callsite->python);
	frames_show(ctx->frames, callsite->at, callsite->native);
	return json_pack(
		"{s:o, s:s, s:o, s:I, s:I, s:o, s:I, s:O, s:O, s:O*}", "what", what, "role",
		role_text[role], "at", callsite->frame ? json_incref(callsite->frame) : json_null(),
		"pid", (json_int_t)pid, "tid", (json_int_t)callsite->tid, "thread",
		jsontext_of(callsite->thread), "time_ns",
		(json_int_t)reader_real_ns(ctx->reader, callsite->time_ns), "stack",
		callsite->native, "python", callsite->python, "handling", callsite->handling);
}
