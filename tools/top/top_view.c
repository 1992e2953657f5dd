/* SPDX-License-Identifier: Apache-2.0 */
/* See top.h: cuts rows to the lines of a screen; handles keys. */
#include <stdlib.h>
#include <string.h>

#include "top.h"

#define LEFT_STEP 16u

static struct top_place *here(struct top_view *view)
{
	return &view->place[view->depth - 1];
}

void top_view_init(struct top_view *view)
{
	*view = (struct top_view){.depth = 1};
}

static void top_view_leave(struct top_place *place)
{
	free(place->key);
	free(place->cursor);
	*place = (struct top_place){0};
}

void top_view_finish(struct top_view *view)
{
	while (view->depth)
		top_view_leave(&view->place[--view->depth]);
}

enum top_page top_view_page(const struct top_view *view)
{
	return view->place[view->depth - 1].page;
}

/* ---- what is shown ---- */

static bool is_list(enum top_page page)
{
	return page != TOP_HELP && page != TOP_DETAIL;
}

static void filter(struct top_rows *rows, const char *text)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < rows->item.count; i++) {
		struct top_row row = rows->item.item[i];

		if (strcasestr(row.text, text)) {
			rows->item.item[kept++] = row;
			continue;
		}
		free(row.key);
		free(row.text);
	}
	rows->item.count = kept;
	if (!kept)
		top_rows_add(rows, NULL, TOP_DIM, text_format("no line contains \"%s\"", text));
}

/* Wraps one row into several, indented by a little more. */
static void wrap_row(struct top_rows *rows, const struct top_row *row, uint32_t columns)
{
	uint32_t indent = (uint32_t)strspn(row->text, " ") + 4, used = 0;
	const char *rest = row->text;

	if (2 * indent > columns)
		indent = 0;
	do {
		size_t bytes = top_break(rest, columns - used);

		top_rows_add(rows, row->key, row->style,
			     text_format("%*s%.*s", (int)used, "", (int)bytes, rest));
		rest += bytes + (rest[bytes] == ' ');
		used = indent;
	} while (*rest);
}

/* Wraps all rows of a page of running text. */
static void wrap(struct top_rows *rows, uint32_t columns)
{
	struct top_rows whole = *rows;

	*rows = (struct top_rows){0};
	for (uint32_t i = 0; i < whole.item.count; i++)
		wrap_row(rows, &whole.item.item[i], columns);
	top_rows_finish(&whole);
}

static void page_rows(struct top_view *view, const struct top_picture *picture, uint32_t columns,
		      struct top_rows *rows)
{
	const struct top_place *place = here(view);

	if (place->page == TOP_TREE)
		top_rows_tree(rows, picture);
	else if (place->page == TOP_THREADS)
		top_rows_threads(rows, picture, view->sort);
	else if (place->page == TOP_FINDINGS)
		top_rows_findings(rows, picture);
	else if (place->page == TOP_MEMORY)
		top_rows_memory(rows, picture);
	else if (place->page == TOP_DETAIL)
		top_rows_detail(rows, picture, place->key);
	else
		top_rows_help(rows);
	if (!rows->item.count)
		top_rows_add(rows, NULL, TOP_DIM, text_copy("none so far"));
	if (is_list(place->page) && *view->filter)
		filter(rows, view->filter);
	if (!is_list(place->page))
		wrap(rows, columns);
}

static const char *title_of(const struct top_view *view)
{
	switch (top_view_page(view)) {
	case TOP_TREE:
		return "processes and their waits";
	case TOP_THREADS:
		return view->sort == TOP_BY_NAME ? "threads by name" :
						   "threads, longest wait first";
	case TOP_FINDINGS:
		return "findings, newest first";
	case TOP_MEMORY:
		return "shared memory and exported device memory";
	case TOP_DETAIL:
		return "details (Esc: back)";
	default:
		return "keys (Esc: back)";
	}
}

/* ---- where the cursor is ---- */

/* Finds the selected row again; it may have moved or vanished. */
static void find_cursor(struct top_place *place, const struct top_rows *rows)
{
	for (uint32_t i = 0; place->cursor && i < rows->item.count; i++)
		if (rows->item.item[i].key && !strcmp(rows->item.item[i].key, place->cursor)) {
			place->at = i;
			return;
		}
}

