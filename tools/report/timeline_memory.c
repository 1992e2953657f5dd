/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws shared memory and messages between processes. Neighbours: timeline_draw.h;
 * tools/facts/shm.h and ipc.h have the facts.
 */
#include "timeline_draw.h"

#include "../evidence/text_cuda.h"
#include "../evidence/text_shm.h"
#include "../facts/ipc.h"

/* Events about a segment among which the sender of a receipt is searched. */
#define SENDS_MAX 256u

static void add_use(struct drawing *drawing, uint32_t object, uint32_t slot, uint64_t begin,
		    uint64_t end)
{
	uint32_t process = draw_process(drawing, slot);

	if (process == LINE_NONE)
		return;
	if (drawing->line->uses.count == LINE_USES_MAX) {
		drawing->line->left_out++;
		return;
	}
	*ARRAY_ADD(&drawing->line->uses) = (struct line_use){
		.object = object,
		.process = process,
		.begin_ns = draw_time(drawing, begin),
		.end_ns = draw_time(drawing, end),
	};
}

static void add_message(struct drawing *drawing, const struct fact_place *from,
			const struct fact_place *to, uint32_t object)
{
	uint32_t sender = draw_thread(drawing, from->by, from->tid, from->time_ns),
		 receiver = draw_thread(drawing, to->by, to->tid, to->time_ns);

	if (sender == LINE_NONE || receiver == LINE_NONE)
		return;
	draw_flow(drawing, FLOW_MESSAGE, object, (uint32_t[]){sender, receiver},
		  (uint64_t[]){from->time_ns, to->time_ns});
}

/* Whether this may be the message that the process received. */
static bool timeline_memory_fits(const struct drawing *drawing, const struct fact_event *sent,
				 const struct fact_event *received)
{
	const struct mpsan_process *table = drawing->reader->session.table;
	uint64_t from = EVENT_AS(received, shm)->from, to = EVENT_AS(sent, shm_sent)->to;

	return sent->by != received->by && event_time(sent) <= event_time(received) &&
	       (!from || from == table[sent->by].pid) && (!to || to == table[received->by].pid);
}

/* Draws a descriptor received over a socket, from the newest matching message. */
static void draw_receipt(struct drawing *drawing, uint32_t event, uint32_t object)
{
	const struct fact_event *received = &drawing->facts->events[event];
	uint32_t work = SENDS_MAX;

	for (uint32_t at = shm_link_of(drawing->facts, event)->before; at && work--;
	     at = shm_link_of(drawing->facts, at - 1)->before) {
		const struct fact_event *sent = &drawing->facts->events[at - 1];

		if (sent->type == EV_shm_sent && timeline_memory_fits(drawing, sent, received)) {
			struct fact_place from = reader_event_place(drawing->reader, sent);
			struct fact_place to = reader_event_place(drawing->reader, received);

			add_message(drawing, &from, &to, object);
			return;
		}
	}
}

/*
 * What is known of a segment's end: its last mapping, unless a name or a descriptor may still
 * exist.
 */
struct segment_end {
	uint64_t last_ns;
	bool open;
};

static void draw_event(struct drawing *drawing, uint32_t object, uint32_t at,
		       struct segment_end *end)
{
	const struct fact_event *event = &drawing->facts->events[at];
	uint64_t unmapped;

	switch (event->type) {
	case EV_shm_map:
		unmapped = shm_unmap_ns(drawing->facts, event);
		add_use(drawing, object, event->by, event_time(event), unmapped);
		end->open = end->open || !unmapped;
		if (unmapped > end->last_ns)
			end->last_ns = unmapped;
		break;
	case EV_shm:
		if (EVENT_AS(event, shm)->way == MPSAN_SHM_RECEIVED)
			draw_receipt(drawing, at, object);
		break;
	case EV_shm_left:
		end->open = true;
		break;
	default:
		break;
	}
	if (event->type != EV_shm_left && event_time(event) > end->last_ns)
		end->last_ns = event_time(event);
}

static void draw_segment(struct drawing *drawing, uint32_t segment)
{
	const struct facts *facts = drawing->facts;
	const struct shm_segment *from = &facts->shm.segments[segment];
	const struct fact_event *made = shm_made(facts, segment + 1);
	uint32_t object = drawing->line->objects.count, maker = shm_maker(facts, segment + 1);
	const char *name = segment_name(drawing->reader, segment + 1);
	struct segment_end end = {0};

	if (!made && from->first)
		made = &facts->events[from->first - 1];
	*ARRAY_ADD(&drawing->line->objects) = (struct line_object){
		.kind = OBJECT_SEGMENT,
		.owner = maker == FACT_NONE ? LINE_NONE : draw_process(drawing, maker),
		.bytes = shm_bytes(facts, segment + 1),
		.begin_ns = draw_time(drawing, made ? event_time(made) : 0),
		.name = text_copy(name ? name : "shared memory without a name"),
	};
	EACH_SHM_EVENT(facts, segment, at)
		draw_event(drawing, object, at - 1, &end);
	drawing->line->objects.item[object].end_ns = end.open ? 0 : draw_time(drawing, end.last_ns);
}

