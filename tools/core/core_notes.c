/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the notes of a core file: threads and their registers, mapped files, what the kernel told at exec. */
#include <elf.h>
#include <signal.h>
#include <string.h>
#include <sys/procfs.h>

#include "../facts/facts.h"
#include "core_parts.h"

#define TID_MAX (1u << 22) /* the kernel's limit */
#define TID_AT 0x2d0u /* of struct pthread, in glibc for x86-64 */
#define STRINGS_MAX (1u << 20) /* mapped files that a core may name */

/* A note's contents. */
struct note {
	const uint8_t *at;
	size_t bytes;
};

/* ---- threads ---- */

static struct core_registers registers_of(const struct elf_prstatus *status)
{
#if defined(__x86_64__)
	struct user_regs_struct regs;

	memcpy(&regs, status->pr_reg, sizeof(regs));
	return (struct core_registers){
		.call = (long)regs.orig_rax,
		.result = (int64_t)regs.rax,
		.argument = {regs.rdi, regs.rsi, regs.rdx, regs.r10, regs.r8, regs.r9},
		.stack = regs.rsp,
		.code = regs.rip,
		.pointer = regs.fs_base};
#else /* the first argument is lost there, and with it the lock: such cores are refused */
	(void)status;
	return (struct core_registers){.call = -1};
#endif
}

static void take_thread(struct core *core, struct note note)
{
	struct elf_prstatus status;
	struct core_thread *thread;

	if (note.bytes < sizeof(status))
		return;
	memcpy(&status, note.at, sizeof(status));
	if (status.pr_pid <= 0 || (uint32_t)status.pr_pid > TID_MAX)
		return;
	if (!core->threads.count)
		core->signal = status.pr_cursig;
	thread = ARRAY_ADD(&core->threads);
	*thread = (struct core_thread){.tid = (uint32_t)status.pr_pid,
				       .told = (uint32_t)status.pr_pid,
				       .blocked = status.pr_sighold};
	thread->regs = registers_of(&status);
}

static void take_process(struct core *core, struct note note)
{
	struct elf_prpsinfo info;

	if (note.bytes < sizeof(info))
		return;
	memcpy(&info, note.at, sizeof(info));
	core->flags = (uint32_t)info.pr_flag;
	core->told_pid = (uint32_t)info.pr_pid;
	core->parent = info.pr_ppid > 0 ? (uint32_t)info.pr_ppid : 0;
	core->uid = info.pr_uid;
	memcpy(core->name, info.pr_fname, sizeof(info.pr_fname));
	memcpy(core->args, info.pr_psargs, sizeof(info.pr_psargs));
}

/* Signals by which a process ends with a core; others are how a debugger stopped it. */
static bool makes_core(int number)
{
	static const int ends[] = {SIGQUIT, SIGILL, SIGABRT, SIGFPE, SIGSEGV,
				   SIGBUS,  SIGSYS, SIGXCPU, SIGXFSZ};

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (ends[i] == number)
			return true;
	return false;
}

/*
 * The number that the thread has for its own process, which is the one in locks: it is in its
 * descriptor. A core that gcore wrote from outside of a container has others.
 */
static void find_own_number(struct core *core, struct core_thread *thread)
{
	uint64_t base = thread->regs.pointer, head[3];
	uint32_t tid = 0;

	if (!base)
		return;
	if (core_read_dumped(core, base, head, sizeof(head)) != sizeof(head) ||
	    core_read_dumped(core, base + TID_AT, &tid, sizeof(tid)) != sizeof(tid))
		core->numbers_unknown = true;
	else if (head[0] == base && head[2] == base && tid && tid <= TID_MAX)
		thread->tid = tid;
}

static void find_own_numbers(struct core *core)
{
	core->pid = core->told_pid ? core->told_pid : core->threads.item[0].told;
	for (uint32_t i = 0; i < core->threads.count; i++)
		find_own_number(core, &core->threads.item[i]);
	for (uint32_t i = 0; i < core->threads.count; i++)
		if (core->threads.item[i].told == core->pid) {
			core->pid = core->threads.item[i].tid;
			break;
		}
	if (core->pid != core->told_pid)
		core->parent = 0; /* it has the other numbering */
}

