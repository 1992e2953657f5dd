/* SPDX-License-Identifier: Apache-2.0 */
/* Decides what kind of wait a thread is in: from its state, its call, what its descriptors are, and its frames. */
#include "ps_kind.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../base/jsontext.h"
#include "../base/line.h"
#include "../base/system_calls.h"
#include "../evidence/callsite.h"
#include "../facts/awaited.h"
#include "../proc/calls.h"
#include "../proc/descriptors.h"
#include "../proc/process/status.h"
#include "../waitgraph/handlers.h"
#include "../waitgraph/in_vain.h"
#include "../waits/ledger.h"
#include "../waits/pythreads.h"

#define SPINS_LOOKS 4u /* at a loop, */
#define SPINS_NS \
	2500000000ull /* in that time, all threads together, as they may have no processor */
#define SPINS_PAUSE_MS 2
#define SPINS_ASKED 8u /* threads */
#define BUSY \
	8u /* of so many parts of the time, all but one on a processor, or waiting for one: it does not sleep; */
#define LATE_NS 100000000u /* what it waits for one now is not counted yet */
#define WAKES_OFTEN 4.0 /* a second: it asks again and again */

/* ---- what the kernel and the driver say ---- */

static bool look_at_stop(struct kind_look *look)
{
	uint32_t pid = look->thread->pid;
	char name[PROC_COMMAND_BYTES];

	if (look->state->tracer && (look->state->state == 't' || look->state->state == 'T')) {
		proc_command(look->state->tracer, name);
		kind_is(look, KIND_stopped,
			text_format("by a debugger, process %u (%s)", look->state->tracer, name));
		return true;
	}
	if (look->state->state == 'T') {
		kind_is(look, KIND_stopped,
			text_format("by a signal; kill -CONT %u lets it go on", pid));
		return true;
	}
	if (look->state->state && thread_state_is_frozen(pid)) {
		kind_is(look, KIND_stopped,
			text_copy("its control group is frozen, as docker pause does it"));
		return true;
	}
	return false;
}

/* Whether the call is about a file on a disk, or a page of one. */
static bool is_on_file(const struct kind_look *look, const struct proc_call *call)
{
	struct descriptor descriptor;

	if (call->state != PROC_IN_CALL)
		return true; /* a page fault */
	if (call_is_on_descriptor(call))
		return descriptor_of(look->thread->tid, (int)call->arg[0], &descriptor) &&
		       *descriptor.target == '/' && strncmp(descriptor.target, "/dev/", 5) != 0;
	return call_is_on_path(call);
}

static bool look_at_kernel(struct kind_look *look)
{
	struct proc_call call;
	char place[256], *what;

	if (look->state->state != 'D' || look->thread->lately.ran_ns)
		return false;
	call = proc_call(look->thread->pid, look->thread->tid, NULL);
	if (call.state == PROC_IN_CALL &&
	    (call.number == SYS_vfork || call.number == SYS_clone || call.number == SYS_clone3)) {
		kind_is(look, KIND_process,
			text_copy("a child, from vfork() until it executes a program or ends"));
		return true;
	}
	thread_state_kernel(look->thread->pid, look->thread->tid, place, sizeof(place));
	what = call_text(look->thread->pid, look->thread->tid, &call);
	kind_is(look, is_on_file(look, &call) ? KIND_disk : KIND_kernel,
		text_format("%s%s%s%s", what ? what : "a page of a file",
			    *place ? ", in the kernel at " : "", place,
			    ", which no signal interrupts (state D)"));
	free(what);
	return true;
}

/* The libraries of accelerators, by what their names begin with; and what calls of the program do. */
static bool is_driver(const char *module)
{
	static const char *const names[] = {
		"libcuda.so",	  "libcudart.so",	 "libcudart-",	   "libnvidia-",
		"libamdhip64.so", "libhsa-runtime64.so", "libze_intel_gpu"};

	for (size_t i = 0; module && i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(path_base(module), names[i], strlen(names[i])))
			return true;
	return false;
}

static bool is_driver_call(const char *function)
{
	return function && (!strncmp(function, "cu", 2) || !strncmp(function, "hip", 3) ||
			    !strncmp(function, "ze", 2));
}

