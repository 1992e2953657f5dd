/*
 * A caching allocator as PyTorch has one: a segment serves many tensors, each sent with the handle of the segment;
 * the consumer opens it once and counts; tensors go back to the cache, and the segment is freed long after the
 * last close.
 */
// expect: none
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

#define TENSORS 20

struct message {
	cudaIpcMemHandle_t segment;
	size_t offset;
};

static void producer(int peer)
{
	struct message message;
	void *segment;
	int round, i;

	must(cudaSetDevice(0) == 0);
	must(cudaMalloc(&segment, BYTES) == 0);
	for (round = 0; round < 3; round++) {
		for (i = 0; i < TENSORS; i++) {
			must(cudaMemset((char *)segment + i * 512, i, 512) == 0);
			must(cudaDeviceSynchronize() == 0);
			must(cudaIpcGetMemHandle(&message.segment, segment) == 0);
			message.offset = (size_t)i * 512;
			put(peer, &message, sizeof(message));
		}
		hear(peer); /* every tensor of the round is dropped: its place is in the cache again */
	}
	must(cudaFree(segment) == 0); /* empty_cache() */
}

/* One mapping for each segment, for as long as somebody uses it. */
static void *opened;
static int users;

static char *take(const struct message *message)
{
	if (users++ == 0)
		must(cudaIpcOpenMemHandle(&opened, message->segment, 1) == 0);
	return (char *)opened + message->offset;
}

static void drop(void)
{
	if (--users == 0)
		must(cudaIpcCloseMemHandle(opened) == 0);
}

static void consumer(int peer)
{
	struct message message;
	int round, i;
	char byte;

	must(cudaSetDevice(0) == 0);
	for (round = 0; round < 3; round++) {
		for (i = 0; i < TENSORS; i++) {
			get(peer, &message, sizeof(message));
			must(cudaMemcpy(&byte, take(&message), 1, DEVICE_TO_HOST) == 0);
			must(byte == i);
		}
		while (users)
			drop();
		tell(peer);
	}
}

int main(void)
{
	return run_pair(producer, consumer);
}
