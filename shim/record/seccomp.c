/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Detects seccomp filters at the start and before the program installs one, and evaluates their BPF
 * programs for the library's own system calls.
 */
#include "seccomp.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "log.h"

#define ALL ((1ull << SYS_CALLS) - 1)
#define BIT(name) (1ull << SYS_ROW_##name)
enum unknown { ASSUME, SPARE };
static const uint8_t unknown[] = {
#define CALL(name, what) what,
#include "../../include/mpsan_calls.def"
#undef CALL
};
static uint64_t assumed(void)
{
	uint64_t mask = 0;

	for (unsigned i = 0; i < SYS_CALLS; i++)
		mask |= unknown[i] == ASSUME ? 1ull << i : 0;
	return mask;
}

/* The number of filters; 0: unknown (before Linux 5.9). */
static uint64_t count_filters(void)
{
	static const char key[] = "Seccomp_filters:\t";
	char text[2048];

	if (sys_read_file("/proc/self/status", text, sizeof(text)) <= 0)
		return 0;
	for (const char *c = text; *c; c++)
		if (text_starts(c, key))
			return text_number(c + sizeof(key) - 1, NULL);
	return 0;
}

void seccomp_start(const char *tried)
{
	uint64_t mask, filters;

	if (!tried) {
		if (SYS1(SYS_prctl, PR_GET_SECCOMP) > 0)
			sys_filter(assumed());
		return;
	}
	mask = text_hex(tried);
	while (*tried && *tried++ != '.')
		;
	filters = text_number(tried, NULL);
	sys_filter(assumed() & mask);
	if (filters && filters == count_filters())
		sys_filter(mask);
}

/*
 * Whether a call that matters is forbidden: without the clock's state and the query for filters
 * nothing is missing.
 */
bool seccomp_is_felt(void)
{
	return sys_image.filtered && ~sys_image.calls & ALL & ~(BIT(adjtimex) | BIT(prctl));
}

/* ---- what a filter program says of a call ---- */

#define WORDS ((unsigned)(sizeof(struct seccomp_data) / 4))

static uint32_t calculate(uint16_t code, uint32_t a, uint32_t b)
{
	switch (BPF_OP(code)) {
	case BPF_ADD:
		return a + b;
	case BPF_SUB:
		return a - b;
	case BPF_MUL:
		return a * b;
	case BPF_DIV:
		return b ? a / b : 0;
	case BPF_OR:
		return a | b;
	case BPF_AND:
		return a & b;
	case BPF_XOR:
		return a ^ b;
	case BPF_LSH:
		return b < 32 ? a << b : 0;
	case BPF_RSH:
		return b < 32 ? a >> b : 0;
	default: /* BPF_NEG */
		return -a;
	}
}

static bool compares(uint16_t code, uint32_t a, uint32_t b)
{
	switch (BPF_OP(code)) {
	case BPF_JEQ:
		return a == b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	default: /* BPF_JSET */
		return a & b;
	}
}

struct machine {
	uint32_t a, x, memory[BPF_MEMWORDS];
};

static uint32_t load(const struct machine *m, const struct sock_filter *f, const uint32_t *data)
{
	switch (BPF_MODE(f->code)) {
	case BPF_ABS:
		return f->k / 4 < WORDS ? data[f->k / 4] : 0;
	case BPF_MEM:
		return f->k < BPF_MEMWORDS ? m->memory[f->k] : 0;
	case BPF_LEN:
		return sizeof(struct seccomp_data);
	default: /* BPF_IMM */
		return f->k;
	}
}

/*
 * The verdict of a program for a call. The kernel has checked, or will check, that the program only
 * jumps forward.
 */
static uint32_t verdict(const struct sock_filter *code, uint32_t count, const uint32_t *data)
{
	struct machine m = {0};

	for (uint32_t at = 0; at < count; at++) {
		const struct sock_filter *f = &code[at];
		uint32_t operand = BPF_SRC(f->code) == BPF_X ? m.x : f->k;

		switch (BPF_CLASS(f->code)) {
		case BPF_LD:
			m.a = load(&m, f, data);
			break;
		case BPF_LDX:
			m.x = load(&m, f, data);
			break;
		case BPF_ST:
		case BPF_STX:
			if (f->k < BPF_MEMWORDS)
				m.memory[f->k] = BPF_CLASS(f->code) == BPF_ST ? m.a : m.x;
			break;
		case BPF_ALU:
			m.a = calculate(f->code, m.a, operand);
			break;
		case BPF_JMP:
			at += BPF_OP(f->code) == BPF_JA	      ? f->k :
			      compares(f->code, m.a, operand) ? f->jt :
								f->jf;
			break;
		case BPF_RET:
			return BPF_RVAL(f->code) == BPF_A ? m.a : f->k;
		default: /* BPF_MISC */
			*(BPF_MISCOP(f->code) == BPF_TAX ? &m.x : &m.a) =
				BPF_MISCOP(f->code) == BPF_TAX ? m.a : m.x;
		}
	}
	return SECCOMP_RET_KILL_PROCESS;
}

