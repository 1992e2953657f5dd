/* SPDX-License-Identifier: Apache-2.0 */
/* See top.h: draws with ncurses. The only file that knows the terminal. */
#include "top.h"

#include <curses.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <term.h> /* the last: lines and columns are names of its own */
#include <unistd.h>

#define ESCAPE_MS 50 /* for the rest of an escape sequence */

static SCREEN *screen;
static bool coloured;

static bool wants_colour(void)
{
	const char *off = getenv("NO_COLOR");

	return !(off && *off) && has_colors();
}

static void prepare_colours(void)
{
	coloured = wants_colour() && start_color() == OK;
	if (!coloured)
		return;
	use_default_colors();
	init_pair(TOP_ERROR, COLOR_RED, -1);
	init_pair(TOP_WARNING, COLOR_CYAN, -1);
	init_pair(TOP_NOTE, COLOR_MAGENTA, -1);
}

/* Whether the cursor can be moved; newterm would exit for an unknown terminal type. */
static bool can_draw(const char *term)
{
	int wrong = 0;
	bool can;

	if (!*term || setupterm(term, STDOUT_FILENO, &wrong) != OK)
		return false;
	can = cursor_address != NULL;
	del_curterm(cur_term);
	return can;
}

char *top_screen_open(void)
{
	const char *term = getenv("TERM");

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return text_copy(
			"top: standard output is not a terminal; use mpsan top --once or mpsan ps");
	if (!can_draw(term ? term : ""))
		return text_format(
			"top: unsupported terminal type \"%s\" (TERM); use mpsan top --once or "
			"mpsan ps",
			term ? term : "");
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return text_format("top: cannot initialise terminal type \"%s\"; use mpsan ps",
				   term);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(ESCAPE_MS);
	curs_set(0);
	prepare_colours();
	return NULL;
}

void top_screen_close(void)
{
	endwin();
	delscreen(screen);
}

void top_screen_size(uint32_t *height, uint32_t *width)
{
	*height = (uint32_t)LINES;
	*width = (uint32_t)COLS;
}

static attr_t attributes_of(const struct top_row *line)
{
	attr_t attributes = line->selected || line->style == TOP_BAR ? A_REVERSE : A_NORMAL;

	if (line->style == TOP_HEAD || line->style == TOP_ERROR)
		attributes |= A_BOLD;
	if (line->style == TOP_DIM && !line->selected)
		attributes |= A_DIM;
	if (coloured && line->style >= TOP_ERROR)
		attributes |= (attr_t)COLOR_PAIR(line->style);
	return attributes;
}

void top_screen_draw(const struct top_rows *rows)
{
	erase();
	for (uint32_t i = 0; i < rows->item.count; i++) {
		const struct top_row *line = &rows->item.item[i];

		attrset((int)attributes_of(line));
		mvaddstr((int)i, 0, line->text);
		if (line->selected || line->style == TOP_BAR)
			for (int x = getcurx(stdscr), y = getcury(stdscr); y == (int)i && x < COLS;
			     x++)
				mvaddch(y, x, ' ');
	}
	attrset(A_NORMAL);
	refresh();
}

static int translate(int key)
{
	switch (key) {
	case KEY_UP:
		return TOP_KEY_UP;
	case KEY_DOWN:
		return TOP_KEY_DOWN;
	case KEY_LEFT:
		return TOP_KEY_LEFT;
	case KEY_RIGHT:
		return TOP_KEY_RIGHT;
	case KEY_PPAGE:
		return TOP_KEY_PAGE_UP;
	case KEY_NPAGE:
		return TOP_KEY_PAGE_DOWN;
	case KEY_HOME:
		return TOP_KEY_HOME;
	case KEY_END:
		return TOP_KEY_END;
	case KEY_ENTER:
	case '\r':
	case '\n':
		return TOP_KEY_ENTER;
	case KEY_BACKSPACE:
	case 127:
	case '\b':
		return TOP_KEY_ERASE;
	default:
		return key > 0 && key < 256 ? key : 0;
	}
}

int top_screen_key(int milliseconds)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	int key = getch(); /* pending input, or a resize */

	if (key != ERR)
		return translate(key);
	if (poll(&input, 1, milliseconds) <= 0)
		return translate(getch());
	key = getch();
	if (key == ERR && input.revents & (POLLHUP | POLLERR | POLLNVAL))
		return -1;
	return translate(key);
}
