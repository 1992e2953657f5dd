/*
 * Streams, events and launches: all work but that of pending.c is done when the call that queues it returns, and kernels do
 * nothing. Destroyed objects keep their memory for the next of their kind, so that a stale pointer is told apart.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fake.h"
#include "pending.h"

#define ALIVE 0x6d61657274730000ull

struct CUstream_st {
	uint64_t alive;
	struct CUstream_st *next;
	CUcontext context;
	uint64_t id;
	unsigned flags;
	int priority;
};

static struct CUstream_st *streams;
static struct CUevent_st *events;

/* NULL, 1 and 2 are the default streams. */
static bool stream_ok(CUstream stream)
{
	return (uintptr_t)stream <= 2 || stream->alive == ALIVE;
}

bool event_ok(CUevent event)
{
	return event && event->alive == ALIVE;
}

static CUresult use_stream(CUstream stream)
{
	if (!context_now())
		return CUDA_ERROR_INVALID_CONTEXT;
	return stream_ok(stream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CALL(cuStreamCreateWithPriority, (CUstream * stream, unsigned flags, int priority),
     (stream, flags, priority))
{
	struct CUstream_st *made;

	if (!stream || flags > 1)
		return CUDA_ERROR_INVALID_VALUE;
	if (!context_now())
		return CUDA_ERROR_INVALID_CONTEXT;
	fake_lock();
	made = streams;
	if (made)
		streams = made->next;
	else
		made = malloc(sizeof(*made));
	if (made)
		*made = (struct CUstream_st){ALIVE,	NULL,  context_now(),
					     fake_id(), flags, priority};
	fake_unlock();
	*stream = made;
	return made ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CALL(cuStreamCreate, (CUstream * stream, unsigned flags), (stream, flags))
{
	return do_cuStreamCreateWithPriority(stream, flags, 0);
}

CALL(cuStreamDestroy_v2, (CUstream stream), (stream))
{
	bool fine;

	fake_lock();
	fine = (uintptr_t)stream > 2 && stream_ok(stream);
	if (fine) {
		stream->alive = 0;
		stream->next = streams;
		streams = stream;
	}
	fake_unlock();
	return fine ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
ALSO(cuStreamDestroy, cuStreamDestroy_v2, (CUstream stream), (stream))

static CUresult synchronize(CUstream stream)
{
	CUresult result = use_stream(stream);

	if (result == CUDA_SUCCESS)
		pending_wait(stream, UINT64_MAX);
	return result;
}

CALL(cuStreamSynchronize, (CUstream stream), (stream))
{
	return synchronize(stream);
}
ALSO(cuStreamSynchronize_ptsz, cuStreamSynchronize, (CUstream stream), (stream))

CALL(cuStreamQuery, (CUstream stream), (stream))
{
	CUresult result = use_stream(stream);

	return result == CUDA_SUCCESS && !pending_is_done(stream, UINT64_MAX) ?
		       CUDA_ERROR_NOT_READY :
		       result;
}
ALSO(cuStreamQuery_ptsz, cuStreamQuery, (CUstream stream), (stream))

CALL(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags), (stream, event, flags))
{
	CUresult result = use_stream(stream);

	(void)flags;
	if (result == CUDA_SUCCESS && !event_ok(event))
		return CUDA_ERROR_INVALID_HANDLE;
	return result == CUDA_SUCCESS && !pending_is_done(event->stream, event->after) ?
		       pending_after(stream, event->stream, event->after) :
		       result;
}
ALSO(cuStreamWaitEvent_ptsz, cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags),
     (stream, event, flags))

CALL(cuStreamGetFlags, (CUstream stream, unsigned *flags), (stream, flags))
{
	CUresult result = use_stream(stream);

	if (result == CUDA_SUCCESS)
		*flags = (uintptr_t)stream > 2 ? stream->flags : 0;
	return result;
}
ALSO(cuStreamGetFlags_ptsz, cuStreamGetFlags, (CUstream stream, unsigned *flags), (stream, flags))

CALL(cuStreamGetPriority, (CUstream stream, int *priority), (stream, priority))
{
	CUresult result = use_stream(stream);

	if (result == CUDA_SUCCESS)
		*priority = (uintptr_t)stream > 2 ? stream->priority : 0;
	return result;
}
ALSO(cuStreamGetPriority_ptsz, cuStreamGetPriority, (CUstream stream, int *priority),
     (stream, priority))

CALL(cuStreamGetCtx, (CUstream stream, CUcontext *context), (stream, context))
{
	CUresult result = use_stream(stream);

	if (result == CUDA_SUCCESS)
		*context = (uintptr_t)stream > 2 ? stream->context : context_now();
	return result;
}
ALSO(cuStreamGetCtx_ptsz, cuStreamGetCtx, (CUstream stream, CUcontext *context), (stream, context))

CALL(cuStreamGetId, (CUstream stream, unsigned long long *id), (stream, id))
{
	CUresult result = use_stream(stream);

	if (result == CUDA_SUCCESS)
		*id = (uintptr_t)stream > 2 ? stream->id : (uintptr_t)stream;
	return result;
}
ALSO(cuStreamGetId_ptsz, cuStreamGetId, (CUstream stream, unsigned long long *id), (stream, id))

CALL(cuStreamIsCapturing, (CUstream stream, int *status), (stream, status))
{
	*status = 0;
	return use_stream(stream);
}
ALSO(cuStreamIsCapturing_ptsz, cuStreamIsCapturing, (CUstream stream, int *status),
     (stream, status))

CALL(cuCtxSynchronize, (void), ())
{
	return synchronize(NULL);
}

CALL(cuCtxSynchronize_v2, (CUcontext context), (context))
{
	return context ? CUDA_SUCCESS : synchronize(NULL);
}

CALL(cuCtxGetStreamPriorityRange, (int *least, int *greatest), (least, greatest))
{
	if (least)
		*least = 0;
	if (greatest)
		*greatest = -5;
	return use_stream(NULL);
}

CALL(cuLaunchHostFunc, (CUstream stream, void (*f)(void *), void *data), (stream, f, data))
{
	CUresult result = use_stream(stream);

	if (result == CUDA_SUCCESS && !threads_call(f, data))
		f(data);
	return result;
}
ALSO(cuLaunchHostFunc_ptsz, cuLaunchHostFunc, (CUstream stream, void (*f)(void *), void *data),
     (stream, f, data))

/* Events */

CUevent event_take(unsigned flags)
{
	struct CUevent_st *made;

	fake_lock();
	made = events;
	if (made)
		events = made->next;
	else
		made = malloc(sizeof(*made));
	if (made)
		*made = (struct CUevent_st){.alive = ALIVE, .id = fake_id(), .flags = flags};
	fake_unlock();
	return made;
}

CALL(cuEventCreate, (CUevent * event, unsigned flags), (event, flags))
{
	if (!context_now())
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!event || flags > 7 ||
	    (flags & CU_EVENT_INTERPROCESS && !(flags & CU_EVENT_DISABLE_TIMING)))
		return CUDA_ERROR_INVALID_VALUE;
	*event = event_take(flags);
	return *event ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CALL(cuEventDestroy_v2, (CUevent event), (event))
{
	bool fine;

	fake_lock();
	fine = event_ok(event);
	if (fine) {
		if (event->shared)
			arena_unshare(arena_main(), event->shared);
		event->alive = 0;
		event->next = events;
		events = event;
	}
	fake_unlock();
	return fine ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
ALSO(cuEventDestroy, cuEventDestroy_v2, (CUevent event), (event))

CALL(cuEventRecord, (CUevent event, CUstream stream), (event, stream))
{
	CUresult result = use_stream(stream);
	struct timespec now;

	if (result != CUDA_SUCCESS)
		return result;
	if (!event_ok(event))
		return CUDA_ERROR_INVALID_HANDLE;
	event->stream = stream;
	event->after = pending_newest();
	if (!(event->flags & CU_EVENT_DISABLE_TIMING)) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		event->when = now.tv_sec * 1000000000ull + now.tv_nsec;
	}
	return CUDA_SUCCESS;
}
ALSO(cuEventRecord_ptsz, cuEventRecord, (CUevent event, CUstream stream), (event, stream))

CALL(cuEventRecordWithFlags, (CUevent event, CUstream stream, unsigned flags),
     (event, stream, flags))
{
	return flags > 1 ? CUDA_ERROR_INVALID_VALUE : do_cuEventRecord(event, stream);
}
ALSO(cuEventRecordWithFlags_ptsz, cuEventRecordWithFlags,
     (CUevent event, CUstream stream, unsigned flags), (event, stream, flags))

CALL(cuEventQuery, (CUevent event), (event))
{
	if (!event_ok(event))
		return CUDA_ERROR_INVALID_HANDLE;
	return pending_is_done(event->stream, event->after) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CALL(cuEventSynchronize, (CUevent event), (event))
{
	if (!event_ok(event))
		return CUDA_ERROR_INVALID_HANDLE;
	pending_wait(event->stream, event->after);
	return CUDA_SUCCESS;
}

CALL(cuEventElapsedTime_v2, (float *ms, CUevent start, CUevent end), (ms, start, end))
{
	if (!event_ok(start) || !event_ok(end) || !start->when || !end->when)
		return CUDA_ERROR_INVALID_HANDLE;
	*ms = ((double)end->when - (double)start->when) / 1e6;
	return CUDA_SUCCESS;
}
ALSO(cuEventElapsedTime, cuEventElapsedTime_v2, (float *ms, CUevent start, CUevent end),
     (ms, start, end))

/* Launches */

#define GRID                                                                          \
	unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, \
		unsigned shared

static CUresult launch(CUfunction f, unsigned grid, unsigned block, CUstream stream)
{
	if (!grid || !block || block > 1024)
		return CUDA_ERROR_INVALID_VALUE;
	return f ? use_stream(stream) : CUDA_ERROR_INVALID_HANDLE;
}

CALL(cuLaunchKernel, (CUfunction f, GRID, CUstream stream, void **parameters, void **extra),
     (f, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra))
{
	(void)shared, (void)parameters, (void)extra;
	return launch(f, gx * gy * gz, bx * by * bz, stream);
}
ALSO(cuLaunchKernel_ptsz, cuLaunchKernel,
     (CUfunction f, GRID, CUstream stream, void **parameters, void **extra),
     (f, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra))

CALL(cuLaunchCooperativeKernel, (CUfunction f, GRID, CUstream stream, void **parameters),
     (f, gx, gy, gz, bx, by, bz, shared, stream, parameters))
{
	(void)shared, (void)parameters;
	return launch(f, gx * gy * gz, bx * by * bz, stream);
}
ALSO(cuLaunchCooperativeKernel_ptsz, cuLaunchCooperativeKernel,
     (CUfunction f, GRID, CUstream stream, void **parameters),
     (f, gx, gy, gz, bx, by, bz, shared, stream, parameters))

struct launch_config {
	unsigned grid[3], block[3], shared;
	CUstream stream;
};

CALL(cuLaunchKernelEx,
     (const struct launch_config *config, CUfunction f, void **parameters, void **extra),
     (config, f, parameters, extra))
{
	const unsigned *g, *b;

	(void)parameters, (void)extra;
	if (!config)
		return CUDA_ERROR_INVALID_VALUE;
	g = config->grid;
	b = config->block;
	return launch(f, g[0] * g[1] * g[2], b[0] * b[1] * b[2], config->stream);
}
ALSO(cuLaunchKernelEx_ptsz, cuLaunchKernelEx,
     (const struct launch_config *config, CUfunction f, void **parameters, void **extra),
     (config, f, parameters, extra))