/* The outermost function of a driver on a stack: what the program called. Its own threads call none. */
static const char *driver_call(const json_t *stack)
{
	const char *found = NULL;
	json_t *frame;

	JSON_EACH(frame, stack) {
		const char *function = jsontext_string(frame, "function");

		if (is_driver(jsontext_string(frame, "module")) && is_driver_call(function))
			found = function;
	}
	return found;
}

static bool is_accelerator(const char *target)
{
	return !strncmp(target, "/dev/nvidia", 11) || !strncmp(target, "/dev/dri/", 9) ||
	       !strcmp(target, "/dev/kfd");
}

static bool look_at_driver(struct kind_look *look)
{
	const struct proc_call *call = &look->thread->call;
	const char *function = driver_call(look->found->stack);
	struct descriptor descriptor;
	bool in_ioctl = call->state == PROC_IN_CALL && call->number == SYS_ioctl &&
			descriptor_of(look->thread->tid, (int)call->arg[0], &descriptor) &&
			is_accelerator(descriptor.target);

	if (!function && !in_ioctl)
		return false;
	kind_is(look, KIND_gpu,
		function ? text_format("in %s%s%s", function,
				       in_ioctl			? ", in ioctl on " :
				       call->state == PROC_RUNS ? ", which spins" :
								  "",
				       in_ioctl ? descriptor.target : "") :
			   text_format("in ioctl on %s", descriptor.target));
	return true;
}

/* ---- time ---- */

static uint64_t real_of(uint64_t monotonic_ns)
{
	return clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC) + monotonic_ns;
}

static uint64_t sleep_start_ns(const struct kind_look *look)
{
	uint64_t asleep_ns = look->state->asleep_ns;

	return asleep_ns && asleep_ns < look->thread->still_ns ? asleep_ns : look->thread->still_ns;
}

/* When a sleep ends; 0: unknown. `latest`: it may end before, as it began then or earlier. */
static uint64_t sleep_end(const struct kind_look *look, bool *latest)
{
	const struct snapshot_thread *thread = look->thread;
	uint64_t began_ns = sleep_start_ns(look);
	uint64_t ends_ns = call_ends_ns(thread->pid, &thread->call, began_ns);

	*latest = ends_ns != call_ends_ns(thread->pid, &thread->call, began_ns + 1);
	return ends_ns ? real_of(ends_ns) : 0;
}

static bool look_at_sleep(struct kind_look *look)
{
	char clock[16];
	struct tm local;
	time_t seconds;
	bool latest;

	if (look->thread->call.state != PROC_IN_CALL || !call_is_sleep(&look->thread->call))
		return false;
	look->until_ns = sleep_end(look, &latest);
	seconds = (time_t)(look->until_ns / 1000000000u);
	if (!look->until_ns || !localtime_r(&seconds, &local) ||
	    !strftime(clock, sizeof(clock), "%H:%M:%S", &local)) {
		kind_is(look, KIND_sleep, NULL);
	} else {
		uint64_t now_ns = clock_ns(CLOCK_REALTIME);
		AUTO_FREE char *lapse =
			line_lapse((long long)now_ns,
				   (long long)(look->until_ns > now_ns ? look->until_ns : now_ns));

		kind_is(look, KIND_sleep,
			text_format(latest ? "until %s at the latest, in %s" : "until %s, in %s",
				    clock, lapse));
	}
	return true;
}

/* ---- locks, threads, processes, work ---- */

static bool look_at_owner(struct kind_look *look)
{
	const struct ps_awaited *waits = &look->found->waits;

	if (look->wait->kind == MPSAN_WAIT_PROCESS) {
		look->by = (uint32_t)look->wait->lock;
		kind_is(look, KIND_process,
			look->by ? text_format("process %u", look->by) : text_copy("a child"));
		return true;
	}
	if (waits->is_end || look->wait->kind == MPSAN_WAIT_JOIN) {
		kind_is(look, KIND_thread, NULL);
		return true;
	}
	if (!waits->owner.tid || waits->owner.gone)
		return false;
	look->by = waits->owner.pid;
	kind_is(look, KIND_lock, text_copy(waits->text));
	return true;
}

/* What only waits until somebody has work for it. */
static bool look_at_work(struct kind_look *look)
{
	switch (look->found->waits.what) {
	case AWAITED_POOL_WORK:
	case AWAITED_EXECUTOR_WORK:
	case AWAITED_FEEDER_WORK:
	case AWAITED_PEER:
		kind_is(look, KIND_idle, text_copy(look->found->waits.text));
		return true;
	default:
		return false;
	}
}

