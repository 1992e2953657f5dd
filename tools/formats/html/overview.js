/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All processes over time, with the findings as marks: one thin line each, so that a thousand fit on a screen, and as
 * few elements as that takes. Those that are alike share a lane, and so do short helpers. The view is a part of time and
 * of the lanes; zooming changes both. Neighbours: dom.js, filter.js.
 */
const OVERVIEW_TOP = 22, MARK_GRID = 7, HELPER_PART = 0.1;

/* Parents before their children, and children below their parents. */
const order = (() => {
	const list = [], done = new Set(), children = new Map();
	const early = [...processes].sort((a, b) => a.start_ns - b.start_ns);
	for (const process of early) {
		const parent = processKey(process.parent, process);
		if (!children.has(parent))
			children.set(parent, []);
		children.get(parent).push(process);
	}
	const visit = (process) => {
		const stack = [process];
		while (stack.length) {
			const one = stack.pop();
			if (done.has(one))
				continue;
			done.add(one);
			list.push(one);
			stack.push(...(children.get(processKey(one.pid, one)) || []).filter((child) => !done.has(child)).reverse());
		}
	};
	early.filter((process) => !byPid.has(processKey(process.parent, process))).forEach(visit);
	early.forEach(visit);
	return list;
})();

/* Wrappers' commands: they ended soon and not by a signal, and neither they nor their children are in a finding. */
function areHelpers() {
	const helpers = new Set(), busy = new Set();
	for (const process of [...order].reverse()) {
		const length = (process.end_ns || span.end) - process.start_ns, key = processKey(process.pid, process);
		if (!process.count && !busy.has(key) && process.how !== 'root' && process.end_ns && process.end?.signal == null && length < HELPER_PART * (span.end - span.begin))
			helpers.add(process);
		else
			busy.add(processKey(process.parent, process));
	}
	return helpers.size >= ALIKE_LEAST ? helpers : new Set();
}

/* Children of one parent with one name but for its number, and one end, that have no children themselves. */
function alikeKey(process, parents) {
	return parents.has(processKey(process.pid, process)) ? processKey(process.pid, process) :
		[processKey(process.parent, process), processName(process).replace(/\d+/g, '#'), endText(process)].join();
}

/* The lanes, each a list of processes in `list`; `open`: one process each. */
function lanesOf(open) {
	const helpers = open ? new Set() : areHelpers(), parents = new Set(order.filter((process) => !helpers.has(process)).map((process) => processKey(process.parent, process)));
	const lanes = new Map();
	order.forEach((process, i) => {
		const key = open ? i : helpers.has(process) ? 'helpers' : alikeKey(process, parents);
		if (!lanes.has(key))
			lanes.set(key, {list: [], isHelpers: helpers.has(process)});
		lanes.get(key).list.push(process);
	});
	const enough = [...lanes.values()].flatMap((lane) => lane.isHelpers || lane.list.length >= ALIKE_LEAST ? [lane] : lane.list.map((one) => ({list: [one]})));
	enough.sort((a, b) => Boolean(a.isHelpers) - Boolean(b.isHelpers));
	enough.forEach((lane, row) => lane.list.forEach((process) => { process.row = row; }));
	return enough;
}

function laneName(lane) {
	const [first] = lane.list, count = lane.list.length;
	return lane.isHelpers ? `${count.toLocaleString('en')} short helpers` : count > 1 ? alikeTitle(count, first) : `${processName(first)} (${first.pid})`;
}

let lanes = [], whole = {t0: span.begin, t1: span.end, r0: 0, r1: 1};
let view = whole, overviewWidth = 900, overviewHeight = 100, overviewLeft = 164;

function showLanes(open) {
	lanes = lanesOf(open);
	whole = {...whole, r1: lanes.length};
	byId('unfold').setAttribute('aria-expanded', String(open));
	byId('unfold').hidden = !open && lanes.length === order.length;
	byId('unfold').textContent = open ? 'Fold those alike' : `Show each of the ${order.length.toLocaleString('en')}`;
	setView(whole);
}

function setView(next) {
	const least = (whole.t1 - whole.t0) / 1e5, time = Math.max(next.t1 - next.t0, least), rows = Math.max(next.r1 - next.r0, Math.min(4, whole.r1));
	const t0 = Math.min(Math.max(next.t0, whole.t0), Math.max(whole.t0, whole.t1 - time));
	const r0 = Math.min(Math.max(next.r0, 0), Math.max(0, whole.r1 - rows));
	view = {t0, t1: Math.min(t0 + time, whole.t1), r0, r1: Math.min(r0 + rows, whole.r1)};
	drawOverview();
}

/* Zooms around a point, given as fractions of the view. */
function zoomView(factor, x = 0.5, y = 0.5) {
	const time = view.t1 - view.t0, rows = view.r1 - view.r0;
	const t = view.t0 + x * time, r = view.r0 + y * rows;
	setView({t0: t - x * time * factor, t1: t + (1 - x) * time * factor, r0: r - y * rows * factor, r1: r + (1 - y) * rows * factor});
}

