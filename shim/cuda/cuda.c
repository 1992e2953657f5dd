/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of the CUDA driver in this process, and the calls of a child that inherited it. cuda.h
 * explains it; cuda_memory.c and cuda_ipc.c handle memory.
 */
#include "cuda.h"

#include <string.h>

#include "../common/proof_rule.h"
#include "../intercept/sys.h"
#include "../record/finding_line.h"
#include "../record/log.h"
#include "../record/stack.h"
#include "../record/state.h"
#include "../workers/exceptions.h"
#include "../workers/proc_events.h"
#include "cuda_entry.h"
#include "guards.h"
#include "nccl.h"

#define MARK 0x6d7073616e435544ull
#define STACK_NEAR (256u << 10) /* between a call of the runtime and its calls of the driver */
#define DEVICES 64
#define FUNCTION_BYTES 96

STATE struct cuda cuda;
static TLS struct cuda_call *under_way; /* of the runtime */

/*
 * The runtime's call that this one is part of. A call that siglongjmp abandoned lies below, or at
 * the same place, or was overwritten.
 */
static const struct cuda_call *outer_of(const struct cuda_call *call)
{
	const struct cuda_call *outer = under_way;

	return outer > call && (uint64_t)outer - (uint64_t)call < STACK_NEAR &&
			       outer->mark == (MARK ^ (uint64_t)outer) ?
		       outer :
		       NULL;
}

void *cuda_begin(struct cuda_call *call, enum hook_id id, uint32_t kind, uint64_t caller)
{
	call->id = id;
	call->kind = kind;
	call->caller = caller;
	call->since = 0;
	call->mark = 0;
	call->outermost = true;
	if (HOOK_IS_RUNTIME(id)) {
		call->mark = MARK ^ (uint64_t)call;
		under_way = call;
	} else if (UNLIKELY(under_way != NULL)) {
		call->outermost = !outer_of(call);
	}
	return hook_real_at(id, caller);
}

int cuda_absent(enum hook_id id)
{
	return HOOK_IS_RUNTIME(id) ? (int)cudaErrorInsufficientDriver :
				     (int)CUDA_ERROR_NOT_INITIALIZED;
}

static const struct cuda_call *outermost_of(const struct cuda_call *call)
{
	const struct cuda_call *outer = outer_of(call);

	return outer ? outer : call;
}

struct cuda_where cuda_where(const struct cuda_call *call)
{
	call = outermost_of(call);
	return (struct cuda_where){.function = log_text(hook_name(call->id)),
				   .caller = call->caller,
				   .stack = stack_own(),
				   .python = stack_python(0)};
}

#define FAILED(kind) (2u << 2 * (kind)) /* in cuda.told; the bit below is for success */

/*
 * Whether to record a child's call: once for each kind and outcome, a handful per process. At exit
 * the runtime frees all it has, even in a child that never used CUDA: that says nothing.
 */
static bool is_news(uint32_t kind, int result)
{
	uint32_t bit = kind < CUDA_NO_KIND ? FAILED(kind) >> !result : 0;

	return bit && !(cuda.told & bit) && life_may_state() && !stack_is_exiting() &&
	       !(__atomic_fetch_or(&cuda.told, bit, __ATOMIC_RELAXED) & bit);
}

/* A failed call, or a query with an answer: the result is 0. */
static void print_inherited(const char *function, const struct ev_cuda_call *ev)
{
	bool refused = ev->kind == MPSAN_CUDA_REFUSED;
	char result[16], parent[16];
	const char *const text[] = {function,
				    refused    ? " refused to use CUDA" :
				    ev->result ? " failed with error " :
						 " succeeded",
				    ev->result && !refused ? result : "",
				    ": process ",
				    parent,
				    " had initialised CUDA by ",
				    hook_name(cuda.init_id),
				    " before the fork; ",
				    ev->result ? "CUDA does not work in a forked child" :
						 "the answer holds for that process only, CUDA "
						 "does not work in a forked child",
				    NULL};

	text_put_number(result, result + sizeof(result), ev->result, 10);
	text_put_number(parent, parent + sizeof(parent), cuda.init_pid, 10);
	finding_line_at(proof_rule_cuda(ev->kind, ev->result), ev->caller, text);
}

