/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The observers of faults: handlers before the program's own. fault.h has the contract;
 * hooks/signal.c asks.
 */
#include "fault.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <ucontext.h>

#include "../common/proof_rule.h"
#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "../record/finding_line.h"
#include "../record/log.h"
#include "../record/stack.h"
#include "../record/state.h"
#include "../record/switch_off.h"
#include "../record/table.h"
#include "dontfork.h"
#include "mapping.h"

#define VIEWS 16u /* a reader's copy is valid until this many actions were set meanwhile */
#define SET_BYTES 8u /* of the kernel's signal sets */
#define ROOM_FOR_STACKS 12288u /* on an alternate stack: room for copies of stack and frames */
#define ROOM_FOR_LINE 4096u
#define ALREADY_RESTORER 0x04000000ul
#define FREE_UNKNOWN UINT64_MAX

/* The kernel's form, for rt_sigaction. */
struct action {
	void (*handler)(int, siginfo_t *, void *);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

static struct observer {
	uint32_t newest; /* view */
	bool spent; /* it has seen its fault, or was removed */
	struct action view[VIEWS]; /* the program's action, current and earlier */
} observers[2];
STATE static uint32_t arming[2]; /* a thread is installing it */

uint8_t fault_watched;

void arch_signal_return(void);

static struct observer *observer_of(int number)
{
	return &observers[number == SIGSEGV];
}

static bool is_watched(int number)
{
	return fault_watched & (number == SIGSEGV ? FAULT_SEGV : FAULT_BUS);
}

static long event(int number, const struct action *new, struct action *old)
{
	return SYS4(SYS_rt_sigaction, number, new, old, SET_BYTES);
}

static void on_fault(int number, siginfo_t *info, void *context);

static bool fault_is_ours(const struct action *action)
{
	return action->handler == on_fault;
}

static bool is_ignored(const struct action *action)
{
	return (void *)action->handler == (void *)SIG_IGN;
}

static void publish(struct observer *o, const struct action *action)
{
	uint32_t next = __atomic_load_n(&o->newest, __ATOMIC_RELAXED) + 1;

	o->view[next % VIEWS] = *action;
	__atomic_store_n(&o->newest, next, __ATOMIC_RELEASE);
}

/* The program's action while an observer is installed. */
static struct action view_of(const struct observer *o)
{
	return o->view[__atomic_load_n(&o->newest, __ATOMIC_ACQUIRE) % VIEWS];
}

static bool same(const struct action *a, const struct action *b)
{
	return a->handler == b->handler && a->flags == b->flags && a->mask == b->mask;
}

/*
 * The observer's action. An ignored signal keeps its action, which unlike a handler survives an
 * exec. Interrupted calls restart or not as with the program's own action.
 */
static const struct action observing = {.handler = on_fault,
					.flags = SA_SIGINFO | SA_ONSTACK | ALREADY_RESTORER,
					.restorer = arch_signal_return,
					.mask = ~0ull};

static void put_in_place(struct observer *o, int number)
{
	struct action program, before, ours = observing;

	if (event(number, NULL, &program) < 0 || is_ignored(&program) || fault_is_ours(&program))
		return;
	publish(o, &program);
	ours.flags |= program.flags & SA_RESTART;
	if (event(number, &ours, &before) < 0 || fault_is_ours(&before) || same(&before, &program))
		return;
	/* another thread was faster: the program's action is what it has set */
	publish(o, &before);
	if (is_ignored(&before))
		event(number, &before, NULL);
}

static void arm(int number)
{
	struct observer *o = observer_of(number);
	uint32_t *busy = &arming[number == SIGSEGV];

	if (o->spent || __atomic_exchange_n(busy, 1, __ATOMIC_ACQUIRE))
		return;
	put_in_place(o, number);
	__atomic_store_n(busy, 0, __ATOMIC_RELEASE);
}

static void give_way(int number)
{
	struct action program = view_of(observer_of(number));

	if (fault_is_ours(&program))
		memset(&program, 0, sizeof(program));
	event(number, &program, NULL);
}

/* Restores the program's action, unless it was replaced meanwhile. */
static void disarm(int number)
{
	struct action now;

	if (event(number, NULL, &now) >= 0 && fault_is_ours(&now))
		give_way(number);
}

/* One system call: there is no other thread yet, and a new image handles no signal. */
void fault_start(void)
{
	struct action before;

	fault_watched |= FAULT_BUS;
	if (event(SIGBUS, &observing, &before) < 0)
		return;
	publish(&observers[0], &before);
	if (is_ignored(&before))
		event(SIGBUS, &before, NULL);
}

void fault_watch(uint8_t which)
{
	if ((fault_watched & which) == which || !life_may_state())
		return;
	__atomic_fetch_or(&fault_watched, which, __ATOMIC_ACQ_REL);
	if (which & FAULT_BUS)
		arm(SIGBUS);
	if (which & FAULT_SEGV)
		arm(SIGSEGV);
}

FORKED void fault_forked(void)
{
	arming[0] = arming[1] = 0;
	if (dontfork_born())
		fault_watch(FAULT_SEGV);
}

void fault_end(void)
{
	static const int number[] = {SIGBUS, SIGSEGV};

	for (unsigned i = 0; i < 2; i++) {
		if (!is_watched(number[i]))
			continue;
		if (!life_is_guest())
			observer_of(number[i])->spent = true;
		disarm(number[i]);
	}
}

/* Gets the program's action if `handler` is an observer's; false: it is not. */
static bool stands_for(int number, const void *handler, struct action *program)
{
	if (handler != (const void *)on_fault)
		return false;
	*program = view_of(observer_of(number));
	if (fault_is_ours(program))
		memset(program, 0, sizeof(*program));
	return true;
}

static void changed_by_program(int number)
{
	if (is_watched(number) && life_may_state())
		arm(number);
}

void fault_asked(int number, bool changed, struct sigaction *old)
{
	struct action program;

	if (old && stands_for(number, (const void *)old->sa_handler, &program)) {
		old->sa_handler = (fault_handler)(void *)program.handler;
		old->sa_flags = (int)program.flags;
		old->sa_restorer = program.restorer;
		memcpy(&old->sa_mask, &program.mask, SET_BYTES);
	}
	if (changed)
		changed_by_program(number);
}

fault_handler fault_answered(int number, bool changed, fault_handler old)
{
	struct action program;

	if (stands_for(number, (const void *)old, &program))
		old = (fault_handler)(void *)program.handler;
	if (changed)
		changed_by_program(number);
	return old;
}

void fault_asked_raw(int number, bool changed, void *old)
{
	struct action program, *answer = old;

	if (answer && stands_for(number, (const void *)answer->handler, &program))
		*answer = program;
	if (changed)
		changed_by_program(number);
}

void fault_aside(int number)
{
	disarm(number);
}

void fault_back(int number)
{
	changed_by_program(number);
}

/* Whether the instruction raises the fault again when it is retried. */
static bool comes_again(int number, int code)
{
	if (number == SIGBUS)
		return code == BUS_ADRALN || code == BUS_ADRERR || code == BUS_OBJERR ||
		       code == BUS_MCEERR_AR;
	return code == SEGV_MAPERR || code == SEGV_ACCERR || code == SEGV_PKUERR;
}

/*
 * Whether the stack has room: on a small alternate stack the event is recorded without a stack, and
 * nothing is printed.
 */
static bool has_room(uint64_t bytes)
{
	uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
	stack_t alternate;

	if (SYS2(SYS_sigaltstack, NULL, &alternate) < 0)
		return false;
	return !(alternate.ss_flags & SS_ONSTACK) ||
	       here - (uint64_t)(uintptr_t)alternate.ss_sp >= bytes;
}

/* The free space of a segment's file system, which must be that of /dev/shm. */
static uint64_t free_of(uint64_t device)
{
	struct stat st;
	struct statfs fs;

	if (SYS4(SYS_newfstatat, -1, "/dev/shm", &st, 0) < 0 || st.st_dev != device ||
	    SYS2(SYS_statfs, "/dev/shm", &fs) < 0)
		return FREE_UNKNOWN;
	return (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize;
}

static bool describe_segment(struct ev_fault *ev)
{
	struct mapping mapping;

	if (!mapping_find(ev->address, &mapping))
		return false;
	ev->device = mapping.device;
	ev->inode = mapping.inode;
	ev->bytes = mapping.range.bytes;
	ev->free = free_of(mapping.device);
	return true;
}

static bool describe_excluded(struct ev_fault *ev)
{
	struct dontfork dontfork;

	if (ev->code != SEGV_MAPERR || !dontfork_find(ev->address, &dontfork))
		return false;
	ev->by = dontfork.caller;
	ev->excluded = dontfork.record;
	ev->bytes = dontfork.end - dontfork.start;
	return true;
}

static void fault_print(const struct ev_fault *ev)
{
	char address[24], bytes[24];
	const char *const text[] = {"SIGBUS at 0x",
				    address,
				    ", in ",
				    bytes,
				    " bytes of shared memory: /dev/shm is full",
				    NULL};

	text_put_number(address, address + sizeof(address), ev->address, 16);
	text_put_number(bytes, bytes + sizeof(bytes), ev->bytes, 10);
	finding_line_at(proof_rule_fault(ev->signal, ev->free), ev->caller, text);
}

static void fault_tell(int number, const siginfo_t *info, const void *context)
{
	struct ev_fault ev = {.signal = (uint64_t)number,
			      .address = (uint64_t)(uintptr_t)info->si_addr,
			      .code = (uint64_t)info->si_code};
	uint64_t regs[MPSAN_STACK_REGS];

	if (number == SIGBUS ? !describe_segment(&ev) : !describe_excluded(&ev))
		return;
	arch_registers_of(context, regs);
	ev.caller = regs[MPSAN_STACK_PC];
	if (has_room(ROOM_FOR_STACKS)) {
		ev.stack = stack_at(regs);
		ev.python = stack_python(0);
	}
	log_append(EV_fault, &ev, sizeof(ev));
	if (has_room(ROOM_FOR_LINE))
		fault_print(&ev);
}

static uint64_t guarded, guarded_bytes;

void fault_guard(const void *memory, uint64_t bytes)
{
	guarded_bytes = bytes;
	__atomic_store_n(&guarded, (uint64_t)(uintptr_t)memory, __ATOMIC_RELEASE);
}

static bool guards(uint64_t address, uint64_t *end)
{
	uint64_t start = __atomic_load_n(&guarded, __ATOMIC_ACQUIRE);

	*end = start + guarded_bytes;
	return start && address >= start && address < *end;
}

/*
 * Handles a fault in a file of the session, which anyone with write access may truncate: maps
 * anonymous memory over what is missing, and stops recording. Touches nothing else of the library:
 * it may be missing as well, and a second fault would kill the process.
 */
static bool make_good(const siginfo_t *info)
{
	uint64_t address = (uint64_t)(uintptr_t)info->si_addr, end = 0,
		 page = address & ~(uint64_t)(MPSAN_PAGE - 1);
	long map;

	if (info->si_code != BUS_ADRERR ||
	    (!log_owns(address, &end) && !table_owns(address, &end) && !guards(address, &end)))
		return false;
	map = SYS6(SYS_mmap, page, end - page, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
	if (map != (long)page)
		return false;
	if (!hook_off)
		switch_off_cut_short();
	hook_off = true;
	return true;
}

/*
 * The handler; runs with all signals blocked. A fault inside a hook is not the program's: it is not
 * recorded, and takes its course. A handler that replaced this one unseen and chains to it gets the
 * action that was installed before.
 */
static void on_fault(int number, siginfo_t *info, void *context)
{
	bool again = info->si_code > 0 && comes_again(number, info->si_code);
	int error = errno;
	bool guest;

	if (number == SIGBUS && make_good(info)) {
		errno = error;
		return;
	}
	guest = life_is_guest();
	if (!guest)
		observer_of(number)->spent = true;
	give_way(number);
	if (again && !guest && life.attached && !hook_off && !hook_guard)
		GUARDED {
			fault_tell(number, info, context);
		}
	if (!again)
		SYS4(SYS_rt_tgsigqueueinfo, sys_pid(), sys_tid(), number, info);
	errno = error;
}