/*
 * Whether a call passes: an error is harmless; a signal, a tracer's or a listener's answer would
 * affect the program.
 */
static bool passes(const struct sock_filter *code, uint32_t count, long number)
{
	union {
		struct seccomp_data call;
		uint32_t word[WORDS];
	} data = {.call = {.nr = (int)number, .arch = ARCH_AUDIT}};
	uint32_t action;

	data.call.instruction_pointer = (uint64_t)(uintptr_t)sys_call;
	if (number == SYS_openat || number == SYS_mmap)
		data.call.args[2] = number == SYS_mmap ? PROT_READ | PROT_WRITE :
							 O_RDWR | O_CLOEXEC;
	if (number == SYS_rt_sigprocmask) /* as the library calls it: to learn, not to change */
		data.call.args[0] = (uint64_t)-1;
	action = verdict(code, count, data.word) & SECCOMP_RET_ACTION_FULL;
	return action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_ERRNO ||
	       action == SECCOMP_RET_LOG;
}

/* ---- a filter comes ---- */

/* Whether the clock source is read in user space; with others the vDSO asks the kernel. */
static bool reads_clock_in_user_space(void)
{
	static const char *const sources[] = {
		"tsc\n", "kvm-clock\n", "hyperv_clocksource_tsc_page\n", "arch_sys_counter\n"};
	char text[64];

	if (sys_read_file("/sys/devices/system/clocksource/clocksource0/current_clocksource", text,
			  sizeof(text)) <= 0)
		return false;
	for (unsigned i = 0; i < sizeof(sources) / sizeof(*sources); i++)
		if (text_equal(text, sources[i]))
			return true;
	return false;
}

static void filter_judge(struct seccomp_coming *coming, const struct sock_filter *code,
			 uint32_t count)
{
	static const long births[] = {
		SYS_clone,
		SYS_clone3,
#ifdef SYS_fork /* newer architectures have clone alone */
		SYS_fork,
		SYS_vfork,
#endif
	};

	for (unsigned i = 0; i < SYS_CALLS; i++)
		coming->calls |= passes(code, count, sys_number(i)) ? 1ull << i : 0;
	coming->births = false;
	for (unsigned i = 0; i < sizeof(births) / sizeof(*births); i++)
		coming->births |= passes(code, count, births[i]);
}

/*
 * Evaluates the program for each call. A second filter at the same time is not evaluated and allows
 * nothing.
 */
static void read_program(struct seccomp_coming *coming, const void *program)
{
	static struct sock_filter code[BPF_MAXINSNS] LARGE;
	static bool busy;
	struct sock_fprog from;
	long bytes;

	coming->births = true;
	if (__atomic_exchange_n(&busy, true, __ATOMIC_ACQUIRE))
		return;
	if (sys_peek(&from, program, sizeof(from)) == sizeof(from) && from.len <= BPF_MAXINSNS) {
		bytes = (long)(from.len * sizeof(*code));
		if (sys_peek(code, from.filter, (size_t)bytes) == bytes)
			filter_judge(coming, code, from.len);
	}
	__atomic_store_n(&busy, false, __ATOMIC_RELEASE);
}

struct seccomp_coming seccomp_comes(const void *program)
{
	struct seccomp_coming coming = {.pid = sys_pid(), .tid = sys_tid(), .now_ns = sys_now()};

	log_open(); /* later it may be forbidden */
	coming.clock = program && reads_clock_in_user_space(); /* strict mode forbids the counter */
	if (program)
		read_program(&coming, program);
	else
		coming.calls = BIT(read) | BIT(write);
	return coming;
}

bool seccomp_came(const struct seccomp_coming *coming)
{
	bool known = (coming->calls & BIT(getpid)) && (coming->calls & BIT(gettid));
	const uint32_t *tid = (const uint32_t *)(uintptr_t)(sys_pthread() + ARCH_TID_AT);

	if (!coming->clock && !(coming->calls & BIT(clock_gettime)) && !sys_image.no_clock) {
		sys_image.stopped_ns = coming->now_ns;
		sys_image.no_clock = true;
	}
	sys_filter(sys_image.filtered ? sys_image.calls & coming->calls : coming->calls);
	if (!known) {
		sys_image.pid = coming->pid;
		sys_image.tid_at = ARCH_TID_AT && *tid == coming->tid ? ARCH_TID_AT : 0;
	}
	return known || !coming->births;
}
