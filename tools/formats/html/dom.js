/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes elements and formats numbers. Names from programs become text here and never markup: nothing in this
 * page makes elements from strings.
 */
/* Control and direction characters could make a name look like another. */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

function fill(node, attributes, children) {
	for (const [key, value] of Object.entries(attributes || {})) {
		if (value == null || value === false)
			continue;
		if (key.startsWith('on'))
			node.addEventListener(key.slice(2), value);
		else
			node.setAttribute(key, value === true ? '' : value);
	}
	for (const child of children.flat(2))
		if (child != null && child !== false)
			node.append(child instanceof Node ? child : String(child).replace(UNSEEN, '\ufffd'));
	return node;
}

function el(tag, attributes, ...children) {
	return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
	return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function byId(id) {
	return document.getElementById(id);
}

let lastId = 0;

/* A picture with its name and its words; `height` and `width` are its own units. */
function picture(width, height, title, words, ...children) {
	const id = `picture-${++lastId}`;
	return svg('svg', {viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', class: 'picture',
		'aria-labelledby': `${id}-title`, 'aria-describedby': `${id}-words`},
	svg('title', {id: `${id}-title`}, title), svg('desc', {id: `${id}-words`}, words), ...children);
}

/* The content of a picture as a table, for screen readers: filled when it is opened. */
function asTable(caption, heads, rows) {
	const fold = el('details', {class: 'as-table'}, el('summary', null, 'The picture as a table'));
	fold.addEventListener('toggle', () => {
		if (!fold.open || fold.querySelector('table'))
			return;
		fold.append(el('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption},
			el('table', null, el('caption', null, caption),
				el('thead', null, el('tr', null, heads.map((head) => el('th', {scope: 'col'}, head)))),
				el('tbody', null, rows().map((row) => el('tr', null, row.map((cell) => el('td', null, cell))))))));
	});
	return fold;
}

function plural(count, one, many) {
	return `${count.toLocaleString('en')} ${count === 1 ? one : many || one + 's'}`;
}

function durationText(ns) {
	if (!ns)
		return '0 s';
	const units = [[3600e9, 'h'], [60e9, 'min'], [1e9, 's'], [1e6, 'ms'], [1e3, 'µs']];
	const [size, unit] = units.find(([least]) => Math.abs(ns) >= least) || units[4];
	const value = ns / size;
	return `${Math.abs(value) >= 100 ? value.toFixed(0) : Number(value.toPrecision(3))} ${unit}`;
}

function clockText(ns) {
	return ns ? new Date(ns / 1e6).toLocaleString('en-GB', {dateStyle: 'medium', timeStyle: 'medium'}) : '';
}

/* `text` in at most `room` characters. */
function shorten(text, room) {
	const list = [...text];
	return list.length <= room ? text : list.slice(0, Math.max(1, room - 1)).join('') + '…';
}

async function copyText(text, button) {
	const before = button.textContent;
	let copied = true;
	try {
		await navigator.clipboard.writeText(text);
	} catch { /* without a permission the old way works */
		const area = el('textarea', {class: 'hidden', 'aria-hidden': 'true'}, text);
		button.after(area);
		area.select();
		copied = document.execCommand('copy');
		area.remove();
		button.focus();
	}
	button.textContent = copied ? 'Copied' : 'Not copied';
	announce(button.textContent);
	setTimeout(() => { button.textContent = before; }, 1500);
}

/* Announces a text to screen readers through the live region. */
function announce(text) {
	byId('result').textContent = text;
}
