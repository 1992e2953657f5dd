/*
 * What stands where in a trace: nesting, flows, memory, findings. Neighbours: tools/formats/trace_plan.h; what is
 * written is held against the format in ../formats.
 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <stdlib.h>

#include "../../tools/formats/trace_plan.h"

#define START 1000000ull

static struct report report;
static struct trace_plan plan;

static int begin(void **state)
{
	struct report_exit end_of_command = {0};

	(void)state;
	report = (struct report){.document = report_create(NULL, &end_of_command),
				 .timeline = timeline_create()};
	return 0;
}

static int end(void **state)
{
	(void)state;
	trace_plan_finish(&plan);
	report_finish(&report);
	return 0;
}

/* A process with its main thread, which lives from START + `from` to START + `to`. */
static void add_process(uint32_t pid, uint64_t from, uint64_t to)
{
	*ARRAY_ADD(&report.timeline->processes) = (struct line_process){.pid = pid,
									.parent = LINE_NONE,
									.name = text_copy("p"),
									.begin_ns = START + from,
									.end_ns = START + to};
	*ARRAY_ADD(&report.timeline->threads) =
		(struct line_thread){.process = report.timeline->processes.count - 1,
				     .tid = pid,
				     .name = text_copy("t"),
				     .begin_ns = START + from};
}

static void add_span(uint32_t thread, uint64_t from, uint64_t to)
{
	*ARRAY_ADD(&report.timeline->spans) = (struct line_span){.thread = thread,
								 .kind = SPAN_HOLD,
								 .begin_ns = START + from,
								 .end_ns = to ? START + to : 0,
								 .what = text_copy("lock")};
}

static void add_flow(enum flow_kind kind, uint32_t from, uint32_t to, uint64_t from_ns,
		     uint64_t to_ns)
{
	*ARRAY_ADD(&report.timeline->flows) = (struct line_flow){.kind = kind,
								 .from = from,
								 .to = to,
								 .from_ns = START + from_ns,
								 .to_ns = START + to_ns,
								 .object = LINE_NONE};
}

/* The event of that kind and index; NULL. */
static const struct planned *event(enum planned_kind kind, uint32_t index)
{
	for (uint32_t i = 0; i < plan.events.count; i++)
		if (plan.events.item[i].kind == kind && plan.events.item[i].index == index)
			return &plan.events.item[i];
	return NULL;
}

static void locks_that_overlap_go_beside_the_track(void **state)
{
	(void)state;
	add_process(7, 0, 100);
	add_span(0, 10, 50);
	add_span(0, 20, 40);
	add_span(0, 30, 60);
	add_span(0, 50, 0);
	trace_plan_init(&plan, &report);
	assert_non_null(event(PLAN_SLICE, 0));
	assert_non_null(event(PLAN_SLICE, 1));
	assert_null(event(PLAN_SLICE, 2));
	assert_int_equal(event(PLAN_SPAN_BEGIN, 2)->at_ns, 30);
	assert_int_equal(event(PLAN_SPAN_END, 2)->at_ns, 60);
	assert_int_equal(event(PLAN_SLICE, 3)->lasts_ns, 50);
}

/* The thread's life is stretched over what is drawn on it, so that a flow is bound to something. */
static void a_life_holds_all_that_is_on_its_track(void **state)
{
	(void)state;
	add_process(7, 10, 50);
	add_process(8, 40, 50);
	add_flow(FLOW_FORK, 0, 1, 20, 30);
	add_span(0, 30, 70);
	trace_plan_init(&plan, &report);
	assert_int_equal(plan.begin_ns, START + 10);
	assert_int_equal(event(PLAN_LIFE, 0)->lasts_ns, 60);
	assert_int_equal(event(PLAN_LIFE, 1)->at_ns, 20);
	assert_int_equal(event(PLAN_FLOW_BEGIN, 0)->at_ns, 10);
	assert_int_equal(event(PLAN_FLOW_END, 0)->at_ns, 20);
}