function moveView(x, y) {
	const time = (view.t1 - view.t0) * x, rows = (view.r1 - view.r0) * y;
	setView({t0: view.t0 + time, t1: view.t1 + time, r0: view.r0 + rows, r1: view.r1 + rows});
}

function overviewX(time) {
	return overviewLeft + (time - view.t0) / (view.t1 - view.t0) * (overviewWidth - overviewLeft - 8);
}

function overviewY(row) {
	return OVERVIEW_TOP + (row - view.r0) / (view.r1 - view.r0) * (overviewHeight - OVERVIEW_TOP - 6);
}

function shownLanes() {
	return lanes.slice(Math.floor(view.r0), Math.ceil(view.r1));
}

/* The processes' lives, in two paths: successful and failed ones. */
function drawLives(height) {
	const path = {well: '', ill: ''}, thick = Math.max(1, Math.min(8, height * 0.6));
	const list = shownLanes().flatMap((lane) => lane.list.map((process) => [process, !lane.isHelpers && hasFailed(process) ? 'ill' : 'well']));
	for (const [process, kind] of list) {
		const from = Math.max(overviewLeft, overviewX(process.start_ns));
		const to = Math.min(overviewWidth - 8, overviewX(process.end_ns || whole.t1));
		if (to >= overviewLeft && from <= overviewWidth - 8)
			path[kind] += `M${from.toFixed(1)} ${overviewY(process.row + 0.5).toFixed(1)}H${Math.max(to, from + 1.5).toFixed(1)}`;
	}
	return Object.entries(path).map(([kind, d]) => svg('path', {class: `lives ${kind}`, d, 'stroke-width': thick}));
}

function drawBirths() {
	let d = '';
	for (const {list: [process]} of shownLanes()) {
		const parent = processAt(process.parent, process.start_ns, process), x = overviewX(process.start_ns);
		if (parent && parent.row !== undefined && x >= overviewLeft && parent.row >= view.r0)
			d += `M${x.toFixed(1)} ${overviewY(parent.row + 0.5).toFixed(1)}V${overviewY(process.row + 0.5).toFixed(1)}`;
	}
	return svg('path', {class: 'births', d});
}

/* Findings at the same spot are one mark, with the worst severity. */
function drawMarks() {
	const spots = new Map();
	for (const finding of shownFindings()) {
		const process = finding.process ??= processAt(finding.pid, finding.time_ns, finding);
		if (!process || process.row < view.r0 - 1 || process.row > view.r1 || finding.time_ns < view.t0 || finding.time_ns > view.t1)
			continue;
		const x = overviewX(finding.time_ns), y = overviewY(process.row + 0.5);
		const key = Math.round(x / MARK_GRID) * 65536 + Math.round(y / MARK_GRID), grade = GRADES.indexOf(finding.severity);
		const spot = spots.get(key);
		if (spot)
			spot.count++, spot.grade = Math.min(spot.grade, grade);
		else
			spots.set(key, {x, y, grade, count: 1});
	}
	const few = spots.size < 300 ? 3 : 2;
	return [...spots.values()].sort((a, b) => b.grade - a.grade).map((spot) => svg('circle', {class: `spot ${GRADES[spot.grade]}`,
		cx: spot.x.toFixed(1), cy: spot.y.toFixed(1), r: Math.min(7, few + Math.log2(spot.count) / 2).toFixed(1)}));
}

function drawNames(height) {
	return height < 11 ? [] : shownLanes().map((lane) => svg('text', {class: 'lane-name', x: 2, y: overviewY(lane.list[0].row + 0.5) + 4},
		shorten(laneName(lane), overviewLeft < 130 ? 18 : 27)));
}

function drawTimes() {
	const parts = [], length = view.t1 - view.t0, count = overviewWidth < 600 ? 2 : 4;
	for (let i = 0; i <= count; i++) {
		const x = overviewX(view.t0 + length * i / count), label = durationText(view.t0 + length * i / count - whole.t0);
		parts.push(svg('line', {class: 'tick', x1: x, x2: x, y1: OVERVIEW_TOP - 6, y2: overviewHeight - 2}),
			svg('text', {class: 'axis', x, y: 12, 'text-anchor': i === count ? 'end' : i ? 'middle' : 'start'}, i || view.t0 > whole.t0 ? `+${label}` : '0'));
	}
	return parts;
}

function overviewWords() {
	const ill = order.filter(hasFailed).length;
	return `${plural(order.length, 'process', 'processes')} over ${durationText(whole.t1 - whole.t0)}; ` +
		`${ill ? `${ill} ended with an error or a signal; ` : ''}${plural(findings.length, 'finding')} as marks.`;
}

function drawOverview() {
	const frame = byId('overview-picture');
	if (!frame || !frame.clientWidth)
		return;
	overviewWidth = Math.max(300, frame.clientWidth);
	overviewLeft = overviewWidth < 600 ? 118 : 172;
	overviewHeight = OVERVIEW_TOP + 8 + Math.min(240, Math.max(40, lanes.length * 17));
	const height = (overviewHeight - OVERVIEW_TOP) / (view.r1 - view.r0);
	frame.replaceChildren(picture(overviewWidth, overviewHeight, 'Processes over time', overviewWords(), drawTimes(),
		height > 5 && drawBirths(), drawLives(height), drawNames(height), drawMarks()));
	frame.classList.toggle('dense', height < 5);
	byId('zoom-out').disabled = byId('zoom-all').disabled = view.t1 - view.t0 >= whole.t1 - whole.t0 && view.r1 - view.r0 >= whole.r1;
}

