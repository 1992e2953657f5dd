/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --report perfetto: the timeline as a Chrome trace, which ui.perfetto.dev opens. Processes and
 * threads have the system's numbers if these are unique; an image before an exec, and the same
 * number on another host, get an unused one. Neighbours: trace_plan.h decides what is drawn where.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/index_map.h"
#include "../base/jsontext.h"
#include "formats.h"
#include "trace_plan.h"

#define PID_FREE 4200000u /* above the kernel's highest pid */

struct trace {
	FILE *out;
	struct trace_plan plan;
	uint32_t *pids, *tids; /* by process, by thread */
	const char *separator;
};

static void out_perfetto_put_text(FILE *out, const char *text)
{
	json_auto_t *string = jsontext_of(text);

	json_dumpf(string, out, JSON_ENCODE_ANY);
}

static void put_args(FILE *out, json_t *args)
{
	fputs(",\"args\":", out);
	json_dumpf(args, out, JSON_COMPACT);
	json_decref(args);
}

/* Begins an event; `name` may be any bytes. */
static void out_perfetto_begin(struct trace *trace, const char *phase, const char *category,
			       const char *name, uint32_t process)
{
	fprintf(trace->out,
		"%s{\"ph\":\"%s\",\"cat\":\"%s\",\"pid\":%u,\"name\":", trace->separator, phase,
		category, trace->pids[process]);
	out_perfetto_put_text(trace->out, name);
	trace->separator = ",\n";
}

static void put_time(struct trace *trace, const char *key, uint64_t ns)
{
	fprintf(trace->out, ",\"%s\":%llu.%03u", key, (unsigned long long)(ns / 1000),
		(unsigned)(ns % 1000));
}

static void put_thread(struct trace *trace, uint32_t thread)
{
	fprintf(trace->out, ",\"tid\":%u", trace->tids[thread]);
}

static uint32_t process_of(const struct trace *trace, uint32_t thread)
{
	return trace->plan.line->threads.item[thread].process;
}

static void out_perfetto_end(struct trace *trace)
{
	fputc('}', trace->out);
}

/* The number itself, or if the trace has it already, an unused one. */
static uint32_t unique(struct index_map *taken, uint32_t number, uint32_t *fresh)
{
	if (!number || index_map_find(taken, 0, number, 0) != FACT_NONE)
		number = (*fresh)++;
	index_map_add(taken, 0, number, 0, 0);
	return number;
}

/* Numbers all processes and threads; a main thread has its process's number. */
static void number_all(struct trace *trace)
{
	const struct timeline *line = trace->plan.line;
	struct index_map *pids = index_map_create(), *tids = index_map_create();
	uint32_t fresh = PID_FREE;

	trace->pids = memory_get((line->processes.count + 1) * sizeof(uint32_t));
	trace->tids = memory_get((line->threads.count + 1) * sizeof(uint32_t));
	for (uint32_t i = line->processes.count; i-- > 0;)
		trace->pids[i] = unique(pids, line->processes.item[i].pid, &fresh);
	for (uint32_t i = 0; i < line->threads.count; i++) {
		const struct line_thread *thread = &line->threads.item[i];
		bool is_main = thread->tid == line->processes.item[thread->process].pid;

		if (is_main)
			index_map_add(tids, 0, trace->tids[i] = trace->pids[thread->process], 0, 0);
	}
	for (uint32_t i = 0; i < line->threads.count; i++)
		if (!trace->tids[i])
			trace->tids[i] = unique(tids, line->threads.item[i].tid, &fresh);
	index_map_destroy(pids);
	index_map_destroy(tids);
}

/* Metadata. */

static void put_meta(struct trace *trace, const char *what, uint32_t process, uint32_t thread,
		     json_t *args)
{
	out_perfetto_begin(trace, "M", "__metadata", what, process);
	if (thread != LINE_NONE)
		put_thread(trace, thread);
	put_args(trace->out, args);
	out_perfetto_end(trace);
}

static char *process_title(const struct trace *trace, const struct line_process *process)
{
	const struct report *report = trace->plan.report;
	const struct report_source *source = process->source < report->source.count ?
						     &report->source.item[process->source] :
						     NULL;
	char *title = text_format("%s (pid %u)", process->name, process->pid);

	if (source && source->rank)
		title = text_join(title, ", ", text_format("rank %s", source->rank));
	if (source && report->source.count > 1)
		title = text_join(title, ", ",
				  text_copy(source->host ? source->host : path_base(source->dir)));
	return title;
}