static void state_inherited(const char *function, const struct cuda_where *where, uint32_t kind,
			    int result)
{
	const struct ev_cuda_call ev = {.function = where->function,
					.kind = kind,
					.result = (uint64_t)(int64_t)result,
					.caller = where->caller,
					.stack = where->stack,
					.python = where->python};

	log_append(EV_cuda_call, &ev, sizeof(ev));
	print_inherited(function, &ev);
}

/*
 * The runtime starts within any function of its own, also in one that needs no device and has no
 * hook, as cudaGetErrorString: its driver's refusal reaches nobody.
 */
static bool is_unasked(const struct cuda_call *call)
{
	return !HOOK_IS_RUNTIME(call->id) && !outer_of(call) && cuda_entry_is_runtime(call->caller);
}

static NOINLINE void look_at_inherited(const struct cuda_call *call, int result)
{
	struct cuda_where where;

	if (is_unasked(call) || !is_news(call->kind, result))
		return;
	GUARDED {
		where = cuda_where(call);
		state_inherited(hook_name(outermost_of(call)->id), &where, call->kind, result);
	}
}

/* `who` refused, in that function. */
static void state_refusal(const char *who, const char *function, uint64_t caller, uint32_t kind,
			  int result)
{
	if (is_news(kind, result))
		state_inherited(who,
				&(struct cuda_where){.function = log_text(function),
						     .caller = caller,
						     .stack = stack_own(),
						     .python = stack_python(0)},
				kind, result);
}

void cuda_refused_child(const char *function, uint64_t caller)
{
	state_refusal(function, function, caller, MPSAN_CUDA_USE, CUDA_ERROR_NOT_INITIALIZED);
}

/* It may do so because the driver has: that was recorded. */
void cuda_refused_by(uint32_t row, const char *framework, const char *function, uint64_t caller)
{
	if (cuda.told & (FAILED(MPSAN_CUDA_INIT) | FAILED(MPSAN_CUDA_USE)))
		return;
	GUARDED
		state_refusal(framework, function, caller, MPSAN_CUDA_REFUSED, (int)row);
}

void cuda_refused_raising(uint32_t row, const char *framework, const char *device,
			  const char *frames)
{
	const char *const text[] = {framework, " refused to use ", device,
				    ": it was initialised before the fork, and does not work in a "
				    "forked child",
				    NULL};
	size_t length = 0;
	char function[FUNCTION_BYTES];
	struct ev_cuda_call ev = {.kind = MPSAN_CUDA_REFUSED, .result = row};

	if (cuda.told & (FAILED(MPSAN_CUDA_INIT) | FAILED(MPSAN_CUDA_USE)) ||
	    !is_news(ev.kind, (int)row))
		return;
	for (; frames[length] && frames[length] != '\t' && length < sizeof(function) - 1; length++)
		function[length] = frames[length];
	function[length] = '\0';
	ev.function = log_text(function);
	ev.python = log_text(frames);
	log_append(EV_cuda_call, &ev, sizeof(ev));
	if (text_equal(device, "CUDA"))
		print_inherited(framework, &ev);
	else
		finding_line_at(RULE_cuda_in_forked_child, 0, text);
}

/*
 * Records an initialisation by the constructor of another library, which may run before this one's.
 */
static void note_early(const struct cuda_call *call)
{
	const struct cuda_call *outer = outermost_of(call);

	if (cuda.early)
		return;
	cuda.early_id = outer->id;
	cuda.early = outer->caller;
}

void cuda_start(void)
{
	exceptions_watch(guards_raised);
	if (!cuda.early)
		return;
	cuda.initialised = true;
	cuda.init_id = cuda.early_id;
	cuda.init_pid = life.pid;
	EMIT(cuda_init, .function = log_text(hook_name(cuda.early_id)), .caller = cuda.early,
	     .stack = stack_own());
}

void cuda_initialised(const struct cuda_call *call)
{
	struct cuda_where where;

	if (!life.attached && !hook_off)
		note_early(call);
	if (cuda.inherited || !life_may_state() ||
	    __atomic_exchange_n(&cuda.initialised, true, __ATOMIC_ACQ_REL))
		return;
	cuda.init_id = outermost_of(call)->id;
	cuda.init_pid = life.pid;
	GUARDED {
		where = cuda_where(call);
		EMIT(cuda_init, .function = where.function, .caller = where.caller,
		     .stack = where.stack, .python = where.python);
		proc_events_main_again(MPSAN_MAIN_CUDA, where.caller);
	}
}

