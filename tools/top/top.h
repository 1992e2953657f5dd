/*
 * `mpsan top`: the picture of `mpsan ps`, taken again and again. What is seen of a session (top_look.c) becomes
 * rows (top_rows.c, top_detail.c), of which as many as fit become the lines of a screen (top_view.c), which also
 * knows what a key means. None of these knows a terminal: top_screen.c draws with ncurses, cmd_top.c goes round.
 */
#ifndef MPSAN_TOP_H
#define MPSAN_TOP_H

#include "../ps/ps.h"

/* ---- what is seen: top_look.c ---- */

enum top_state {
	TOP_LIVE,
	TOP_ENDED, /* nobody of the session is left: the last picture stays */
	TOP_VANISHED, /* its directory is gone */
	TOP_DEAD, /* it was over before the first look */
	TOP_EMPTY, /* nothing has run in it so far */
};

struct top_picture {
	enum top_state state;
	json_t *document; /* mpsan.ps/1, and for each living process `shm_bytes` */
	json_t *memory; /* mpsan.ps-memory/1 */
	json_t *exports; /* mpsan.ipc/1, NULL: there is no registry */
	uint64_t shm_bytes, shm_free; /* of /dev/shm; 0, 0: there is none */
};

struct top_look {
	struct ps ps;
	struct top_picture picture;
	uint64_t memory_ns; /* of the last look at memory and exports */
	uint64_t inode; /* of the session's directory */
	bool leaving; /* the last look found nobody: the next one ends it */
};

/* NULL when all is well, else one line, owned by the caller. Takes the first picture. */
char *top_look_open(struct top_look *look, const char *dir);
void top_look_close(struct top_look *look);

/* Takes the next picture; `memory`: shared memory is on the screen. */
void top_look_again(struct top_look *look, bool memory);

/* ---- text: top_text.c ---- */

/* Text that is safe to draw: a blank for what controls a terminal, '?' for what is no UTF-8; the caller's. */
char *top_plain(const char *text);

/* Of plain text the columns from `from` on, at most `width`; '…' shows that there is more. The caller's. */
char *top_clip(const char *plain, uint32_t from, uint32_t width);

/* Bytes of plain text that fit into `width` columns, broken at a blank where there is one. */
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
	/* what Enter opens: "p PID", "t PID TID", "f FINGERPRINT", "m DEVICE INODE"; NULL: nothing */
	char *key;
	char *text;
	enum top_style style;
	bool selected;
};

struct top_rows {
	ARRAY(struct top_row) item;
};

/* Takes over `text`, which is made plain; `key` is copied. */
void top_rows_add(struct top_rows *rows, const char *key, enum top_style style, char *text);
/* Each line of a text that was printed; takes it over. */
void top_rows_lines(struct top_rows *rows, enum top_style style, char *text);
void top_rows_finish(struct top_rows *rows);

enum top_sort { TOP_BY_AGE, TOP_BY_NAME };

void top_rows_tree(struct top_rows *rows, const struct top_picture *picture);
void top_rows_threads(struct top_rows *rows, const struct top_picture *picture, enum top_sort sort);
void top_rows_findings(struct top_rows *rows, const struct top_picture *picture);
void top_rows_memory(struct top_rows *rows, const struct top_picture *picture);
void top_rows_head(struct top_rows *rows, const struct top_picture *picture, bool paused);
void top_rows_help(struct top_rows *rows);
/* top_detail.c: all about what a key names; says so where it is no longer there. */
void top_rows_detail(struct top_rows *rows, const struct top_picture *picture, const char *key);
/* A thread in a sentence; owned by the caller. */
char *top_thread_text(const json_t *process, const json_t *thread, long long now_ns);

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
	char *key; /* of a detail; owned */
	char *cursor; /* key of the selected row; NULL: it is the one at `at`; owned */
	uint32_t at, first, left; /* its index; the first row and column shown */
};

struct top_view {
	struct top_place
		place[TOP_DEPTH]; /* the last one is shown, those before are gone back to */
	uint32_t depth;
	enum top_sort sort;
	char filter[TOP_FILTER];
	bool typing; /* the filter */
	bool paused;
	uint32_t body; /* rows that the last drawing had room for */
	bool selects; /* it had rows that Enter opens; else the keys scroll */
};

void top_view_init(struct top_view *view);
void top_view_finish(struct top_view *view);

/* The lines of a screen, none wider than `columns`, exactly `height` of them. */
void top_view_draw(struct top_view *view, const struct top_picture *picture, uint32_t height,
		   uint32_t columns, struct top_rows *lines);

/* What a key means, a character or an enum top_key. False: quit. */
bool top_view_key(struct top_view *view, int key);

enum top_page top_view_page(const struct top_view *view);

/* ---- the terminal: top_screen.c ---- */

/* NULL, or one line that says why there can be no screen; owned by the caller. */
char *top_screen_open(void);
void top_screen_close(void);
void top_screen_size(uint32_t *height, uint32_t *width);
void top_screen_draw(const struct top_rows *rows);
/* The next key within that time; 0: none, or the size has changed; -1: the terminal is gone. */
int top_screen_key(int milliseconds);

#endif