static void put_names(struct trace *trace)
{
	const struct timeline *line = trace->plan.line;

	for (uint32_t i = 0; i < line->processes.count; i++) {
		AUTO_FREE char *title = process_title(trace, &line->processes.item[i]);

		put_meta(trace, "process_name", i, LINE_NONE,
			 json_pack("{s:o}", "name", jsontext_of(title)));
		put_meta(trace, "process_sort_index", i, LINE_NONE,
			 json_pack("{s:I}", "sort_index", (json_int_t)i));
	}
	for (uint32_t i = 0; i < line->threads.count; i++) {
		put_meta(trace, "thread_name", process_of(trace, i), i,
			 json_pack("{s:o}", "name", jsontext_of(line->threads.item[i].name)));
		put_meta(trace, "thread_sort_index", process_of(trace, i), i,
			 json_pack("{s:I}", "sort_index", (json_int_t)i));
	}
}

/* Events. */

static const char *span_category(const struct line_span *span)
{
	return span->kind == SPAN_WAIT ? "wait" : span->kind == SPAN_HOLD ? "lock" : "region";
}

static char *span_name(const struct line_span *span)
{
	static const char *const verb[] = {
		[SPAN_WAIT] = "waits for", [SPAN_HOLD] = "holds", [SPAN_REGION] = "is in"};

	return text_format("%s %s", verb[span->kind], span->what);
}

static void put_slice(struct trace *trace, const struct planned *event, uint32_t thread,
		      const char *category, const char *name)
{
	out_perfetto_begin(trace, "X", category, name, process_of(trace, thread));
	put_thread(trace, thread);
	put_time(trace, "ts", event->at_ns);
	put_time(trace, "dur", event->lasts_ns);
}

static void put_span(struct trace *trace, const struct planned *event)
{
	const struct line_span *span = &trace->plan.line->spans.item[event->index];
	AUTO_FREE char *name = span_name(span);

	if (event->kind == PLAN_SLICE) {
		put_slice(trace, event, span->thread, span_category(span), name);
	} else {
		out_perfetto_begin(trace, event->kind == PLAN_SPAN_BEGIN ? "b" : "e",
				   span_category(span), name, process_of(trace, span->thread));
		put_thread(trace, span->thread);
		put_time(trace, "ts", event->at_ns);
		fprintf(trace->out, ",\"id\":\"span-%u\"", event->index);
	}
	put_args(trace->out, json_pack("{s:b}", "ended", span->end_ns != 0));
	out_perfetto_end(trace);
}

static void put_flow(struct trace *trace, const struct planned *event)
{
	const struct timeline *line = trace->plan.line;
	const struct line_flow *flow = &line->flows.item[event->index];
	bool starts = event->kind == PLAN_FLOW_BEGIN;
	uint32_t thread = starts ? flow->from : flow->to;
	bool is_fork = flow->kind == FLOW_FORK;

	if (event->kind == PLAN_FORK) {
		put_slice(trace, event, flow->from, "fork", "fork");
		out_perfetto_end(trace);
		return;
	}
	out_perfetto_begin(trace, starts ? "s" : "f", is_fork ? "fork" : "message",
			   is_fork		     ? "fork" :
			   flow->object == LINE_NONE ? "message" :
						       line->objects.item[flow->object].name,
			   process_of(trace, thread));
	put_thread(trace, thread);
	put_time(trace, "ts", event->at_ns);
	fprintf(trace->out, ",\"id\":%u%s", event->index + 1, starts ? "" : ",\"bp\":\"e\"");
	out_perfetto_end(trace);
}

/* An object whose creator is unknown is drawn in the first process. */
static void put_object(struct trace *trace, const struct planned *event)
{
	const struct line_object *object = &trace->plan.line->objects.item[event->index];
	bool is_export = object->kind == OBJECT_EXPORT;

	if (!trace->plan.line->processes.count)
		return;
	out_perfetto_begin(trace, event->kind == PLAN_OBJECT_BEGIN ? "b" : "e",
			   is_export ? "export" : "shared memory", object->name,
			   object->owner == LINE_NONE ? 0 : object->owner);
	put_time(trace, "ts", event->at_ns);
	fprintf(trace->out, ",\"id\":\"object-%u\"", event->index);
	put_args(trace->out, json_pack("{s:I, s:b}", "bytes", (json_int_t)object->bytes, "gone",
				       object->end_ns != 0));
	out_perfetto_end(trace);
}

