/*
 * Calls of the CUDA runtime that come back late, or fail: late_cuda CASE. Two processes: one makes memory, the other opens
 * it while the call that made the handle, freed other memory or closed it before is still under way.
 */
// link: -Lbuild/tests/preload/lib -l:late.so -Wl,-rpath,$ORIGIN/../preload/lib -Lbuild/fake -l:libcudart.so.13 -l:libcuda.so.1
#include "late.h"

#include "../preload/cuda.h"

static int socket_to; /* of this process */
static cudaIpcMemHandle_t *shared; /* memory that both see */
static void *memory;

static void make_handle(void)
{
	must(cudaIpcGetMemHandle(shared, memory) == 0);
}

static void *open_handle(void)
{
	void *at;

	must(cudaIpcOpenMemHandle(&at, *shared, 1) == 0);
	return at;
}

static void close_handle(void *at)
{
	must(cudaIpcCloseMemHandle(at) == 0);
}

/* The other process does its part while this one's call is on its way back. */
static void let_other(void)
{
	tell(socket_to);
	hear(socket_to);
	nap();
}

static void begin_device(int peer)
{
	socket_to = peer;
	must(cudaSetDevice(0) == 0);
}

/* ---- the handle is seen before the call that makes it is back ---- */

static void exports_late(int peer)
{
	begin_device(peer);
	must(cudaMalloc(&memory, BYTES) == 0);
	late_after("cudaIpcGetMemHandle", let_other);
	make_handle();
	must(cudaFree(memory) == 0);
}

static void opens_at_once(int peer)
{
	begin_device(peer);
	hear(peer);
	close_handle(open_handle());
	tell(peer);
}

/* ---- what is freed has its address anew before the call is back ---- */

static void make_anew(void)
{
	must(cudaMalloc(&memory, BYTES) == 0);
	make_handle();
	let_other();
}

static void frees_late(int peer)
{
	begin_device(peer);
	must(cudaMalloc(&memory, BYTES) == 0);
	make_handle();
	tell(peer);
	hear(peer);
	late_after("cudaFree", make_anew);
	must(cudaFree(memory) == 0);
	tell(peer);
	hear(peer);
	must(cudaFree(memory) == 0);
}

static void opens_twice(int peer)
{
	void *at;

	begin_device(peer);
	hear(peer);
	close_handle(open_handle());
	tell(peer);
	hear(peer);
	at = open_handle();
	tell(peer);
	hear(peer);
	close_handle(at);
	tell(peer);
}

/* ---- a handle that is opened again while its close is on its way back ---- */

static void *again;

static void open_again(void)
{
	again = open_handle();
	nap();
}

static void exports(int peer)
{
	begin_device(peer);
	must(cudaMalloc(&memory, BYTES) == 0);
	make_handle();
	tell(peer);
	hear(peer);
	must(cudaFree(memory) == 0);
}

static void closes_late(int peer)
{
	begin_device(peer);
	hear(peer);
	late_after("cudaIpcCloseMemHandle", open_again);
	close_handle(open_handle());
	close_handle(again);
	tell(peer);
}

static void opens_late(int peer)
{
	begin_device(peer);
	hear(peer);
	late_after("cudaIpcOpenMemHandle", nap);
	close_handle(open_handle());
	tell(peer);
}

/* ---- calls that fail ---- */

static void fails_to_free(int peer)
{
	begin_device(peer);
	must(cudaMalloc(&memory, BYTES) == 0);
	make_handle();
	tell(peer);
	hear(peer);
	late_fail("cudaFree", 1);
	must(cudaFree(memory) == 1);
	_exit(0);
}

static void keeps_open(int peer)
{
	begin_device(peer);
	hear(peer);
	open_handle();
	tell(peer);
	nap();
}

static void fails_to_close(int peer)
{
	void *at;

	begin_device(peer);
	hear(peer);
	at = open_handle();
	late_fail("cudaIpcCloseMemHandle", 1);
	must(cudaIpcCloseMemHandle(at) == 1);
	tell(peer);
	nap();
	close_handle(at);
}

static void pair(void (*producer)(int), void (*consumer)(int))
{
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	must(shared != MAP_FAILED);
	must(run_pair(producer, consumer) == 0);
}

static void get_handle(void)
{
	pair(exports_late, opens_at_once);
}

static void free_memory(void)
{
	pair(frees_late, opens_twice);
}

static void close_memory(void)
{
	pair(exports, closes_late);
}

static void open_memory(void)
{
	pair(exports, opens_late);
}

static void free_in_vain(void)
{
	pair(fails_to_free, keeps_open);
}

static void close_in_vain(void)
{
	pair(exports, fails_to_close);
}

static const struct late_case table[] = {
	{"cudaIpcGetMemHandle", get_handle, "cudaIpcGetMemHandle"},
	{"cudaFree", free_memory, "cudaFree"},
	{"cudaIpcCloseMemHandle", close_memory, "cudaIpcCloseMemHandle"},
	{"cudaIpcOpenMemHandle", open_memory, "cudaIpcOpenMemHandle"},
	{"cudaFree_fails", free_in_vain, "cudaFree"},
	{"cudaIpcCloseMemHandle_fails", close_in_vain, "cudaIpcCloseMemHandle"},
};

int main(int argc, char **argv)
{
	return LATE_RUN(table, argc, argv);
}
