/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples a thread once by a software clock, which virtual machines and containers have, too. The
 * layout of a record is perf_event_open(2)'s for PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER:
 * which registers there are, their values in the order of their bits; the size of the stack, its
 * bytes, and how many of them are valid.
 */
#include "stack_sample.h"

#include <asm/perf_regs.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../../include/mpsan_log.h"
#include "../../base/filtered.h"
#include "../proc.h"

#define PERIOD_NS \
	10000u /* of processor time until the tick: the least, as one that yields has little */
#define WAIT_MS 20 /* a thread that runs has had its tick by then, on a busy machine, too */
#define RING_BYTES (64u << 10) /* one record has at most 64 KiB */
#define STACK_BYTES (32u << 10)

/* Where the kernel's number of a register stands in mpsan_stack; -1: not there. */
#if defined(__aarch64__)
#define REGISTERS PERF_REG_ARM64_MAX
static int place_of(int number)
{
	return number; /* x0 to x30, sp, pc */
}
#else
#define REGISTERS PERF_REG_X86_64_MAX
static int place_of(int number)
{
	static const int8_t places[] = {
		[PERF_REG_X86_AX] = 0,	   [PERF_REG_X86_DX] = 1,  [PERF_REG_X86_CX] = 2,
		[PERF_REG_X86_BX] = 3,	   [PERF_REG_X86_SI] = 4,  [PERF_REG_X86_DI] = 5,
		[PERF_REG_X86_BP] = 6,	   [PERF_REG_X86_SP] = 7,  [PERF_REG_X86_IP] = 16,
		[PERF_REG_X86_FLAGS] = -1, [PERF_REG_X86_CS] = -1, [PERF_REG_X86_SS] = -1,
		[PERF_REG_X86_DS] = -1,	   [PERF_REG_X86_ES] = -1, [PERF_REG_X86_FS] = -1,
		[PERF_REG_X86_GS] = -1};

	return number < PERF_REG_X86_R8 ? places[number] : number - PERF_REG_X86_R8 + 8;
}
#endif

static uint64_t wanted_registers(void)
{
	uint64_t wanted = 0;

	for (int i = 0; i < REGISTERS; i++)
		if (place_of(i) >= 0)
			wanted |= 1ull << i;
	return wanted;
}

static int open_clock(uint32_t tid, bool in_kernel)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = PERIOD_NS,
		.sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.sample_regs_user = wanted_registers(),
		.sample_stack_user = STACK_BYTES,
		.wakeup_events = 1,
		.exclude_kernel = !in_kernel,
		.exclude_hv = 1,
	};

	return (int)filtered_call(SYS_perf_event_open, (long)&attr, (long)tid, -1, -1,
				  PERF_FLAG_FD_CLOEXEC);
}

/* A record, piece by piece; reading beyond its end yields false. */
struct record {
	const uint8_t *at, *end;
};

static bool take(struct record *record, void *out, uint64_t bytes)
{
	if (bytes > (uint64_t)(record->end - record->at))
		return false;
	memcpy(out, record->at, bytes);
	record->at += bytes;
	return true;
}

static bool take_registers(struct record *record, struct mpsan_stack *stack)
{
	uint64_t abi, value, wanted = wanted_registers();

	if (!take(record, &abi, sizeof(abi)) || abi != PERF_SAMPLE_REGS_ABI_64)
		return false;
	for (int i = 0; i < REGISTERS; i++) {
		if (!(wanted >> i & 1))
			continue;
		if (!take(record, &value, sizeof(value)))
			return false;
		stack->regs[place_of(i)] = value;
		stack->valid |= 1ull << place_of(i);
	}
	return true;
}

static uint64_t take_stack(struct record *record, struct mpsan_stack *stack, uint64_t most)
{
	const uint8_t *bytes;
	uint64_t size, valid;

	if (!take(record, &size, sizeof(size)) || size > (uint64_t)(record->end - record->at))
		return 0;
	bytes = record->at;
	record->at += size;
	if (!take(record, &valid, sizeof(valid)) || valid > size)
		return 0;
	valid = valid < most ? valid : most;
	memcpy(stack + 1, bytes, valid);
	return valid;
}

/* The system call from which a thread returns to `pc`, if its number is set right before it, as in the C library; -1: unknown. */
static long call_before(uint32_t tid, uint64_t pc)
{
#if defined(__aarch64__)
	uint32_t code[2]; /* mov x8, #NUMBER; svc #0 */

	return proc_peek(tid, pc - sizeof(code), code, sizeof(code)) && code[1] == 0xd4000001 &&
			       (code[0] & 0xffe0001f) == 0xd2800008 ?
		       (long)(code[0] >> 5 & 0xffff) :
		       -1;
#else
	uint8_t code[7]; /* mov $NUMBER, %eax; syscall */
	int number;

	if (!proc_peek(tid, pc - sizeof(code), code, sizeof(code)) || code[0] != 0xb8 ||
	    code[5] != 0x0f || code[6] != 0x05)
		return -1;
	memcpy(&number, code + 1, sizeof(number));
	return number;
#endif
}

/* Whether it is in a call in which a thread computes nothing, but lets others run. */
static bool is_in_yield(uint32_t tid, uint64_t pc)
{
	return call_before(tid, pc) == SYS_sched_yield;
}

/* The first record that the kernel has written: it wraps around in no ring that was empty. */
static uint64_t read_ring(const struct perf_event_mmap_page *ring, uint32_t tid,
			  struct mpsan_stack *stack, uint64_t most)
{
	const uint8_t *data = (const uint8_t *)ring + getpagesize();
	uint64_t head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE);
	const struct perf_event_header *first = (const struct perf_event_header *)data;
	struct record record = {data + sizeof(*first), data + first->size};

	if (head < sizeof(*first) || first->size > head || first->type != PERF_RECORD_SAMPLE)
		return 0;
	if (take_registers(&record, stack) &&
	    ((first->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER ||
	     is_in_yield(tid, stack->regs[MPSAN_STACK_PC])))
		return take_stack(&record, stack, most);
	stack->valid = 0;
	return 0;
}

/* `ticked`: there was a tick, if only one that does not count. */
static uint64_t sample(uint32_t tid, bool in_kernel, struct mpsan_stack *stack, uint64_t most,
		       bool *ticked)
{
	struct pollfd ready = {.fd = open_clock(tid, in_kernel), .events = POLLIN};
	const size_t bytes = (size_t)getpagesize() + RING_BYTES;
	uint64_t got = 0;
	void *ring;

	*ticked = ready.fd < 0;
	if (ready.fd < 0)
		return 0;
	ring = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ready.fd, 0);
	if (ring != MAP_FAILED) {
		*ticked = poll(&ready, 1, WAIT_MS) == 1;
		if (*ticked)
			got = read_ring(ring, tid, stack, most);
		munmap(ring, bytes);
	}
	close(ready.fd);
	return got;
}

uint64_t stack_sample(uint32_t tid, struct mpsan_stack *stack, uint64_t most)
{
	bool ticked;
	uint64_t got = sample(tid, true, stack, most, &ticked);

	return got || !ticked ? got : sample(tid, false, stack, most, &ticked);
}