static void put_use(struct trace *trace, const struct planned *event)
{
	const struct line_use *use = &trace->plan.line->uses.item[event->index];
	const struct line_object *object = &trace->plan.line->objects.item[use->object];
	bool is_export = object->kind == OBJECT_EXPORT;
	AUTO_FREE char *name = text_format("%s %s", is_export ? "opened" : "mapped", object->name);

	out_perfetto_begin(trace, event->kind == PLAN_USE_BEGIN ? "b" : "e",
			   is_export ? "export" : "shared memory", name, use->process);
	put_time(trace, "ts", event->at_ns);
	fprintf(trace->out, ",\"id\":\"use-%u\"", event->index);
	put_args(trace->out, json_pack("{s:I}", "bytes", (json_int_t)object->bytes));
	out_perfetto_end(trace);
}

static void put_level(struct trace *trace, const struct planned *event)
{
	static const char *const names[LEVEL_KINDS] = {
		[LEVEL_MAPPED] = "shared memory mapped",
		[LEVEL_EXPORTED] = "device memory exported",
		[LEVEL_OPENED] = "device memory opened",
	};
	const struct line_level *level = &trace->plan.line->levels.item[event->index];

	out_perfetto_begin(trace, "C", "memory", names[level->kind], level->process);
	put_time(trace, "ts", event->at_ns);
	put_args(trace->out, json_pack("{s:I}", "bytes", (json_int_t)level->bytes));
	out_perfetto_end(trace);
}

static void put_finding(struct trace *trace, const struct planned *event)
{
	const json_t *finding = json_array_get(
		json_object_get(trace->plan.report->document, "findings"), event->index);
	const json_t *step = json_array_get(json_object_get(finding, "evidence"), event->step);
	bool is_step = event->kind == PLAN_STEP;
	AUTO_FREE char *name = is_step ?
				       text_format("%s, step %u: %s", jsontext_at(finding, "rule"),
						   event->step + 1, jsontext_at(step, "role")) :
				       text_format("%s: %s", jsontext_at(finding, "severity"),
						   jsontext_at(finding, "rule"));

	out_perfetto_begin(trace, "i", is_step ? "evidence" : "finding", name,
			   process_of(trace, event->thread));
	put_thread(trace, event->thread);
	put_time(trace, "ts", event->at_ns);
	fputs(",\"s\":\"t\"", trace->out);
	if (is_step)
		put_args(trace->out, json_pack("{s:O?, s:s}", "what", json_object_get(step, "what"),
					       "fingerprint", jsontext_at(finding, "fingerprint")));
	else
		put_args(trace->out, json_pack("{s:s, s:s, s:s, s:s}", "severity",
					       jsontext_at(finding, "severity"), "message",
					       jsontext_at(finding, "message"), "fix",
					       jsontext_at(finding, "fix"), "fingerprint",
					       jsontext_at(finding, "fingerprint")));
	out_perfetto_end(trace);
}

static void put_event(struct trace *trace, const struct planned *event)
{
	switch ((enum planned_kind)event->kind) {
	case PLAN_LIFE:
		put_slice(trace, event, event->index, "life",
			  trace->plan.line->threads.item[event->index].name);
		out_perfetto_end(trace);
		break;
	case PLAN_SLICE:
	case PLAN_SPAN_BEGIN:
	case PLAN_SPAN_END:
		put_span(trace, event);
		break;
	case PLAN_FORK:
	case PLAN_FLOW_BEGIN:
	case PLAN_FLOW_END:
		put_flow(trace, event);
		break;
	case PLAN_OBJECT_BEGIN:
	case PLAN_OBJECT_END:
		put_object(trace, event);
		break;
	case PLAN_USE_BEGIN:
	case PLAN_USE_END:
		put_use(trace, event);
		break;
	case PLAN_LEVEL:
		put_level(trace, event);
		break;
	case PLAN_FINDING:
	case PLAN_STEP:
		put_finding(trace, event);
		break;
	}
}

void out_perfetto(FILE *out, const struct report *report)
{
	struct trace trace = {.out = out, .separator = "\n"};
	const json_t *command = json_object_get(report->document, "command");

	trace_plan_init(&trace.plan, report);
	number_all(&trace);
	fputs("{\"displayTimeUnit\":\"ms\",\"otherData\":", out);
	json_dumpf(json_object_get(report->document, "tool"), out, JSON_COMPACT);
	fprintf(out, ",\"mpsan\":{\"begin_ns\":%llu,\"command\":",
		(unsigned long long)trace.plan.begin_ns);
	json_dumpf(command, out, JSON_COMPACT);
	fputs("},\"traceEvents\":[", out);
	put_names(&trace);
	for (uint32_t i = 0; i < trace.plan.events.count; i++)
		put_event(&trace, &trace.plan.events.item[i]);
	fputs("\n]}\n", out);
	trace_plan_finish(&trace.plan);
	free(trace.pids);
	free(trace.tids);
}