/* The wait was examined like a proof, and may be meant to last. A handler of a signal is meant to return. */
static bool is_parked(const struct kind_look *look)
{
	uint32_t index = (uint32_t)(look->seen - look->ps->waits->item.item);

	return ledger_of(look->ps->snapshot, index)->stand.idle &&
	       look->ps->graph->solved.dead[index] &&
	       !handlers_run(look->ps->snapshot, look->thread);
}

/* Nobody could end it: that is proved, or may be so. */
static enum kind kind_of_end(const struct kind_look *look)
{
	if (look->wait->for_ever)
		return KIND_endless;
	return is_parked(look) ? KIND_parked : KIND_wait;
}

/* Whether the main thread handles an exception that it will pass on: that is not on purpose. */
static bool cleans_up(const struct kind_look *look)
{
	bool waits = look->kind == KIND_parked || look->kind == KIND_thread ||
		     look->kind == KIND_process;

	return waits && look->thread->tid == look->thread->pid && is_parked(look) &&
	       pythread_cleans(look->thread);
}

/* A process of the program that could end the wait, if there is one besides its own. */
static void look_at_wakers(struct kind_look *look)
{
	const struct waits *waits = look->ps->waits;
	const char *text = look->found->waits.text;

	kind_is(look, kind_of_end(look), text ? text_copy(text) : NULL);
	for (uint32_t i = 0; look->seen->end == WAIT_PROCESSES && i < look->seen->count; i++) {
		uint32_t process = waits->who.item[look->seen->begin + i];
		uint32_t pid = look->ps->snapshot->processes.item[process].pid;

		if (pid == look->thread->pid)
			continue;
		look->by = pid;
		return;
	}
}

/* ---- all of it ---- */

static void measure(struct kind_look *look)
{
	const struct snapshot_thread *thread = look->thread;
	double passed = (double)(look->ps->snapshot->now_ns - thread->seen_ns);

	look->share = look->wakes = passed > 0 ? 0 : -1;
	if (passed <= 0)
		return;
	look->share = thread->time.ran_ns || !thread->runs ?
			      (double)(thread->time.ran_ns - thread->seen_time.ran_ns) / passed :
			      -1;
	look->wakes = (double)(thread->runs - thread->seen_runs) * 1e9 / passed;
}

/* Whether it has run whenever it got a processor: other programs may leave it little of one. */
static bool is_busy(const struct kind_look *look)
{
	const struct snapshot_thread *thread = look->thread;
	uint64_t passed_ns = look->ps->snapshot->now_ns - thread->seen_ns;

	passed_ns -= passed_ns / 2 < LATE_NS ? passed_ns / 2 : LATE_NS;
	return thread->time.ran_ns + thread->time.waited_ns - thread->seen_time.ran_ns -
		       thread->seen_time.waited_ns >=
	       passed_ns / BUSY * (BUSY - 1);
}

/* A thread of a library that looks for events, again and again: nothing says that any is to come. */
static bool look_at_loop(struct kind_look *look)
{
	const struct snapshot_thread *thread = look->thread;

	if (thread->tid == thread->pid || !call_is_poll(&thread->call) || look->wait->for_ever ||
	    json_array_size(look->found->python))
		return false;
	kind_is(look, KIND_idle,
		look->wakes >= WAKES_OFTEN ?
			text_format("events, in a loop that wakes up %.0f times a second",
				    look->wakes) :
			text_copy("events"));
	return true;
}

bool kind_loads_pages(char state, bool in_call, uint64_t read_pages, uint64_t runs)
{
	return !in_call && (state == 'D' || (read_pages && 2 * read_pages >= runs));
}

/* It reads a file, such as a library, through its memory: it wakes up for each piece. */
static bool look_at_pages(struct kind_look *look)
{
	if (!kind_loads_pages(look->state->state, look->thread->call.state == PROC_IN_CALL,
			      look->state->read_pages, look->thread->runs))
		return false;
	kind_is(look, KIND_disk, text_copy("page faults of a file, one after the other"));
	return true;
}

/*
 * Whether it only tests, in one loop: where the profiler is not permitted, or the thread has no processor all that time,
 * nobody knows. Only attach asks, which watches for seconds: the program feels the samples, and should not feel ps and top.
 */