void cuda_context(const struct cuda_call *call, CUdevice device)
{
	uint64_t bit = device >= 0 && device < DEVICES ? 1ull << device : 0;
	struct cuda_where where;

	if (!bit || cuda.devices & bit || cuda.inherited || !life_may_state())
		return;
	cuda_initialised(call);
	if (__atomic_fetch_or(&cuda.devices, bit, __ATOMIC_ACQ_REL) & bit)
		return;
	GUARDED {
		where = cuda_where(call);
		EMIT(cuda_context, .device = (uint64_t)device,
		     .gpu = cuda_gpu(device, call->caller), .function = where.function,
		     .caller = where.caller, .stack = where.stack, .python = where.python);
	}
}

/*
 * Records a context: the runtime reaches its driver in ways that bypass the hooks. A call that
 * succeeded proves that the driver works, and may have created the current context.
 */
static NOINLINE void look_for_context(const struct cuda_call *call)
{
	int device;

	if (!life_may_state())
		return;
	cuda_initialised(call);
	device = cuda_current_device(call->caller);
	cuda_context(call, device);
	cuda.plain = device >= 0;
}

bool cuda_end(struct cuda_call *call, int result)
{
	if (call->mark) {
		call->mark = 0;
		under_way = NULL;
	}
	if (!call->outermost)
		return false;
	if (UNLIKELY(cuda.inherited)) {
		look_at_inherited(call, result);
		return false;
	}
	if (UNLIKELY(hook_off || !life.attached))
		return false;
	if (UNLIKELY(!cuda.plain) && !result && call->kind == MPSAN_CUDA_USE)
		look_for_context(call);
	return true;
}

FORKED void cuda_forked(void)
{
	cuda.inherited |= cuda.initialised;
	if (cuda.inherited)
		guards_put();
	cuda.initialised = false;
	cuda.unsynced = cuda.unsignalled = cuda.calls_back = cuda.plain = false;
	cuda.told = 0;
	cuda.events = 0;
	cuda.devices = 0;
	cuda.early = 0;
	under_way = NULL;
	cuda_memory_forget_all();
}

uint64_t cuda_gpu(int device, uint64_t caller)
{
	static uint64_t known[DEVICES];
	__typeof__(&cuDeviceGetUuid) ask = CUDA_REAL(cuDeviceGetUuid_v2, caller);
	CUuuid uuid;

	if (device < 0 || device >= DEVICES || cuda.inherited)
		return 0;
	if (!ask)
		ask = CUDA_REAL(cuDeviceGetUuid, caller);
	if (!known[device] && ask && ask(&uuid, device) == CUDA_SUCCESS)
		known[device] = cuda_handle(&uuid, sizeof(uuid));
	return known[device];
}

int cuda_current_device(uint64_t caller)
{
	__typeof__(&cuCtxGetDevice) ask = CUDA_REAL(cuCtxGetDevice, caller);
	CUdevice device;

	return !cuda.inherited && ask && ask(&device) == CUDA_SUCCESS ? device : -1;
}

void cuda_memory_device(struct cuda_memory *m, uint64_t address, uint64_t caller)
{
	__typeof__(&cuPointerGetAttribute) ask = CUDA_REAL(cuPointerGetAttribute, caller);

	if (m->device < 0 &&
	    (!ask || ask(&m->device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address) != CUDA_SUCCESS))
		m->device = cuda_current_device(caller);
	if (m->device >= 0 && !m->gpu)
		m->gpu = cuda_gpu(m->device, caller);
}

/*
 * The hook of functions without recording of their own: it checks the state and jumps to the real
 * one. Until there is a context, and in a forked child, it calls the function instead, to see the
 * result, and to be named if the driver functions below record something: all arguments are words,
 * at most sixteen.
 */
typedef uint64_t words(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
		       uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
		       uint64_t, uint64_t);

#define WORDS 16u
#define STACK_WORDS (WORDS - ARCH_ARGUMENTS)

/* The stack may end where its arguments would begin: what is not readable is no argument. */
static void copy_stack(uint64_t *to, const uint64_t *from)
{
	uint32_t here = (uint32_t)(-(uint64_t)from % MPSAN_PAGE / sizeof(*from));
	uint64_t rest = here < STACK_WORDS ? (STACK_WORDS - here) * sizeof(*from) : 0;

	memcpy(to, from, STACK_WORDS * sizeof(*from) - rest);
	if (rest && sys_peek(to + here, from + here, rest) == -EFAULT)
		memset(to + here, 0, rest);
	else if (rest)
		memcpy(to + here, from + here, rest);
}