/* The lane under the pointer. */
function laneUnder(event) {
	const box = byId('overview-picture').firstElementChild.getBoundingClientRect();
	const y = (event.clientY - box.top) * overviewHeight / box.height;
	return lanes[Math.floor(view.r0 + (y - OVERVIEW_TOP) / (overviewHeight - OVERVIEW_TOP - 6) * (view.r1 - view.r0))];
}

function pointerParts(event) {
	const box = byId('overview-picture').getBoundingClientRect(), left = overviewLeft * box.width / overviewWidth;
	return [Math.min(1, Math.max(0, (event.clientX - box.left - left) / (box.width - left))), Math.min(1, Math.max(0, (event.clientY - box.top) / box.height))];
}

function describeProcess(process) {
	const count = process.count || 0, length = (process.end_ns || whole.t1) - process.start_ns;
	return `${processName(process)} (${processLabel(process.pid, process)}): ${process.how || ''} by ${process.parent}, lived ${durationText(length)}, ${endText(process)}` +
		`${process.watched === true ? '' : `, not watched: ${process.watched}`}; ${plural(count, 'finding')}`;
}

function describeLane(lane) {
	return lane.list.length === 1 ? describeProcess(lane.list[0]) : `${laneName(lane)}: ${lane.list.map((one) => `${processName(one)} (${one.pid})`).join(', ')}`;
}

function addPointer(frame, hint) {
	let from = null, moved = false;
	frame.addEventListener('wheel', (event) => {
		if (event.ctrlKey || event.metaKey) {
			event.preventDefault();
			zoomView(event.deltaY > 0 ? 1.25 : 0.8, ...pointerParts(event));
		}
	}, {passive: false});
	frame.addEventListener('pointerdown', (event) => { from = event; moved = false; });
	frame.addEventListener('pointermove', (event) => {
		const lane = laneUnder(event);
		hint.textContent = lane ? describeLane(lane) : '';
		if (!from || !event.buttons)
			return;
		if (moved || Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY) > 4) {
			moved = true;
			moveView((from.clientX - event.clientX) / (overviewWidth - overviewLeft), (from.clientY - event.clientY) / overviewHeight);
			from = event;
		}
	});
	frame.addEventListener('pointerup', (event) => {
		const process = from && !moved && laneUnder(event)?.list.find((one) => one.count);
		from = null;
		if (process)
			chooseProcess(processKey(process.pid, process));
	});
}

function overviewKey(event) {
	const moves = {ArrowLeft: [-0.2, 0], ArrowRight: [0.2, 0], ArrowUp: [0, -0.2], ArrowDown: [0, 0.2]};
	if (moves[event.key])
		moveView(...moves[event.key]);
	else if (event.key === '+' || event.key === '=')
		zoomView(0.6);
	else if (event.key === '-')
		zoomView(1 / 0.6);
	else if (event.key === '0')
		setView(whole);
	else
		return;
	event.preventDefault();
}

function processTable() {
	return asTable('All processes', ['Pid', 'Name', 'Parent', 'Started by', 'From', 'Lived', 'End', 'Findings'], () => order.map((process) => [
		process.pid, processName(process), process.parent, process.how || '', `+${durationText(process.start_ns - whole.t0)}`,
		durationText((process.end_ns || whole.t1) - process.start_ns), endText(process), process.count || 0]));
}

function startOverview() {
	for (const finding of findings)
		for (const key of pidsOf(finding))
			for (const process of byPid.get(key) || [])
				process.count = (process.count || 0) + 1;
	if (!order.length)
		return byId('overview').remove();
	const hint = el('p', {class: 'hint', 'aria-hidden': 'true'});
	const frame = el('div', {id: 'overview-picture', class: 'overview-picture', tabindex: 0, role: 'group', onkeydown: overviewKey,
		'aria-label': 'Picture of all processes: + and - zoom, arrows move, 0 shows all'});
	const button = (id, text, label, act) => el('button', {type: 'button', id, 'aria-label': label, onclick: act}, text);
	byId('overview').append(el('div', {class: 'overview-head'}, el('h2', {id: 'overview-title'}, 'Processes over time'),
		el('div', {class: 'zoom', role: 'group', 'aria-label': 'Zoom'},
			el('button', {type: 'button', id: 'unfold', onclick: (event) => showLanes(event.target.getAttribute('aria-expanded') === 'false')}), button('zoom-in', '+', 'Zoom in', () => zoomView(0.6)),
			button('zoom-out', '−', 'Zoom out', () => zoomView(1 / 0.6)), button('zoom-all', 'All', 'Show all', () => setView(whole)))),
	frame, hint, processTable());
	addPointer(frame, hint);
	showLanes(false);
	new ResizeObserver(() => requestAnimationFrame(drawOverview)).observe(frame);
}
