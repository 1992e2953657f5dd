/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `mpsan top`: the view of `mpsan ps`, refreshed. The state of a session (top_look.c) becomes rows
 * (top_rows.c, top_detail.c), and those that fit become the lines of a screen (top_view.c), which
 * also handles keys. None of these knows the terminal: top_screen.c draws with ncurses, cmd_top.c
 * is the main loop.
 */
#pragma once

#include "../ps/ps.h"

/* ---- the state: top_look.c ---- */

enum top_state {
	TOP_LIVE,
	TOP_ENDED, /* all processes have ended: the last state is shown */
	TOP_VANISHED, /* its directory was removed */
	TOP_DEAD, /* it had ended before the first snapshot */
	TOP_EMPTY, /* no process has run in it so far */
};

struct top_picture {
	enum top_state state;
	struct ps_picture *found; /* with `shm_bytes` of each living process */
	json_t *memory; /* mpsan.ps-memory/1 */
	json_t *exports; /* mpsan.ipc/1; NULL: no export table */
	uint64_t shm_bytes, shm_free; /* of /dev/shm; 0, 0: it does not exist */
};

struct top_look {
	struct ps ps;
	struct top_picture picture;
	uint64_t memory_ns; /* when memory and exports were last read */
	uint64_t inode; /* of the session's directory */
	bool leaving; /* the last snapshot found no process: the next one ends it */
};

/*
 * Opens the session and takes the first snapshot. Returns NULL, or a one-line error that the caller
 * frees.
 */
char *top_look_open(struct top_look *look, const char *dir);
void top_look_close(struct top_look *look);

/* Takes the next snapshot; `memory`: shared memory is on the screen. */
void top_look_again(struct top_look *look, bool memory);

/* ---- text: top_text.c ---- */

/*
 * Text that is safe to draw: control characters become blanks, invalid UTF-8 '?'. The caller frees
 * it.
 */
char *top_plain(const char *text);

/*
 * At most `width` columns of plain text, starting at column `from`; '…' marks omissions. The caller
 * frees it.
 */
char *top_clip(const char *plain, uint32_t from, uint32_t width);

/* Bytes of plain text that fit into `width` columns, broken at a blank if possible. */
size_t top_break(const char *plain, uint32_t width);

/* ---- rows ---- */

enum top_style {
	TOP_PLAIN,
	TOP_DIM,
	TOP_HEAD,
	TOP_BAR,
	TOP_ERROR,
	TOP_WARNING,
	TOP_NOTE,
};

struct top_row {
	/*
	 * what Enter opens: "p PID", "t PID TID", "f FINGERPRINT", "m DEVICE INODE"; NULL: nothing
	 */
	char *key;
	char *text;
	enum top_style style;
	bool selected;
};

struct top_rows {
	ARRAY(struct top_row) item;
};

/* Adds a row. Takes over `text` and makes it plain; copies `key`. */
void top_rows_add(struct top_rows *rows, const char *key, enum top_style style, char *text);
/* Adds a row for each line of a text; takes it over. */
void top_rows_lines(struct top_rows *rows, enum top_style style, char *text);
void top_rows_finish(struct top_rows *rows);

enum top_sort { TOP_BY_AGE, TOP_BY_NAME };

void top_rows_tree(struct top_rows *rows, const struct top_picture *picture);
void top_rows_threads(struct top_rows *rows, const struct top_picture *picture, enum top_sort sort);
void top_rows_findings(struct top_rows *rows, const struct top_picture *picture);
void top_rows_memory(struct top_rows *rows, const struct top_picture *picture);
void top_rows_head(struct top_rows *rows, const struct top_picture *picture, bool paused);
void top_rows_help(struct top_rows *rows);
/* top_detail.c: all about the object of a key; says so if it no longer exists. */
void top_rows_detail(struct top_rows *rows, const struct top_picture *picture, const char *key);
/* A sentence about a thread; the caller frees it. */
char *top_thread_text(const struct ps_process *process, const struct ps_thread *thread,
		      long long now_ns);

/* ---- the screen and its keys: top_view.c ---- */

enum top_page { TOP_TREE, TOP_THREADS, TOP_FINDINGS, TOP_MEMORY, TOP_HELP, TOP_DETAIL };

enum top_key {
	TOP_KEY_ESCAPE = 27,
	TOP_KEY_ENTER = 1000,
	TOP_KEY_UP,
	TOP_KEY_DOWN,
	TOP_KEY_LEFT,
	TOP_KEY_RIGHT,
	TOP_KEY_PAGE_UP,
	TOP_KEY_PAGE_DOWN,
	TOP_KEY_HOME,
	TOP_KEY_END,
	TOP_KEY_ERASE,
};

#define TOP_FILTER 64u
#define TOP_DEPTH 8u

struct top_place {
	enum top_page page;
	char *key; /* of a detail page; owned */
	char *cursor; /* key of the selected row; NULL: the row at `at`; owned */
	uint32_t at, first, left; /* its index; the first row and column shown */
};

struct top_view {
	struct top_place
		/* a stack: the last one is shown, Esc returns to the previous one */
		place[TOP_DEPTH];
	uint32_t depth;
	enum top_sort sort;
	char filter[TOP_FILTER];
	bool typing; /* the filter */
	bool paused;
	uint32_t body; /* rows that fit into the last drawing */
	bool selects; /* it has rows that Enter opens; else the keys scroll */
};

void top_view_init(struct top_view *view);
void top_view_finish(struct top_view *view);

/* Makes the lines of a screen: exactly `height`, none wider than `columns`. */
void top_view_draw(struct top_view *view, const struct top_picture *picture, uint32_t height,
		   uint32_t columns, struct top_rows *lines);

/* Handles a key: a character or an enum top_key. False: quit. */
bool top_view_key(struct top_view *view, int key);

enum top_page top_view_page(const struct top_view *view);

/* ---- the terminal: top_screen.c ---- */

/* Returns NULL, or a one-line error that the caller frees. */
char *top_screen_open(void);
void top_screen_close(void);
void top_screen_size(uint32_t *height, uint32_t *width);
void top_screen_draw(const struct top_rows *rows);
/* The next key within that time; 0: none, or a resize; -1: the terminal is gone. */
int top_screen_key(int milliseconds);