static void a_fork_ends_before_the_next_and_before_its_parent(void **state)
{
	(void)state;
	add_process(7, 0, 100);
	add_process(8, 30, 100);
	add_process(9, 140, 150);
	add_flow(FLOW_FORK, 0, 1, 10, 30);
	add_flow(FLOW_FORK, 0, 2, 20, 140);
	trace_plan_init(&plan, &report);
	assert_int_equal(event(PLAN_FORK, 0)->lasts_ns, 10);
	assert_int_equal(event(PLAN_FORK, 1)->lasts_ns, 80);
}

/* Two hosts' clocks: a message that seems to arrive before it was sent is no arrow. */
static void no_flow_goes_back_in_time(void **state)
{
	(void)state;
	add_process(7, 0, 100);
	add_process(8, 0, 100);
	add_flow(FLOW_MESSAGE, 0, 1, 50, 40);
	add_flow(FLOW_MESSAGE, 0, 1, 50, 50);
	trace_plan_init(&plan, &report);
	assert_null(event(PLAN_FLOW_BEGIN, 0));
	assert_null(event(PLAN_FLOW_END, 0));
	assert_non_null(event(PLAN_FLOW_END, 1));
}

static void what_has_no_end_lasts_as_long_as_the_trace(void **state)
{
	(void)state;
	add_process(7, 0, 100);
	*ARRAY_ADD(&report.timeline->objects) = (struct line_object){
		.owner = 0, .bytes = 100, .begin_ns = START, .name = text_copy("segment")};
	*ARRAY_ADD(&report.timeline->uses) = (struct line_use){.begin_ns = START + 40};
	*ARRAY_ADD(&report.timeline->levels) =
		(struct line_level){.at_ns = START + 40, .bytes = 100};
	trace_plan_init(&plan, &report);
	assert_int_equal(event(PLAN_OBJECT_END, 0)->at_ns, 100);
	assert_int_equal(event(PLAN_USE_BEGIN, 0)->at_ns, 40);
	assert_int_equal(event(PLAN_USE_END, 0)->at_ns, 100);
	assert_int_equal(event(PLAN_LEVEL, 0)->at_ns, 40);
}

/* Two hosts have a process 7 each, and on each an image follows another: place and time say which is meant. */
static void a_finding_is_of_the_process_that_lived_there_and_then(void **state)
{
	(void)state;
	*ARRAY_ADD(&report.source) =
		(struct report_source){.dir = text_copy("a"), .host = text_copy("one")};
	*ARRAY_ADD(&report.source) =
		(struct report_source){.dir = text_copy("b"), .host = text_copy("other")};
	add_process(7, 0, 100);
	add_process(7, 200, 300);
	add_process(7, 0, 300);
	report.timeline->processes.item[2].source = 1;
	json_array_append_new(json_object_get(report.document, "findings"),
			      json_pack("{s:s, s:i, s:i, s:I, s:[{s:i, s:i, s:I}]}", "host", "one",
					"pid", 7, "tid", 7, "time_ns", (json_int_t)(START + 250),
					"evidence", "pid", 7, "tid", 99, "time_ns",
					(json_int_t)(START + 50)));
	trace_plan_init(&plan, &report);
	assert_int_equal(event(PLAN_FINDING, 0)->thread, 1);
	assert_int_equal(event(PLAN_FINDING, 0)->at_ns, 250);
	assert_int_equal(event(PLAN_STEP, 0)->thread, 0);
	assert_int_equal(event(PLAN_STEP, 0)->at_ns, 50);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		CASE(locks_that_overlap_go_beside_the_track),
		CASE(a_life_holds_all_that_is_on_its_track),
		CASE(a_fork_ends_before_the_next_and_before_its_parent),
		CASE(no_flow_goes_back_in_time),
		CASE(what_has_no_end_lasts_as_long_as_the_trace),
		CASE(a_finding_is_of_the_process_that_lived_there_and_then),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