static void settle_cursor(struct top_view *view, struct top_rows *rows)
{
	struct top_place *place = here(view);
	uint32_t count = rows->item.count, body = view->body ? view->body : 1;

	find_cursor(place, rows);
	if (place->at >= count)
		place->at = count - 1;
	if (!view->selects) {
		place->at = count > body && place->at > count - body ? count - body : place->at;
		place->at = count > body ? place->at : 0;
		place->first = place->at;
		return;
	}
	if (place->at < place->first)
		place->first = place->at;
	if (place->at >= place->first + body)
		place->first = place->at - body + 1;
	if (place->first && place->first + body > count)
		place->first = count > body ? count - body : 0;
	rows->item.item[place->at].selected = true;
	free(place->cursor);
	place->cursor = rows->item.item[place->at].key ? text_copy(rows->item.item[place->at].key) :
							 NULL;
}

/* ---- drawing ---- */

/* Moves a row to the lines, cut to the screen. */
static void top_view_put(struct top_rows *lines, struct top_row *row, uint32_t left,
			 uint32_t columns)
{
	char *text = top_clip(row->text, left, columns);

	*ARRAY_ADD(&lines->item) =
		(struct top_row){.text = text, .style = row->style, .selected = row->selected};
}

static void put_some(struct top_rows *lines, struct top_rows *rows, uint32_t from, uint32_t count,
		     uint32_t left, uint32_t columns)
{
	for (uint32_t i = from; i < from + count; i++) {
		struct top_row empty = {.text = (char *)""};

		top_view_put(lines, i < rows->item.count ? &rows->item.item[i] : &empty, left,
			     columns);
	}
}

static void top_view_put_text(struct top_rows *lines, enum top_style style, uint32_t columns,
			      char *text)
{
	struct top_row row = {.text = top_plain(text), .style = style};

	top_view_put(lines, &row, 0, columns);
	free(row.text);
	free(text);
}

static void put_bar(struct top_view *view, uint32_t columns, struct top_rows *lines)
{
	static const char keys[] =
		"q quit  h help  t threads  f findings  m memory  Enter details  / filter  p pause";

	if (view->typing)
		top_view_put_text(lines, TOP_BAR, columns, text_format("/%s_", view->filter));
	else if (*view->filter)
		top_view_put_text(lines, TOP_BAR, columns,
				  text_format("/%s  %s", view->filter, keys));
	else
		top_view_put_text(lines, TOP_BAR, columns, text_copy(keys));
}

static void put_title(struct top_view *view, uint32_t count, uint32_t columns,
		      struct top_rows *lines)
{
	const struct top_place *place = here(view);
	uint32_t last = place->first + view->body < count ? place->first + view->body : count;

	top_view_put_text(
		lines, TOP_BAR, columns,
		text_format("%s  %u-%u of %u", title_of(view), place->first + 1, last, count));
}

/* Height of the pane with new findings below the page. */
static uint32_t pane_height(const struct top_view *view, const struct top_rows *findings,
			    uint32_t height)
{
	uint32_t room = height >= 30 ? 6 :
			height >= 20 ? 4 :
			height >= 14 ? 2 :
			height >= 10 ? 1 :
				       0;

	if (!is_list(top_view_page(view)) || top_view_page(view) == TOP_FINDINGS)
		return 0;
	return findings->item.count < room ? findings->item.count : room;
}

static void draw(struct top_view *view, const struct top_picture *picture, uint32_t height,
		 uint32_t columns, struct top_rows *lines)
{
	struct top_rows head = {0}, rows = {0}, findings = {0};
	uint32_t top = height >= 10 ? 3 : 1, title = height >= 12, pane;

	top_rows_head(&head, picture, view->paused);
	top_rows_findings(&findings, picture);
	pane = pane_height(view, &findings, height);
	view->body = height - top - title - pane - 1;
	page_rows(view, picture, columns, &rows);
	view->selects = false;
	for (uint32_t i = 0; i < rows.item.count; i++)
		view->selects |= rows.item.item[i].key != NULL;
	settle_cursor(view, &rows);
	put_some(lines, &head, 0, top, 0, columns);
	if (title)
		put_title(view, rows.item.count, columns, lines);
	put_some(lines, &rows, here(view)->first, view->body, here(view)->left, columns);
	put_some(lines, &findings, 0, pane, 0, columns);
	put_bar(view, columns, lines);
	top_rows_finish(&head);
	top_rows_finish(&rows);
	top_rows_finish(&findings);
}