static bool spins(const struct kind_look *look)
{
	static struct {
		uint64_t at_ns, until_ns;
		unsigned count;
	} asked; /* in a crowd that runs, nobody waits until all of them are sampled */
	uint64_t now_ns = look->ps->snapshot->now_ns, loop = 0;
	struct ledger_run run = {0};
	unsigned times = 0;

	if (asked.at_ns != now_ns) {
		asked.count = 0;
		asked.until_ns = clock_ns(CLOCK_MONOTONIC) + SPINS_NS;
	}
	asked.at_ns = now_ns;
	if (look->ps->own || look->thread->call.state != PROC_RUNS || asked.count++ >= SPINS_ASKED)
		return false;
	while (times < SPINS_LOOKS) {
		struct pyspin spin = in_vain_loop(look->thread, &run);

		if (spin.computes || (spin.loop && loop && spin.loop != loop))
			return false;
		loop = spin.loop ? spin.loop : loop;
		times += spin.loop != 0;
		if (spin.loop)
			continue;
		if (clock_ns(CLOCK_MONOTONIC) >= asked.until_ns)
			return false;
		poll(NULL, 0, SPINS_PAUSE_MS);
	}
	return true;
}

static bool look_at_run(struct kind_look *look)
{
	bool runs = look->thread->call.state == PROC_RUNS && look->state->state != 'D';
	bool loads = look->state->state == 'D' && look->thread->call.state == PROC_RUNS;

	if (look->share >= KIND_RUNS_PERCENT / 100.0 ||
	    (runs && (look->share < 0 || is_busy(look)))) {
		kind_is(look, look->share >= 0 && spins(look) ? KIND_spinning : KIND_running, NULL);
		return true;
	}
	if (look->wakes >= WAKES_OFTEN && (runs || loads || look->thread->rounds)) {
		if (look_at_loop(look) || look_at_pages(look))
			return true;
		const char *text = look->found->waits.text;

		kind_is(look, KIND_polling,
			text && !call_is_sleep(&look->thread->call) ? text_copy(text) : NULL);
		return true;
	}
	if (runs) {
		kind_is(look, KIND_running, NULL);
		return true;
	}
	return false;
}

static void look_at(struct kind_look *look)
{
	if (look->thread->call.state == PROC_UNKNOWN && look->state->state != 'D')
		kind_is(look, KIND_unknown, NULL);
	if (look_at_stop(look) || look_at_driver(look) || look_at_kernel(look) ||
	    look_at_run(look) || look->thread->call.state == PROC_UNKNOWN)
		return;
	if (look_at_work(look) || look_at_owner(look) || kind_by_owner(look) || kind_by_fds(look) ||
	    look_at_sleep(look) || look_at_loop(look))
		return;
	look_at_wakers(look);
}

/* In which handler of a signal it is; NULL: in none. */
static char *handler_text(const struct kind_look *look)
{
	const struct callsite callsite = {.native = look->found->stack,
					  .python = look->found->python};
	AUTO_FREE char *handlers = NULL, *text = callsite_handler(&callsite, NULL), *named = NULL;

	if (!*text)
		return NULL;
	handlers = handlers_text(&look->ps->reader->session, look->thread->slot, UINT64_MAX);
	named = callsite_handler(&callsite, handlers);
	return jsontext_safe(text_copy(named + 1));
}

void ps_kind_look(struct ps *ps, struct ps_thread *found, uint32_t index,
		  const struct ps_wait *wait, const struct thread_state *state)
{
	struct kind_look look = {.ps = ps,
				 .found = found,
				 .thread = &ps->snapshot->threads.item[index],
				 .wait = wait,
				 .seen = &ps->waits->item.item[index],
				 .state = state,
				 .kind = KIND_unknown};

	measure(&look);
	look_at(&look);
	if (cleans_up(&look)) {
		if (look.kind == KIND_thread && !look.about)
			look.about = text_copy("the end of a thread");
		look.kind = KIND_cleanup;
	}
	found->seen = true;
	found->kind = look.kind;
	found->about = jsontext_safe(look.about);
	found->by = look.by;
	found->handler = handler_text(&look);
	found->share = look.share;
	found->seen_s = (double)(ps->snapshot->now_ns - look.thread->seen_ns) / 1e9;
	found->wakes = look.wakes;
	found->until_ns = (long long)look.until_ns;
}
