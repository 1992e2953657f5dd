/*
 * What the programs of this directory that use CUDA share: two processes of which one makes memory and the other
 * opens it, and the three ways to hand it over: a handle of 64 bytes, a file descriptor of one piece (VMM), a
 * pointer into an exported pool. Link both libraries of ../fake.
 */
#ifndef MPSAN_TESTS_PRELOAD_CUDA_H
#define MPSAN_TESTS_PRELOAD_CUDA_H

#include "lib.h"

#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "../../shim/abi/cuda.h"

#define BYTES (2u << 20) /* what VMM rounds to, too */

/* What the library hands through without a prototype. */
CUresult cuDriverGetVersion(int *version);
CUresult cuDeviceGet(CUdevice *device, int ordinal);
CUresult cuDeviceGetCount(int *count);
CUresult cuCtxGetDevice(CUdevice *device);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuCtxSynchronize(void);
CUresult cuStreamSynchronize(CUstream stream);
CUresult cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t align, CUdeviceptr hint,
			     unsigned long long flags);
CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes);
CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *list,
			size_t count);
CUresult cuMemsetD8_v2(CUdeviceptr address, unsigned char value, size_t count);
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaMemset(void *address, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *address, int value, size_t bytes, cudaStream_t stream);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, int kind);

#define DEVICE_TO_HOST 2

/* What must() is to a condition, to a call of the driver: says the result. */
#define succeeds(call) succeeds_in((call), #call, __LINE__)

static inline void succeeds_in(CUresult result, const char *call, int line)
{
	if (result == CUDA_SUCCESS)
		return;
	fprintf(stderr, "%s:%d: %s returned %d\n", __FILE__, line, call, (int)result);
	_exit(3);
}

/* The driver's part alone, as libraries without the runtime use it. */
static NOINLINE void use_device(int ordinal)
{
	CUdevice device;
	CUcontext context;

	succeeds(cuInit(0));
	succeeds(cuDeviceGet(&device, ordinal));
	succeeds(cuDevicePrimaryCtxRetain(&context, device));
	succeeds(cuCtxSetCurrent(context));
}

/* Two processes and the socket between them. */

static inline void put(int peer, const void *data, size_t bytes)
{
	must(send(peer, data, bytes, MSG_NOSIGNAL) == (ssize_t)bytes);
}

static inline void get(int peer, void *data, size_t bytes)
{
	must(recv(peer, data, bytes, MSG_WAITALL) == (ssize_t)bytes);
}

static inline void tell(int peer)
{
	put(peer, "", 1);
}

static inline void hear(int peer)
{
	char byte;

	get(peer, &byte, 1);
}

/* Returns once the other process has ended. */
static inline void hear_end(int peer)
{
	char byte;

	must(recv(peer, &byte, 1, MSG_WAITALL) <= 0);
}

