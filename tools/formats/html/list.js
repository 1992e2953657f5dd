/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of findings: only visible rows exist, however many findings there are. A list box for the keyboard and for
 * screen readers. Neighbours: filter.js says which findings, story.js shows the chosen one.
 */
const ITEM = 84, SPARE = 6;
let shown = findings, chosen = -1;

function shownFindings() {
	return shown;
}

function listRow(finding, index) {
	const step = mainStep(finding), place = step ? placeText(frameAt(step.at)) : '';
	return el('div', {class: 'item', role: 'option', id: `item-${index}`, 'aria-selected': String(index === chosen),
		'aria-posinset': index + 1, 'aria-setsize': shown.length, style: null, onclick: () => choose(index)},
	el('div', {class: 'item-head'}, el('span', {class: `grade ${finding.severity}`}, finding.severity), ' ', el('code', null, finding.rule),
		finding.count > 1 && el('span', {class: 'times'}, `× ${finding.count.toLocaleString('en')}`)),
	el('div', {class: 'item-text'}, headOf(finding).what),
	el('div', {class: 'item-place'}, `${ownTitle(finding)}${place ? ` · ${place}` : ''}`));
}

const made = new Map();

/* Creates visible rows and removes the others. */
function drawRows() {
	const list = byId('list'), rows = byId('rows');
	const first = Math.max(0, Math.floor(list.scrollTop / ITEM) - SPARE);
	const last = Math.min(shown.length, Math.ceil((list.scrollTop + (list.clientHeight || 600)) / ITEM) + SPARE);
	for (const [index, row] of made)
		if (index < first || index >= last) {
			row.remove();
			made.delete(index);
		}
	for (let i = first; i < last; i++)
		if (!made.has(i)) {
			const row = listRow(shown[i], i);
			row.style.transform = `translateY(${i * ITEM}px)`;
			rows.append(row);
			made.set(i, row);
		}
	if (chosen >= 0 && made.has(chosen))
		list.setAttribute('aria-activedescendant', `item-${chosen}`);
	else
		list.removeAttribute('aria-activedescendant');
}

function bringIntoView(index) {
	const list = byId('list'), top = index * ITEM;
	if (top < list.scrollTop)
		list.scrollTop = top;
	else if (top + ITEM > list.scrollTop + list.clientHeight)
		list.scrollTop = top + ITEM - list.clientHeight;
}

function choose(index, keepPlace) {
	const before = made.get(chosen);
	if (before)
		before.setAttribute('aria-selected', 'false');
	chosen = shown.length ? Math.max(0, Math.min(index, shown.length - 1)) : -1;
	if (chosen >= 0)
		bringIntoView(chosen);
	drawRows();
	if (made.has(chosen))
		made.get(chosen).setAttribute('aria-selected', 'true');
	showStory(chosen >= 0 ? shown[chosen] : null);
	if (!keepPlace && chosen >= 0)
		history.replaceState(null, '', `#${encodeURIComponent(shown[chosen].fingerprint || '')}`);
}

/* Replaces the findings, and keeps the selected one if it is among them. */
function setShown(list) {
	const stay = shownStory ? list.indexOf(shownStory) : -1;
	shown = list;
	for (const row of made.values())
		row.remove();
	made.clear();
	byId('list').style.setProperty('--rows-height', `${Math.max(shown.length * ITEM + 2, ITEM)}px`);
	byId('rows').style.height = `${shown.length * ITEM}px`;
	byId('list').scrollTop = 0;
	chosen = -1;
	choose(Math.max(stay, 0), true);
}

function startList() {
	let pending = false;
	byId('list').addEventListener('scroll', () => {
		if (!pending)
			requestAnimationFrame(() => { pending = false; drawRows(); });
		pending = true;
	}, {passive: true});
	new ResizeObserver(drawRows).observe(byId('list'));
}
