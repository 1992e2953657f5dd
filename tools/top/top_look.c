/* SPDX-License-Identifier: Apache-2.0 */
/* See top.h: examines one session again and again. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "../proc/proc.h"
#include "../ps/ipc_list.h"
#include "../ps/ps_memory.h"
#include "top.h"

#define MEMORY_NS 5000000000ull /* between reading shared memory while it is not shown */

static void add_shared(struct ps_picture *found)
{
	for (uint32_t i = 0; i < found->processes.count; i++) {
		struct ps_process *process = &found->processes.item[i];

		if (process->life == PS_ALIVE)
			process->shm_bytes = proc_shared_bytes(process->pid);
	}
}

static void see_room(struct top_picture *picture)
{
	struct statvfs room;

	if (statvfs("/dev/shm", &room))
		return;
	picture->shm_bytes = room.f_frsize * room.f_blocks;
	picture->shm_free = room.f_frsize * room.f_bavail;
}

static json_t *see_exports(const char *dir)
{
	struct ipc_list list;
	char *wrong = ipc_list_open(&list, dir);
	json_t *document;

	free(wrong);
	if (wrong)
		return NULL;
	document = ipc_list_document(&list);
	ipc_list_close(&list);
	return document;
}

static void see_memory(struct top_look *look)
{
	json_decref(look->picture.memory);
	look->picture.memory = ps_memory_look(&look->ps);
	json_decref(look->picture.exports);
	look->picture.exports = see_exports(look->ps.reader->session.dir);
	look->memory_ns = look->ps.now_ns;
}

static void top_look_see(struct top_look *look)
{
	struct ps_picture *before = look->picture.found;

	look->picture.found = ps_picture(&look->ps, before);
	ps_picture_free(before);
	if (look->ps.live)
		add_shared(look->picture.found);
	see_room(&look->picture);
}

static uint64_t inode_of(const char *dir)
{
	struct stat st;

	return stat(dir, &st) ? 0 : st.st_ino;
}

char *top_look_open(struct top_look *look, const char *dir)
{
	char *wrong;

	*look = (struct top_look){0};
	wrong = ps_open(&look->ps, dir);
	if (wrong)
		return wrong;
	look->inode = inode_of(dir);
	look->picture.state = look->ps.live		  ? TOP_LIVE :
			      look->ps.reader->used.count ? TOP_DEAD :
							    TOP_EMPTY;
	if (look->ps.live)
		ps_look(&look->ps);
	top_look_see(look);
	see_memory(look);
	return NULL;
}

void top_look_close(struct top_look *look)
{
	if (!look->picture.found)
		return; /* could not be opened */
	ps_picture_free(look->picture.found);
	json_decref(look->picture.memory);
	json_decref(look->picture.exports);
	ps_close(&look->ps);
}

/* Keeps the last state, and adds what is found at the end. */
static void top_look_end(struct top_look *look)
{
	ps_end(&look->ps);
	look->picture.state = TOP_ENDED;
	ps_picture_judge(&look->ps, look->picture.found);
}

/* A session is created before its first process: top may start in between. */
static void begin_anew(struct top_look *look)
{
	AUTO_FREE char *dir = NULL, *wrong = NULL;

	if (!__atomic_load_n(&look->ps.reader->session.head->claimed, __ATOMIC_ACQUIRE))
		return;
	dir = text_copy(look->ps.reader->session.dir);
	top_look_close(look);
	wrong = top_look_open(look, dir);
	if (wrong)
		look->picture.state = TOP_VANISHED;
}

void top_look_again(struct top_look *look, bool memory)
{
	if (look->picture.state == TOP_EMPTY) {
		begin_anew(look);
		return;
	}
	if (look->picture.state != TOP_LIVE)
		return;
	if (look->leaving) {
		top_look_end(look);
		return;
	}
	if (!ps_look_again(&look->ps)) {
		look->leaving = true; /* its supervisor may still write its last records */
		return;
	}
	if (inode_of(look->ps.reader->session.dir) != look->inode) {
		look->picture.state = TOP_VANISHED;
		return;
	}
	top_look_see(look);
	if (memory || look->ps.now_ns >= look->memory_ns + MEMORY_NS)
		see_memory(look);
}
