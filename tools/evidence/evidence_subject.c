/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the `subject` of a finding: the lock, segment or export that it is about. */
#include "evidence_subject.h"

#include <stdlib.h>

#include "../base/jsontext.h"
#include "text_cuda.h"
#include "text_shm.h"

#define USES_MAX 32u
#define ACTS_MAX 4096u /* examined, per segment */

/* Collects the uses of a segment or export. */
struct lives {
	const struct evidence_context *ctx;
	json_t *uses;
	uint32_t left_out;
};

static json_t *real_time(const struct evidence_context *ctx, uint64_t time_ns)
{
	return time_ns ? json_integer((json_int_t)reader_real_ns(ctx->reader, time_ns)) :
			 json_null();
}

static void add_use(struct lives *lives, uint32_t slot, uint64_t begin_ns, uint64_t end_ns)
{
	if (json_array_size(lives->uses) == USES_MAX) {
		lives->left_out++;
		return;
	}
	json_array_append_new(
		lives->uses,
		json_pack("[I, o, o]", (json_int_t)reader_pid(lives->ctx->reader, slot),
			  real_time(lives->ctx, begin_ns), real_time(lives->ctx, end_ns)));
}

static json_t *subject_of(const struct lives *lives, const char *kind, char *name, uint64_t bytes,
			  uint32_t owner)
{
	json_t *subject = json_pack("{s:s, s:o, s:I, s:I, s:o, s:I}", "kind", kind, "name",
				    jsontext_of(name), "bytes", (json_int_t)bytes, "pid",
				    (json_int_t)reader_pid(lives->ctx->reader, owner), "uses",
				    lives->uses, "uses_left_out", (json_int_t)lives->left_out);

	free(name);
	return subject;
}

static json_t *with_life(json_t *subject, const struct evidence_context *ctx, uint64_t begin_ns,
			 uint64_t end_ns)
{
	json_object_set_new(subject, "begin_ns", real_time(ctx, begin_ns));
	json_object_set_new(subject, "end_ns", real_time(ctx, end_ns));
	return subject;
}

static json_t *segment_json(const struct evidence_context *ctx, uint32_t segment)
{
	const struct facts *facts = &ctx->reader->facts;
	const struct fact_event *made = shm_made(facts, segment);
	struct lives lives = {ctx, json_array(), 0};
	uint32_t looked = 0;

	EACH_SHM_EVENT(facts, segment - 1, at) {
		const struct fact_event *event = &facts->events[at - 1];

		if (looked++ == ACTS_MAX)
			break;
		if (event->type == EV_shm_map)
			add_use(&lives, event->by, event_time(event), shm_unmap_ns(facts, event));
	}
	return with_life(subject_of(&lives, "segment", segment_text(ctx->reader, segment),
				    shm_bytes(facts, segment), shm_maker(facts, segment)),
			 ctx, made ? event_time(made) : 0, 0);
}

static json_t *export_json(const struct evidence_context *ctx, const struct ipc_piece *piece)
{
	const struct facts *facts = &ctx->reader->facts;
	struct lives lives = {ctx, json_array(), 0};
	AUTO_FREE char *size = bytes_text(piece->bytes), *device = device_text(piece->device);
	char *name = text_format("%s on %s", size, device);
	uint64_t end_ns = piece->end_ns ? piece->end_ns : cuda_end_ns(facts, piece->owner);

	EACH_USE(facts, piece, at) {
		const struct ipc_import *import = &facts->cuda.imports[at - 1];

		add_use(&lives, import->at.by, import->at.time_ns, ipc_close_ns(facts, import));
	}
	return with_life(subject_of(&lives, "export", name, piece->bytes, piece->owner), ctx,
			 piece->born_ns, end_ns);
}

json_t *subject_json(const struct evidence_context *ctx, const struct finding *finding,
		     const char *lock, const struct ipc_piece *piece)
{
	if (piece)
		return export_json(ctx, piece);
	if (finding->segment && ctx->reader->facts.shm.links)
		return segment_json(ctx, finding->segment);
	return lock ? json_pack("{s:s, s:o}", "kind", "lock", "name", jsontext_of(lock)) :
		      json_null();
}