/* ---- mapped files ---- */

struct file_range {
	uint64_t start, end, page;
};

/* A count, the size of a page, the ranges, then the names, one after the other. */
static void take_files(struct core *core, struct note note)
{
	uint64_t head[2];
	const char *name, *end = (const char *)note.at + note.bytes;
	struct file_range range;

	if (note.bytes < sizeof(head))
		return;
	memcpy(head, note.at, sizeof(head));
	if (head[0] > (note.bytes - sizeof(head)) / sizeof(range))
		return;
	name = (const char *)note.at + sizeof(head) + head[0] * sizeof(range);
	for (uint64_t i = 0; i < head[0]; i++) {
		const char *next = memchr(name, '\0', (size_t)(end - name));

		memcpy(&range, note.at + sizeof(head) + i * sizeof(range), sizeof(range));
		if (!next || core->mappings.count >= STRINGS_MAX)
			return;
		if (range.start < range.end &&
		    (!core->mappings.count ||
		     core->mappings.item[core->mappings.count - 1].end <= range.start))
			*ARRAY_ADD(&core->mappings) =
				(struct core_mapping){.start = range.start,
						      .end = range.end,
						      .offset = range.page * head[1],
						      .path = name,
						      .module = FACT_NONE};
		name = next + 1;
	}
}

static void take_auxiliary(struct core *core, struct note note)
{
	Elf64_auxv_t entry;

	if (note.bytes >= sizeof(core->auxiliary))
		memcpy(core->auxiliary, note.at, sizeof(core->auxiliary));
	for (size_t at = 0; at + sizeof(entry) <= note.bytes; at += sizeof(entry)) {
		memcpy(&entry, note.at + at, sizeof(entry));
		if (entry.a_type == AT_PHDR)
			core->phdr = entry.a_un.a_val;
		else if (entry.a_type == AT_RANDOM)
			core->random = entry.a_un.a_val;
		else if (entry.a_type == AT_SYSINFO_EHDR)
			core->vdso = entry.a_un.a_val;
	}
}

/* ---- all notes ---- */

static void take_note(struct core *core, uint32_t type, struct note note)
{
	switch (type) {
	case NT_PRSTATUS:
		take_thread(core, note);
		break;
	case NT_PRPSINFO:
		take_process(core, note);
		break;
	case NT_FILE:
		if (!core->mappings.count)
			take_files(core, note);
		break;
	case NT_AUXV:
		take_auxiliary(core, note);
		break;
	default:
		break;
	}
}

static void read_segment(struct core *core, const GElf_Phdr *segment)
{
	uint64_t there = segment->p_offset < core->size ? core->size - segment->p_offset : 0,
		 bytes = segment->p_filesz < there ? segment->p_filesz : there;
	Elf_Data *data = bytes ? elf_getdata_rawchunk(core->elf, (int64_t)segment->p_offset, bytes,
						      ELF_T_NHDR) :
				 NULL;
	size_t at = 0, next, name, contents;
	GElf_Nhdr head;

	while (data && (next = gelf_getnote(data, at, &head, &name, &contents))) {
		const char *owner = (const char *)data->d_buf + name;

		if (head.n_namesz == 5 && !memcmp(owner, "CORE", 5))
			take_note(core, head.n_type,
				  (struct note){(const uint8_t *)data->d_buf + contents,
						head.n_descsz});
		at = next;
	}
}

bool core_read_notes(struct core *core)
{
	size_t count = 0;
	GElf_Phdr head;

	elf_getphdrnum(core->elf, &count);
	for (size_t i = 0; i < count && gelf_getphdr(core->elf, (int)i, &head); i++)
		if (head.p_type == PT_NOTE)
			read_segment(core, &head);
	if (!core->threads.count)
		return false;
	if (!makes_core(core->signal))
		core->signal = 0;
	find_own_numbers(core);
	return true;
}
