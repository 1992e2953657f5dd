/* SPDX-License-Identifier: Apache-2.0 */
/* Makes JSON objects of a session's records. */
#include "dump.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../../include/mpsan_comm.h"
#include "../../include/mpsan_texts.h"
#include "../base/jsontext.h"
#include "../base/progress.h"
#include "../evidence/text_cuda.h"
#include "../evidence/text_locks.h"
#include "../reader/fields.h"
#include "../report/log_damage.h"
#include "../report/report.h"

/* One line of output: a record, or a change of a process: start, exec or end. */
struct line {
	uint64_t time_ns;
	uint32_t slot;
	struct record record; /* type EV_none: `what` happened to the process */
	const char *what;
};

struct dump {
	struct reader reader;
	ARRAY(struct line) lines;
};

static json_t *hex(uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value);
	return json_string(text);
}

static json_t *bits_json(enum field_format format, uint64_t bits)
{
	char text[256] = "";

	for (unsigned bit = 0; bit < 64; bit++) {
		const char *name = bits >> bit & 1 ? field_text(format, 1ull << bit) : NULL;

		if (name && *text)
			strcat(text, "|");
		if (name)
			strcat(text, name);
	}
	return json_string(text);
}

/* Values without a name are numbers of later versions. Three enums have texts of findings. */
static json_t *enum_json(enum field_format format, uint64_t value)
{
	const char *text = format == FORMAT_lock_kind ? lock_kind_text(value, 0) :
			   format == FORMAT_how	      ? how_text(value) :
			   format == FORMAT_memory    ? memory_name(value) :
							field_text(format, value);

	return text ? json_string(text) : json_integer((json_int_t)value);
}

static json_t *field_json(const struct dump *dump, const struct record *record,
			  const struct field *field, uint64_t value)
{
	if (field_is_bits(field->format))
		return bits_json(field->format, value);
	switch (field->format) {
	case FORMAT_HEX:
	case FORMAT_CODE:
		return hex(value);
	case FORMAT_POS: {
		const char *text = reader_text(&dump->reader, record->slot, value);

		return text ? jsontext_of(text) : json_integer((json_int_t)value);
	}
	default:
		return enum_json(field->format, value);
	}
}

static json_t *thread_json(const struct dump *dump, const struct record *record)
{
	const struct mpsan_thread *thread = record->payload;
	const char *name;

	if (record->bytes < offsetof(struct mpsan_thread, pool))
		return json_null();
	name = reader_text(&dump->reader, record->slot, thread->name_pos);
	return json_pack("{s:I, s:o, s:I, s:I, s:o}", "tid", (json_int_t)thread->tid, "entry",
			 hex(thread->entry), "holds", (json_int_t)thread->holds_used, "waits",
			 (json_int_t)thread->waits, "name", jsontext_of(name));
}

static json_t *comm_json(const struct record *record)
{
	const struct mpsan_comm *comm = record->payload;
	const struct mpsan_comm_call *call;

	if (record->bytes < sizeof(*comm))
		return json_null();
	call = &comm->call[comm->entered % 2];
	return json_pack("{s:o, s:I, s:I, s:s?, s:I, s:s?, s:I}", "id", hex(comm->id), "rank",
			 (json_int_t)comm->rank, "ranks", (json_int_t)comm->ranks, "state",
			 mpsan_comm_state_text(comm->state), "entered", (json_int_t)comm->entered,
			 "newest", mpsan_collective_text(call->what), "elements",
			 (json_int_t)call->elements);
}

static json_t *blob_json(const struct dump *dump, const struct record *record)
{
	const struct mpsan_stack *stack = record->payload;
	const char *text;

	switch (record->type) {
	case EV_text:
		text = reader_text(&dump->reader, record->slot, record->pos);
		return text ? jsontext_of(text) : NULL;
	case EV_stack:
		return record->bytes < sizeof(*stack) ? NULL :
							json_integer((json_int_t)stack->bytes);
	case EV_thread:
		return thread_json(dump, record);
	case EV_comm:
		return comm_json(record);
	default:
		return NULL;
	}
}

static void add_record(const struct dump *dump, const struct record *record, json_t *object)
{
	const struct field *field = event_fields(record->type);
	const uint64_t *value = record->payload;
	json_t *blob;

	json_object_set_new(object, "event", json_string(event_name(record->type)));
	json_object_set_new(object, "slot", json_integer(record->slot));
	json_object_set_new(object, "pos", json_integer((json_int_t)record->pos));
	for (uint64_t i = 0; field && field[i].name && (i + 1) * 8 <= record->bytes; i++)
		json_object_set_new(object, field[i].name,
				    field_json(dump, record, &field[i], value[i]));
	if (record->later & MPSAN_LATER_FAILED)
		json_object_set_new(object, "failed", json_true());
	else if (record->later)
		json_object_set_new(object, "later", json_integer((json_int_t)record->later));
	blob = field ? NULL : blob_json(dump, record);
	if (blob)
		json_object_set_new(object, "value", blob);
}

