/* SPDX-License-Identifier: Apache-2.0 */
/* Answers libunwind's questions: see walk.h. */
#include "walk.h"

#include <string.h>

#include "../../../shim/common/return_address.h"
#include "machine_code.h"
#include "unwind_alike.h"

/* Exported by libunwind for unwinders that find tables themselves, but declared in no header. */
#define search_unwind_table UNW_OBJ(dwarf_search_unwind_table)
int search_unwind_table(unw_addr_space_t space, unw_word_t ip, unw_dyn_info_t *info,
			unw_proc_info_t *proc, int need_unwind_info, void *arg);

/* Where a cursor stands is asked for by libunwind's own names: aarch64 has no register for it. */
_Static_assert(REG_STACK == UNW_TDEP_SP, "libunwind and DWARF number registers alike");

static unw_addr_space_t space;

/* Makes `address`'s module the current one; false when there is none or its file is of no use. */
static bool walk_seek(struct walk *walk, uint64_t address)
{
	const struct module *module = walk->module;

	if (!module || address < module->base || address >= module->end) {
		module = modules_find(walk->modules, address);
		if (!module)
			return false;
		walk->module = module;
		walk->image = module_image(module);
	}
	return walk->image != NULL;
}

static uint64_t walk_vaddr(const struct walk *walk, uint64_t address)
{
	return address - image_bias(walk->image, walk->module);
}

bool walk_read_stack(const struct walk *walk, uint64_t address, uint64_t *word)
{
	uint64_t offset = address - walk->head->regs[REG_STACK];

	if (offset >= walk->head->bytes || walk->head->bytes - offset < sizeof(*word))
		return false;
	memcpy(word, walk->bytes + offset, sizeof(*word));
	unwind_alike_read(offset, *word);
	return true;
}

/* The vdso is no file: all of it counts. */
static bool may_be_code(struct walk *walk, uint64_t address)
{
	const struct module *module;

	if (walk_seek(walk, address))
		return image_is_code(walk->image, walk_vaddr(walk, address));
	module = modules_find(walk->modules, address);
	return module && module_is_vdso(module);
}

bool walk_read_saved(struct walk *walk, uint64_t address, uint64_t *word)
{
	uint64_t plain;

	if (!walk_read_stack(walk, address, word))
		return false;
	plain = return_address(*word);
	if (plain != *word && may_be_code(walk, plain))
		*word = plain;
	return true;
}

/* A word at the end of a segment is padded with zeros: libunwind reads bytes as aligned words. */
static bool read_image(struct walk *walk, uint64_t address, uint64_t *word)
{
	*word = 0;
	return walk_seek(walk, address) &&
	       image_read(walk->image, walk_vaddr(walk, address), word, sizeof(*word)) > 0;
}

static int access_mem(unw_addr_space_t as, unw_word_t address, unw_word_t *word, int write,
		      void *arg)
{
	struct walk *walk = arg;

	(void)as;
	if (write || walk->reads++ > READS_MAX)
		return -UNW_EINVAL;
	if (walk_read_saved(walk, address, word) || read_image(walk, address, word))
		return 0;
	return -UNW_EINVAL;
}

static int access_reg(unw_addr_space_t as, unw_regnum_t reg, unw_word_t *word, int write, void *arg)
{
	struct walk *walk = arg;

	(void)as;
	if (write || reg < 0 || reg >= MPSAN_STACK_REGS)
		return -UNW_EBADREG;
	if (!(walk->valid >> reg & 1)) {
		walk->frame_wanted |= reg == REG_FRAME;
		walk->link_wanted |= CODE_LINK && reg == CODE_LINK;
		return -UNW_EBADREG;
	}
	*word = walk->regs[reg];
	return 0;
}

static int search_image(struct walk *walk, uint64_t ip, unw_proc_info_t *proc, int need)
{
	const struct image_unwind *unwind;
	uint64_t bias;
	unw_dyn_info_t info = {
		.format = UNW_INFO_FORMAT_REMOTE_TABLE,
	};

	if (!walk_seek(walk, ip))
		return -UNW_ENOINFO;
	unwind = image_unwind(walk->image);
	if (!unwind->entries)
		return -UNW_ENOINFO;
	bias = image_bias(walk->image, walk->module);
	if (CODE_MAY_BE_SIGNED)
		image_hide_signing(walk->image, ip - bias);
	info.start_ip = walk->module->base;
	info.end_ip = walk->module->end;
	info.u.rti.segbase = bias + unwind->header;
	info.u.rti.table_data = bias + unwind->table;
	info.u.rti.table_len = unwind->entries * 8 / sizeof(unw_word_t);
	return search_unwind_table(space, ip, &info, proc, need, walk);
}

static int find_proc_info(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *proc, int need,
			  void *arg)
{
	struct walk *walk = arg;

	(void)as;
	if (search_image(walk, ip, proc, need) >= 0) {
		walk->function = proc->start_ip;
		return 0;
	}
	walk->function = 0;
	walk->blind = true;
	return -UNW_ESTOPUNWIND; /* any other error may start guesses of libunwind's own */
}

static void put_unwind_info(unw_addr_space_t as, unw_proc_info_t *proc, void *arg)
{
	(void)as;
	(void)proc;
	(void)arg;
}

static int get_dyn_info_list(unw_addr_space_t as, unw_word_t *list, void *arg)
{
	(void)as;
	(void)list;
	(void)arg;
	return -UNW_ENOINFO;
}

static int access_fpreg(unw_addr_space_t as, unw_regnum_t reg, unw_fpreg_t *value, int write,
			void *arg)
{
	(void)as;
	(void)reg;
	(void)value;
	(void)write;
	(void)arg;
	return -UNW_EBADREG;
}

static int resume(unw_addr_space_t as, unw_cursor_t *cursor, void *arg)
{
	(void)as;
	(void)cursor;
	(void)arg;
	return -UNW_EINVAL;
}

static int get_proc_name(unw_addr_space_t as, unw_word_t address, char *name, size_t size,
			 unw_word_t *offset, void *arg)
{
	(void)as;
	(void)address;
	(void)name;
	(void)size;
	(void)offset;
	(void)arg;
	return -UNW_ENOINFO;
}

bool walk_may_start(void)
{
	static unw_accessors_t accessors = {
		.find_proc_info = find_proc_info,
		.put_unwind_info = put_unwind_info,
		.get_dyn_info_list_addr = get_dyn_info_list,
		.access_mem = access_mem,
		.access_reg = access_reg,
		.access_fpreg = access_fpreg,
		.resume = resume,
		.get_proc_name = get_proc_name,
	};

	if (!space) {
		space = unw_create_addr_space(&accessors, 0);
		/* libunwind's cache knows addresses only, and each process has other modules there.
		 */
		if (space)
			unw_set_caching_policy(space, UNW_CACHE_NONE);
	}
	return space != NULL;
}

bool walk_start(struct walk *walk)
{
	walk->sp = walk->regs[REG_STACK];
	return unw_init_remote(&walk->cursor, space, walk) >= 0;
}

bool walk_read_code(struct walk *walk, uint64_t address, uint8_t *to, size_t size)
{
	return walk_seek(walk, address) && image_is_code(walk->image, walk_vaddr(walk, address)) &&
	       image_read(walk->image, walk_vaddr(walk, address), to, size) == size;
}

void walk_finish(void)
{
	if (space)
		unw_destroy_addr_space(space);
	space = NULL;
}
