/*
 * A stand-in for the CUDA runtime: every call becomes calls of the driver, which it reaches by one name alone.
 * FAKE_RUNTIME is the major version that it stands for.
 */
#ifndef MPSAN_FAKE_RUNTIME_H
#define MPSAN_FAKE_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../../shim/abi/cuda.h"

#define EXPORT __attribute__((visibility("default")))
#define GRID unsigned, unsigned, unsigned, unsigned, unsigned, unsigned

struct calls {
#define CALL(name, version, ...) CUresult (*name)(__VA_ARGS__);
#include "calls.def"
#undef CALL
};

/* The driver's functions; for each thread's default stream where there is such a form. */
extern struct calls runtime_calls, runtime_thread_calls;
extern int
	runtime_devices; /* counted at the start, as the real one does: a forked child is told that, too */

/* 0, or why the driver cannot be used; the second also gives the thread a context. */
int runtime_start(void);
int runtime_context(void);
/* Remembers a call's error for cudaGetLastError. */
cudaError_t runtime_done(int result);

int runtime_device(void);
/* What every function without a meaning answers. */
int runtime_unsupported(void);

/*
 * RUNTIME(name, parameters, arguments) { … } is an exported function with a context; TWIN is its form for each
 * thread's default stream; STARTED needs an initialised driver alone. The body has `driver` and returns its errors.
 */
#define RUNTIME(name, parameters, arguments) BODY(name, parameters, arguments, runtime_context())
#define STARTED(name, parameters, arguments) BODY(name, parameters, arguments, runtime_start())
#define BODY(name, parameters, arguments, ready)                             \
	static int do_##name(const struct calls *driver, UNWRAP parameters); \
	FORM(name, name, parameters, arguments, &runtime_calls, ready)       \
	static int do_##name(const struct calls *driver, UNWRAP parameters)
#define TWIN(name, body, parameters, arguments) \
	FORM(name, body, parameters, arguments, &runtime_thread_calls, runtime_context())
#define FORM(name, body, parameters, arguments, calls, ready)                              \
	cudaError_t name parameters;                                                       \
	EXPORT cudaError_t name parameters                                                 \
	{                                                                                  \
		int result = ready;                                                        \
		return runtime_done(result ? result : do_##body(calls, UNWRAP arguments)); \
	}
#define UNWRAP(...) __VA_ARGS__

#endif
