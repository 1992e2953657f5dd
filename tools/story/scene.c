/* See scene.h. */
#include "scene.h"

#include <stdlib.h>
#include <string.h>

#include "../base/jsontext.h"
#include "names.h"

void scene_init(const struct teller *teller, struct scene *scene, const struct fact_place *at,
		uint32_t tid, uint64_t stack, uint64_t python)
{
	*scene = (struct scene){
		.at = at,
		.tid = tid,
		.time_ns = at->time_ns,
		.native = frames_native(teller->frames, at, stack),
		.python = frames_python(teller->frames, at, python),
		.thread = thread_text(teller->reader, teller->frames, at->by, tid, at->time_ns),
	};
}

void scene_finish(struct scene *scene)
{
	json_decref(scene->native);
	json_decref(scene->python);
	json_decref(scene->frame);
	free(scene->thread);
	free(scene->where);
	*scene = (struct scene){0};
}

void scene_locate(const struct teller *teller, struct scene *scene, uint64_t caller,
		  bool python_first)
{
	json_t *frame = python_first ? json_incref(frames_first_script(scene->python)) : NULL;

	if (!frame)
		frame = frame_of_caller(teller->frames, scene->at, caller);
	if (!frame)
		frame = json_incref(frames_first_script(scene->python));
	if (!frame)
		frame = json_incref(frames_first_own(scene->native));
	if (!frame)
		frame = json_incref(json_array_get(scene->native, 0));
	scene->frame = frame;
	scene->where = frames_place(frame, scene->python);
	if (!json_array_size(scene->native) && caller)
		json_array_append_new(scene->native,
				      frame_of_caller(teller->frames, scene->at, caller));
}

char *scene_actor(const struct scene *scene)
{
	if (!scene->thread)
		return NULL;
	if (!strcmp(scene->thread, "main thread"))
		return text_format("the main thread");
	if (!strncmp(scene->thread, "TID ", 4))
		return text_format("thread %u", scene->tid);
	return text_format("thread \"%s\" (TID %u)", scene->thread, scene->tid);
}

static const char *const role_text[] = {
	[STEP_HOLDER] = "holder", [STEP_FORK] = "fork",	      [STEP_WAIT] = "wait",
	[STEP_UNLOCK] = "unlock", [STEP_BLOCKED] = "blocked", [STEP_ORDER] = "order",
	[STEP_INIT] = "init",	  [STEP_CUDA] = "cuda",	      [STEP_EXPORT] = "export",
	[STEP_IMPORT] = "import", [STEP_IMPORTS] = "import",  [STEP_FREE] = "free",
	[STEP_GONE] = "end",	  [STEP_ACT] = "act",	      [STEP_CAUSE] = "cause",
	[STEP_MAKER] = "maker",	  [STEP_ENDED] = "end",
};

json_t *scene_step(const struct teller *teller, const struct scene *scene, enum step_role role,
		   json_t *what)
{
	const struct session *session = &teller->reader->session;
	uint32_t pid = scene->at->by < session->slots ? session->table[scene->at->by].pid : 0;

	frames_show(teller->frames, scene->at, scene->python);
	frames_show(teller->frames, scene->at, scene->native);
	return json_pack("{s:o, s:s, s:o, s:I, s:I, s:o, s:I, s:O, s:O}", "what", what, "role",
			 role_text[role], "at",
			 scene->frame ? json_incref(scene->frame) : json_null(), "pid",
			 (json_int_t)pid, "tid", (json_int_t)scene->tid, "thread",
			 jsontext_of(scene->thread), "time_ns",
			 (json_int_t)reader_real_ns(teller->reader, scene->time_ns), "stack",
			 scene->native, "python", scene->python);
}
