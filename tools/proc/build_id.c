/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the notes of a mapped ELF file: see build_id.h. Numbers in them are not trusted. */
#include "build_id.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "proc.h"

#define SEGMENTS 64u
#define NOTE_BYTES 1024u

static bool write_text(const uint8_t *bytes, uint32_t count, char text[BUILD_ID_TEXT])
{
	if (!count || 2 * count >= BUILD_ID_TEXT)
		return false;
	for (uint32_t i = 0; i < count; i++)
		sprintf(text + (size_t)2 * i, "%02x", bytes[i]);
	return true;
}

static bool scan(const uint8_t *notes, uint64_t bytes, uint64_t align, char text[BUILD_ID_TEXT])
{
	Elf64_Nhdr note;

	for (uint64_t at = 0; at + sizeof(note) < bytes;) {
		uint64_t name = at + sizeof(note), value;

		memcpy(&note, notes + at, sizeof(note));
		value = (name + note.n_namesz + align - 1) & -align;
		at = (value + note.n_descsz + align - 1) & -align;
		if (value + note.n_descsz > bytes)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    !memcmp(notes + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)))
			return write_text(notes + value, note.n_descsz, text);
	}
	return false;
}

bool build_id_find(build_id_peek *peek, const void *context, uint64_t base,
		   char text[BUILD_ID_TEXT])
{
	Elf64_Phdr segment[SEGMENTS];
	uint8_t notes[NOTE_BYTES];
	uint64_t bias = base;
	Elf64_Ehdr head;

	if (!peek(context, base, &head, sizeof(head)) || memcmp(head.e_ident, ELFMAG, SELFMAG) ||
	    head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_phentsize != sizeof(*segment) ||
	    head.e_phnum > SEGMENTS || head.e_phoff > 4096 ||
	    !peek(context, base + head.e_phoff, segment, head.e_phnum * sizeof(*segment)))
		return false;
	for (uint32_t i = 0; i < head.e_phnum; i++)
		if (segment[i].p_type == PT_LOAD) {
			bias = base - (segment[i].p_vaddr & ~0xfffull);
			break;
		}
	for (uint32_t i = 0; i < head.e_phnum; i++) {
		uint64_t bytes = segment[i].p_filesz;

		bytes = bytes < sizeof(notes) ? bytes : sizeof(notes);
		if (segment[i].p_type == PT_NOTE &&
		    peek(context, bias + segment[i].p_vaddr, notes, bytes) &&
		    scan(notes, bytes, segment[i].p_align == 8 ? 8 : 4, text))
			return true;
	}
	return false;
}

static bool peek_process(const void *context, uint64_t from, void *to, size_t bytes)
{
	return proc_peek(*(const uint32_t *)context, from, to, bytes);
}

bool build_id_at(uint32_t pid, uint64_t base, char text[BUILD_ID_TEXT])
{
	return build_id_find(peek_process, &pid, base, text);
}