static void dump_add_process(const struct dump *dump, const struct line *line, json_t *object)
{
	json_object_set_new(object, "event", json_string(line->what));
	json_object_set_new(object, "slot", json_integer(line->slot));
	json_object_set_new(object, "process", process_json(&dump->reader, line->slot));
}

static json_t *line_json(const struct dump *dump, const struct line *line)
{
	const struct mpsan_session *head = dump->reader.session.head;
	const struct mpsan_process *process = &dump->reader.session.table[line->slot];
	json_t *object = json_pack("{s:I, s:I, s:I}", "time_ns",
				   (json_int_t)(line->time_ns - head->start_ns), "pid",
				   (json_int_t)process->pid, "tid",
				   (json_int_t)(line->what ? process->pid : line->record.tid));

	if (line->what)
		dump_add_process(dump, line, object);
	else
		add_record(dump, &line->record, object);
	return object;
}

static void collect_process(struct dump *dump, uint32_t slot)
{
	const struct mpsan_process *process = &dump->reader.session.table[slot];

	*ARRAY_ADD(&dump->lines) =
		(struct line){.time_ns = process->birth_ns, .slot = slot, .what = "birth"};
	if (process->exec_ns)
		*ARRAY_ADD(&dump->lines) = (struct line){
			.time_ns = process->exec_ns, .slot = slot, .what = "exec_asked"};
	if (process->end_ns)
		*ARRAY_ADD(&dump->lines) =
			(struct line){.time_ns = process->end_ns, .slot = slot, .what = "end"};
}

static void complain_of(const struct dump *dump, uint32_t slot)
{
	AUTO_FREE char *wrong = log_damage_told(&dump->reader, slot);

	if (wrong)
		complain("%s", wrong);
}

static void collect_log(struct dump *dump, uint32_t slot)
{
	struct logfile log;
	struct record record;

	complain_of(dump, slot);
	if (!logfile_open(&log, dump->reader.session.dirfd, slot))
		return;
	while (logfile_next(&log, 0, 0, &record))
		if (record.by < dump->reader.session.slots)
			*ARRAY_ADD(&dump->lines) = (struct line){
				.time_ns = record.time_ns, .slot = record.by, .record = record};
	/* The logs stay mapped until the command ends: the lines point into them. */
}

static int compare_lines(const void *one, const void *other)
{
	const struct line *a = one, *b = other;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	if (a->slot != b->slot)
		return a->slot < b->slot ? -1 : 1;
	return a->record.pos < b->record.pos ? -1 : a->record.pos > b->record.pos;
}

char *dump_session(const char *dir, void (*print)(const json_t *object))
{
	struct dump dump = {0};
	char *wrong = reader_open(&dump.reader, dir, false);

	if (wrong)
		return wrong;
	wrong = log_damage_of_all(&dump.reader.session);
	if (wrong) {
		reader_close(&dump.reader);
		return wrong;
	}
	reader_read(&dump.reader);
	READER_EACH_SLOT(&dump.reader, slot) {
		collect_process(&dump, slot);
		collect_log(&dump, slot);
	}
	collect_log(&dump, dump.reader.session.slots); /* the supervisor's log */
	if (dump.lines.count)
		qsort(dump.lines.item, dump.lines.count, sizeof(struct line), compare_lines);
	for (uint32_t i = 0; i < dump.lines.count; i++) {
		json_auto_t *object = line_json(&dump, &dump.lines.item[i]);

		print(object);
	}
	free(dump.lines.item);
	reader_close(&dump.reader);
	return NULL;
}

struct stream {
	struct dump *dump;
	void (*visit)(const struct dump_event *event, void *context);
	void *context;
};

static void visit_line(const struct stream *stream, const struct line *line)
{
	json_auto_t *object = line_json(stream->dump, line);
	struct dump_event event = {&stream->dump->reader, line->slot, line->record.type,
				   line->time_ns, object};

	stream->visit(&event, stream->context);
}

static void visit_log(const struct stream *stream, uint32_t slot)
{
	const struct session *session = &stream->dump->reader.session;
	struct logfile log;
	struct record record;

	if (!logfile_open(&log, session->dirfd, slot))
		return;
	while (logfile_next(&log, 0, 0, &record)) {
		progress_step(sizeof(struct mpsan_record) + record.bytes);
		if (record.by < session->slots && event_fields(record.type))
			visit_line(stream, &(struct line){.time_ns = record.time_ns,
							  .slot = record.by,
							  .record = record});
	}
	logfile_close(&log);
}

char *dump_stream(const char *dir, void (*visit)(const struct dump_event *event, void *context),
		  void *context)
{
	struct dump dump = {0};
	struct stream stream = {&dump, visit, context};
	char *wrong = reader_open(&dump.reader, dir, false);

	if (wrong)
		return wrong;
	reader_read(&dump.reader);
	progress_again("exporting");
	READER_EACH_SLOT(&dump.reader, slot) {
		collect_process(&dump, slot);
		for (uint32_t i = 0; i < dump.lines.count; i++)
			visit_line(&stream, &dump.lines.item[i]);
		dump.lines.count = 0;
		visit_log(&stream, slot);
	}
	visit_log(&stream, dump.reader.session.slots);
	free(dump.lines.item);
	reader_close(&dump.reader);
	return NULL;
}