union fd_message {
	char space[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

static inline struct msghdr fd_header(union fd_message *control, struct iovec *byte)
{
	return (struct msghdr){.msg_iov = byte,
			       .msg_iovlen = 1,
			       .msg_control = control->space,
			       .msg_controllen = sizeof(control->space)};
}

static inline void put_fd(int peer, int fd)
{
	union fd_message control = {{0}};
	struct iovec byte = {"", 1};
	struct msghdr message = fd_header(&control, &byte);
	struct cmsghdr *part = CMSG_FIRSTHDR(&message);

	part->cmsg_level = SOL_SOCKET;
	part->cmsg_type = SCM_RIGHTS;
	part->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(part), &fd, sizeof(fd));
	must(sendmsg(peer, &message, MSG_NOSIGNAL) == 1);
}

static inline int get_fd(int peer)
{
	union fd_message control = {{0}};
	char place;
	struct iovec byte = {&place, 1};
	struct msghdr message = fd_header(&control, &byte);
	int fd = -1;

	must(recvmsg(peer, &message, MSG_CMSG_CLOEXEC) == 1);
	must(CMSG_FIRSTHDR(&message) != NULL);
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
	return fd;
}

static inline pid_t run_side(void (*side)(int), int mine, int other)
{
	pid_t pid = fork();

	must(pid >= 0);
	if (pid == 0) {
		close(other);
		side(mine);
		exit(0); /* as programs end: with exit handlers, and whatever is still open */
	}
	return pid;
}

/* Runs both as children of a process that never touches CUDA. 0, or 3 when one of them was not as it must be. */
static inline int run_pair(void (*producer)(int), void (*consumer)(int))
{
	int ends[2], first, second;
	pid_t one, two;

	must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	one = run_side(producer, ends[0], ends[1]);
	two = run_side(consumer, ends[1], ends[0]);
	close(ends[0]);
	close(ends[1]);
	first = child_wait(one);
	second = child_wait(two);
	return first == 3 || second == 3 ? 3 : 0;
}

/* A piece of memory, made here or of another process, and what is needed to end it. */
struct piece {
	CUdeviceptr address;
	CUmemGenericAllocationHandle handle;
	CUmemoryPool pool;
};

/* A handle of 64 bytes. */

static NOINLINE struct piece legacy_make(void)
{
	struct piece piece = {0};

	succeeds(cuMemAlloc_v2(&piece.address, BYTES));
	succeeds(cuMemsetD8_v2(piece.address, 7, BYTES));
	succeeds(cuCtxSynchronize());
	return piece;
}

static NOINLINE void legacy_send(const struct piece *piece, int peer)
{
	CUipcMemHandle handle;

	succeeds(cuIpcGetMemHandle(&handle, piece->address));
	put(peer, &handle, sizeof(handle));
}

static NOINLINE struct piece legacy_receive(int peer)
{
	struct piece piece = {0};
	CUipcMemHandle handle;

	get(peer, &handle, sizeof(handle));
	succeeds(cuIpcOpenMemHandle_v2(&piece.address, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
	return piece;
}

static NOINLINE void legacy_close(struct piece *piece)
{
	succeeds(cuIpcCloseMemHandle(piece->address));
	memset(piece, 0, sizeof(*piece));
}

static NOINLINE void legacy_free(struct piece *piece)
{
	succeeds(cuMemFree_v2(piece->address));
	memset(piece, 0, sizeof(*piece));
}

/* As PyTorch does it: a number goes over, and the receiver takes the descriptor, which stays open here. */
static inline void offer_fd(int peer, int fd)
{
	int message[2] = {getpid(), fd};

	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	put(peer, message, sizeof(message));
}

/* -1 with errno if the kernel does not let this process take it. */
static NOINLINE int fetch(int peer)
{
	int message[2], pidfd, fd;

	get(peer, message, sizeof(message));
	pidfd = (int)syscall(SYS_pidfd_open, message[0], 0);
	must(pidfd >= 0);
	fd = (int)syscall(SYS_pidfd_getfd, pidfd, message[1], 0);
	close(pidfd);
	return fd;
}

/* Virtual memory management: a file descriptor. */

static inline CUmemAllocationProp vmm_properties(void)
{
	return (CUmemAllocationProp){
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
		.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
	};
}

static NOINLINE void vmm_map(struct piece *piece)
{
	CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0},
				  CU_MEM_ACCESS_FLAGS_PROT_READWRITE};

	succeeds(cuMemAddressReserve(&piece->address, BYTES, 0, 0, 0));
	succeeds(cuMemMap(piece->address, BYTES, 0, piece->handle, 0));
	succeeds(cuMemSetAccess(piece->address, BYTES, &access, 1));
}

static NOINLINE struct piece vmm_make(void)
{
	CUmemAllocationProp properties = vmm_properties();
	struct piece piece = {0};

	succeeds(cuMemCreate(&piece.handle, BYTES, &properties, 0));
	vmm_map(&piece);
	succeeds(cuMemsetD8_v2(piece.address, 7, BYTES));
	succeeds(cuCtxSynchronize());
	return piece;
}

static inline int vmm_export(const struct piece *piece)
{
	int fd = -1;

	succeeds(cuMemExportToShareableHandle(&fd, piece->handle,
					      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	return fd;
}

static inline struct piece vmm_import(int fd)
{
	struct piece piece = {0};

	succeeds(cuMemImportFromShareableHandle(&piece.handle, (void *)(uintptr_t)fd,
						CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
	close(fd);
	vmm_map(&piece);
	return piece;
}

static NOINLINE void vmm_send(const struct piece *piece, int peer)
{
	offer_fd(peer, vmm_export(piece));
}

static NOINLINE struct piece vmm_receive(int peer)
{
	int fd = fetch(peer);

	must(fd >= 0);
	return vmm_import(fd);
}

static NOINLINE void vmm_free(struct piece *piece)
{
	succeeds(cuMemUnmap(piece->address, BYTES));
	succeeds(cuMemRelease(piece->handle));
	succeeds(cuMemAddressFree(piece->address, BYTES));
	memset(piece, 0, sizeof(*piece));
}

#define vmm_close vmm_free

/* Pools: a file descriptor of the pool, then 64 bytes for each allocation. */

static NOINLINE struct piece pool_make(void)
{
	CUmemPoolProps properties = {
		.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
		.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
		.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
	};
	struct piece piece = {0};

	succeeds(cuMemPoolCreate(&piece.pool, &properties));
	succeeds(cuMemAllocFromPoolAsync(&piece.address, BYTES, piece.pool, NULL));
	succeeds(cuMemsetD8_v2(piece.address, 7, BYTES));
	succeeds(cuCtxSynchronize());
	return piece;
}

static NOINLINE void pool_send(const struct piece *piece, int peer)
{
	CUmemPoolPtrExportData data;
	int fd = -1;

	succeeds(cuMemPoolExportToShareableHandle(&fd, piece->pool,
						  CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	put_fd(peer, fd);
	close(fd);
	succeeds(cuMemPoolExportPointer(&data, piece->address));
	put(peer, &data, sizeof(data));
}

static NOINLINE struct piece pool_receive(int peer)
{
	CUmemPoolPtrExportData data;
	int fd = get_fd(peer);
	struct piece piece = {0};

	succeeds(cuMemPoolImportFromShareableHandle(&piece.pool, (void *)(uintptr_t)fd,
						    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	close(fd);
	get(peer, &data, sizeof(data));
	succeeds(cuMemPoolImportPointer(&piece.address, piece.pool, &data));
	return piece;
}

static NOINLINE void pool_free(struct piece *piece)
{
	succeeds(cuMemFreeAsync(piece->address, NULL));
	succeeds(cuStreamSynchronize(NULL));
	succeeds(cuMemPoolDestroy(piece->pool));
	memset(piece, 0, sizeof(*piece));
}

#define pool_close pool_free

/* What the producer wrote is there to read. */
static NOINLINE void look_at(const struct piece *piece)
{
	unsigned char byte = 0;

	succeeds(cuMemcpyDtoH_v2(&byte, piece->address + BYTES - 1, 1));
	must(byte == 7);
}

#endif