static void change_segment(struct drawing *drawing, uint32_t segment)
{
	const struct facts *facts = drawing->facts;
	uint64_t bytes = shm_bytes(facts, segment + 1);

	EACH_SHM_EVENT(facts, segment, at) {
		const struct fact_event *event = &facts->events[at - 1];

		if (event->type == EV_shm_map)
			draw_change(drawing, LEVEL_MAPPED, event->by, bytes, event_time(event),
				    shm_unmap_ns(facts, event));
	}
}

static void draw_import(struct drawing *drawing, const struct ipc_import *import,
			const struct ipc_piece *piece, uint32_t object)
{
	const struct ipc_export *export =
		piece->by_export ? &drawing->facts->cuda.exports[piece->by_export - 1] : NULL;

	if (import->ev.result)
		return;
	add_use(drawing, object, import->at.by, import->at.time_ns,
		ipc_close_ns(drawing->facts, import));
	if (export && export->at.by != import->at.by)
		add_message(drawing, &export->at, &import->at, object);
}

static uint64_t piece_end(const struct drawing *drawing, const struct ipc_piece *piece)
{
	return piece->end_ns ? piece->end_ns : draw_end_ns(drawing, piece->owner);
}

static void draw_piece(struct drawing *drawing, uint32_t index)
{
	const struct ipc_piece *piece = &drawing->facts->cuda.pieces[index];
	uint32_t object = drawing->line->objects.count;
	AUTO_FREE char *device = device_text(piece->device);

	*ARRAY_ADD(&drawing->line->objects) = (struct line_object){
		.kind = OBJECT_EXPORT,
		.owner = draw_process(drawing, piece->owner),
		.bytes = piece->bytes,
		.begin_ns = draw_time(drawing, piece->born_ns),
		.end_ns = draw_time(drawing, piece_end(drawing, piece)),
		.name = piece->base ? text_format("%s 0x%llx of %s", memory_text(piece->memory),
						  (unsigned long long)piece->base, device) :
				      text_format("%s of %s", memory_text(piece->memory), device),
	};
	EACH_USE(drawing->facts, piece, at)
		draw_import(drawing, &drawing->facts->cuda.imports[at - 1], piece, object);
}

static void change_piece(struct drawing *drawing, uint32_t index)
{
	const struct facts *facts = drawing->facts;
	const struct ipc_piece *piece = &facts->cuda.pieces[index];

	draw_change(drawing, LEVEL_EXPORTED, piece->owner, piece->bytes, piece->born_ns,
		    piece_end(drawing, piece));
	EACH_USE(facts, piece, at) {
		const struct ipc_import *import = &facts->cuda.imports[at - 1];

		if (!import->ev.result)
			draw_change(drawing, LEVEL_OPENED, import->at.by, piece->bytes,
				    import->at.time_ns, ipc_close_ns(facts, import));
	}
}

/* Whether this one of `count` is kept: all while there is room, else every nth. */
static bool is_kept(struct drawing *drawing, uint32_t index, uint32_t count)
{
	uint32_t step = (count + LINE_OBJECTS_MAX - 1) / LINE_OBJECTS_MAX;

	if (index % step == 0 && drawing->line->objects.count < 2 * LINE_OBJECTS_MAX)
		return true;
	drawing->line->left_out++;
	return false;
}

#define GIVEN_BACK 4096u /* segments between two releases of the logs' pages */

void draw_memory(struct drawing *drawing)
{
	uint32_t segments = drawing->facts->shm.segment_count,
		 pieces = drawing->facts->cuda.piece_count;

	for (uint32_t i = 0; i < segments; i++) {
		change_segment(drawing, i);
		if (is_kept(drawing, i, segments))
			draw_segment(drawing, i);
		if (i % GIVEN_BACK == 0)
			reader_trim(drawing->reader);
	}
	for (uint32_t i = 0; i < pieces; i++) {
		change_piece(drawing, i);
		if (is_kept(drawing, i, pieces))
			draw_piece(drawing, i);
	}
}