void top_view_draw(struct top_view *view, const struct top_picture *picture, uint32_t height,
		   uint32_t columns, struct top_rows *lines)
{
	if (height >= 3 && columns >= 8)
		draw(view, picture, height, columns, lines);
	else
		for (uint32_t i = 0; i < height; i++)
			top_view_put_text(lines, TOP_PLAIN, columns,
					  text_copy(i ? "" : "too small"));
}

/* ---- keys ---- */

static void go(struct top_view *view, enum top_page page)
{
	while (view->depth > 1)
		top_view_leave(&view->place[--view->depth]);
	top_view_leave(here(view));
	here(view)->page = page;
}

static void open_page(struct top_view *view, enum top_page page, const char *key)
{
	if (view->depth == TOP_DEPTH)
		return;
	view->place[view->depth++] =
		(struct top_place){.page = page, .key = key ? text_copy(key) : NULL};
}

static void back(struct top_view *view)
{
	if (view->depth > 1)
		top_view_leave(&view->place[--view->depth]);
	else
		*view->filter = '\0';
}

static void move(struct top_view *view, int64_t by)
{
	struct top_place *place = here(view);

	free(place->cursor);
	place->cursor = NULL;
	if (by < 0 && (uint64_t)-by > place->at)
		place->at = 0;
	else
		place->at = (uint32_t)(place->at + by < UINT32_MAX ? place->at + by : UINT32_MAX);
}

/* Characters beyond ASCII arrive byte by byte. */
static void type(struct top_view *view, int key)
{
	size_t length = strlen(view->filter);

	if (key == TOP_KEY_ENTER) {
		view->typing = false;
	} else if (key == TOP_KEY_ESCAPE) {
		view->typing = false;
		*view->filter = '\0';
	} else if (key == TOP_KEY_ERASE) {
		while (length && ((unsigned char)view->filter[--length] & 0xc0) == 0x80)
			;
		view->filter[length] = '\0';
	} else if (key >= ' ' && key < 256 && key != 127 && length + 1 < TOP_FILTER) {
		view->filter[length] = (char)key;
		view->filter[length + 1] = '\0';
	}
}

static bool key_moves(struct top_view *view, int key)
{
	int64_t page = view->body > 1 ? view->body - 1 : 1;
	struct top_place *place = here(view);

	switch (key) {
	case TOP_KEY_UP:
	case 'k':
		move(view, -1);
		return true;
	case TOP_KEY_DOWN:
	case 'j':
		move(view, 1);
		return true;
	case TOP_KEY_PAGE_UP:
		move(view, -page);
		return true;
	case TOP_KEY_PAGE_DOWN:
	case ' ':
		move(view, page);
		return true;
	case TOP_KEY_HOME:
		move(view, -(int64_t)UINT32_MAX);
		return true;
	case TOP_KEY_END:
		move(view, UINT32_MAX);
		return true;
	case TOP_KEY_LEFT:
		place->left -= place->left < LEFT_STEP ? place->left : LEFT_STEP;
		return true;
	case TOP_KEY_RIGHT:
		place->left += is_list(place->page) && place->left < 4096 ? LEFT_STEP : 0;
		return true;
	default:
		return false;
	}
}

static void key_opens(struct top_view *view, int key)
{
	switch (key) {
	case TOP_KEY_ENTER:
		if (here(view)->cursor)
			open_page(view, TOP_DETAIL, here(view)->cursor);
		return;
	case TOP_KEY_ESCAPE:
	case TOP_KEY_ERASE:
		back(view);
		return;
	case 't':
		go(view, top_view_page(view) == TOP_TREE ? TOP_THREADS : TOP_TREE);
		return;
	case 'f':
		go(view, TOP_FINDINGS);
		return;
	case 'm':
		go(view, TOP_MEMORY);
		return;
	case 'h':
	case '?':
		if (top_view_page(view) != TOP_HELP)
			open_page(view, TOP_HELP, NULL);
		return;
	default:
		return;
	}
}

static void turn_sort(struct top_view *view)
{
	view->sort = view->sort == TOP_BY_AGE ? TOP_BY_NAME : TOP_BY_AGE;
	if (top_view_page(view) == TOP_THREADS)
		go(view, TOP_THREADS); /* back to its top */
}

bool top_view_key(struct top_view *view, int key)
{
	if (view->typing) {
		type(view, key);
		return true;
	}
	if (key == 'q')
		return false;
	if (key == 'p')
		view->paused = !view->paused;
	else if (key == 's')
		turn_sort(view);
	else if (key == '/')
		view->typing = is_list(top_view_page(view));
	else if (!key_moves(view, key))
		key_opens(view, key);
	return true;
}
