/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies memory of this process that may not be mapped. Where another thread may unmap it meanwhile, only the
 * kernel can copy it; elsewhere the kernel is asked whether it can be read, at a ninth of the price.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/uio.h>

#include "hook.h"
#include "sys.h"

#define PAGE 4096u

/* The process of the calling thread, between sys_snapshot_begin and its end. */
static TLS uint32_t snapshot_pid;

/*
 * -EINVAL: the word there can be read, which the kernel does before it finds that nothing is asked of it; -EFAULT: it
 * cannot; 0: it is NULL, no mask.
 */
static long probe(uint64_t word)
{
	return arch_call(SYS_rt_sigprocmask, -1, (long)(word & ~7ull), 0, 8, 0, 0);
}

/*
 * Emulators look at the first argument first, filters answer in their own way, and Valgrind's tools look at what is
 * copied: there the kernel copies. Nothing lies in the last page of all addresses.
 */
static NOINLINE void try_probes(void)
{
	static const uint64_t word;

	sys_image.probes = !sys_image.checked && sys_may(SYS_rt_sigprocmask) &&
					   probe((uint64_t)&word) == -EINVAL &&
					   probe(-(uint64_t)PAGE) == -EFAULT ?
				   1 :
				   -1;
}

static bool probe_works(void)
{
	if (UNLIKELY(!sys_image.probes))
		try_probes();
	return sys_image.probes > 0;
}

static uint64_t readable(uint64_t from, uint64_t bytes)
{
	uint64_t at = from;

	while (at - from < bytes && probe(at) == -EINVAL)
		at = (at | (PAGE - 1)) + 1;
	return at - from < bytes ? at - from : bytes;
}

uint64_t sys_readable(uint64_t from, uint64_t bytes)
{
	return probe_works() ? readable(from, bytes) : 0;
}

/* Copies what no other thread can unmap meanwhile. */
static long peek_plainly(void *to, uint64_t from, size_t bytes)
{
	size_t there = readable(from, bytes);

	memcpy(to, (const void *)from, there);
	return there || !bytes ? (long)there : -EFAULT;
}

/* The slow way, where process_vm_readv is forbidden or missing: filters, containers, emulators. */
static long peek_by_file(const struct iovec *to, const struct iovec *from, size_t count)
{
	long fd = SYS4(SYS_openat, AT_FDCWD, "/proc/self/mem", O_RDONLY | O_CLOEXEC, 0), n = 0,
	     done = 0;

	if (fd < 0)
		return fd;
	for (size_t i = 0; i < count; i++) {
		n = SYS4(SYS_pread64, fd, to[i].iov_base, to[i].iov_len, from[i].iov_base);
		done += n > 0 ? n : 0;
		if (n != (long)to[i].iov_len)
			break;
	}
	SYS1(SYS_close, fd);
	return done || n >= 0 ? done : n == -EIO ? -EFAULT : n;
}

void sys_snapshot_begin(void)
{
	snapshot_pid = sys_pid();
}

void sys_snapshot_end(void)
{
	snapshot_pid = 0;
}

/*
 * Copies from this process to this process. What is written to a process is read as by any system call; what
 * is read from one is pinned, and a page that a child shares is copied for that. Memory checkers believe that
 * what is written elsewhere must be defined here.
 */
static long peek_by_write(const struct iovec *to, const struct iovec *from, size_t count)
{
	struct iovec whole = to[0];
	size_t i = 1;

	if (!snapshot_pid || sys_image.checked || !sys_may(SYS_process_vm_writev))
		return -ENOSYS;
	for (; i < count && to[i].iov_base == (char *)whole.iov_base + whole.iov_len; i++)
		whole.iov_len += to[i].iov_len;
	if (i == count) /* side by side: to be pinned once */
		return SYS6(SYS_process_vm_writev, snapshot_pid, from, count, &whole, 1, 0);
	return SYS6(SYS_process_vm_writev, snapshot_pid, from, count, to, count, 0);
}

/* By thread ID, too: the process ID shows no memory once the main thread has ended. */
static NOINLINE long peek_by_kernel(const struct iovec *to, const struct iovec *from, size_t count)
{
	long got = peek_by_write(to, from, count);

	if (got >= 0 || got == -EFAULT)
		return got;
	if (!sys_may(SYS_process_vm_readv))
		return peek_by_file(to, from, count);
	got = SYS6(SYS_process_vm_readv, sys_pid(), to, count, from, count, 0);
	if (got == -ESRCH)
		got = SYS6(SYS_process_vm_readv, sys_tid(), to, count, from, count, 0);
	return got == -ENOSYS || got == -EPERM ? peek_by_file(to, from, count) : got;
}

static NOINLINE long peek_one_by_kernel(void *to, const void *from, size_t bytes)
{
	struct iovec local = {to, bytes}, remote = {(void *)(uintptr_t)from, bytes};

	return peek_by_kernel(&local, &remote, 1);
}

long sys_peek(void *to, const void *from, size_t bytes)
{
	return !sys_threaded && probe_works() ? peek_plainly(to, (uint64_t)from, bytes) :
						peek_one_by_kernel(to, from, bytes);
}

long sys_peek_own(void *to, const void *from, size_t bytes)
{
	return probe_works() ? peek_plainly(to, (uint64_t)from, bytes) :
			       peek_one_by_kernel(to, from, bytes);
}

static long peek_many_plainly(const struct iovec *to, const struct iovec *from, size_t count)
{
	long done = 0, n;

	for (size_t i = 0; i < count; i++) {
		n = peek_plainly(to[i].iov_base, (uint64_t)from[i].iov_base, from[i].iov_len);
		done += n > 0 ? n : 0;
		if (n != (long)from[i].iov_len)
			return done ? done : n;
	}
	return done;
}

long sys_peek_many(const struct iovec *to, const struct iovec *from, size_t count)
{
	return !sys_threaded && probe_works() ? peek_many_plainly(to, from, count) :
						peek_by_kernel(to, from, count);
}

bool sys_poke(uint64_t to, uint64_t word)
{
	struct iovec local = {&word, sizeof(word)}, remote = {(void *)(uintptr_t)to, sizeof(word)};

	return sys_may(SYS_process_vm_writev) &&
	       SYS6(SYS_process_vm_writev, sys_pid(), &local, 1, &remote, 1, 0) == sizeof(word);
}