static NOINLINE void *call_seen(struct pass_regs *regs, enum hook_id id, uint32_t kind)
{
	uint64_t a[WORDS];
	struct cuda_call call;
	words *real = (words *)cuda_begin(&call, id, kind, regs->back);

	memcpy(a, regs->arg, sizeof(regs->arg));
	copy_stack(a + ARCH_ARGUMENTS, regs->stack);
	regs->result = real(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10],
			    a[11], a[12], a[13], a[14], a[15]);
	cuda_end(&call, (int)regs->result);
	return NULL;
}

static inline void *pass(struct pass_regs *regs, enum hook_id id, uint32_t kind)
{
	void *real;

	ENTER_ROW(id);
	real = hook_real_at(id, regs->back);
	if (UNLIKELY(!real)) {
		regs->result = (uint64_t)cuda_absent(id);
		return NULL;
	}
	return LIKELY(cuda.plain) || hook_off ? real : call_seen(regs, id, kind);
}

/* Stubs in arch/ call these. */
void *cuda_pass_use(struct pass_regs *regs, enum hook_id id);
void *cuda_pass_work(struct pass_regs *regs, enum hook_id id);
void *cuda_pass_sync(struct pass_regs *regs, enum hook_id id);
void *cuda_pass_end(struct pass_regs *regs, enum hook_id id);
void *cuda_pass_query(struct pass_regs *regs, enum hook_id id);

void *cuda_pass_use(struct pass_regs *regs, enum hook_id id)
{
	if (id == HOOK_cudaSetDevice && regs->arg[0] < DEVICES &&
	    !(cuda.devices >> regs->arg[0] & 1))
		cuda.plain = false;
	return pass(regs, id, MPSAN_CUDA_USE);
}

static bool is_graph(enum hook_id id)
{
	return id == HOOK_cuGraphLaunch || id == HOOK_cuGraphLaunch_ptsz ||
	       id == HOOK_cudaGraphLaunch || id == HOOK_cudaGraphLaunch_ptsz;
}

static bool is_callback(enum hook_id id)
{
	return (id >= HOOK_cuLaunchHostFunc && id <= HOOK_cuStreamAddCallback_ptsz) ||
	       (id >= HOOK_cudaLaunchHostFunc && id <= HOOK_cudaStreamAddCallback_ptsz);
}

static NOINLINE void note_callbacks(void)
{
	cuda.calls_back = true;
	life_mark(MPSAN_MARK_CALLS_BACK);
}

/* Written only when it changes: threads that queue work share this cache line. */
void *cuda_pass_work(struct pass_regs *regs, enum hook_id id)
{
	if (UNLIKELY(nccl_used) && is_graph(id))
		nccl_launches_graph();
	if (UNLIKELY(is_callback(id)) && !cuda.calls_back)
		note_callbacks();
	if (!cuda.unsynced)
		cuda.unsynced = true;
	return pass(regs, id, MPSAN_CUDA_USE);
}

/* Calls it, to see when it returns: none of these takes more arguments than registers have. */
static NOINLINE void *wait_for_peers(struct pass_regs *regs, enum hook_id id)
{
	const uint64_t *a = regs->arg;
	struct nccl_call call;
	words *real;

	nccl_begin(&call);
	real = (words *)pass(regs, id, MPSAN_CUDA_USE);
	if (real)
		regs->result =
			real(a[0], a[1], a[2], a[3], a[4], a[5], 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	nccl_end(&call);
	return NULL;
}

void *cuda_pass_sync(struct pass_regs *regs, enum hook_id id)
{
	if (cuda.unsynced)
		cuda.unsynced = false;
	return UNLIKELY(nccl_used) ? wait_for_peers(regs, id) : pass(regs, id, MPSAN_CUDA_USE);
}

/* Destructors also run in a child that does not use CUDA: their failure means nothing. */
void *cuda_pass_end(struct pass_regs *regs, enum hook_id id)
{
	return pass(regs, id, CUDA_NO_KIND);
}

void *cuda_pass_query(struct pass_regs *regs, enum hook_id id)
{
	return pass(regs, id, MPSAN_CUDA_QUERY);
}
