/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The timeline of one finding: a row for each thread and object of memory in it, bars for what was held and
 * waited for, an arrow for the fork. Neighbours: scale.js, story.js.
 */
const ROW = 54, HEAD = 34, USES_DRAWN = 10, CONTEXT_DRAWN = 8, CHAR = 6.3;

const ROLE_WORDS = {
	holder: 'holds it',
	fork: 'fork()',
	wait: 'waits',
	unlock: 'unlock refused',
	blocked: 'blocked',
	order: 'takes a lock',
	init: 'starts the CUDA driver',
	cuda: 'CUDA call',
	export: 'exports',
	import: 'opens',
	free: 'frees',
	end: 'ends',
	act: 'here',
	cause: 'cause',
	maker: 'creates it'
};

/* The rows, and what is drawn in them. */
class Scene {
	constructor(finding, width, open) {
		this.finding = finding;
		this.gutter = width < 600 ? 120 : 188;
		this.margin = width < 600 ? 84 : 130;
		this.right = width - this.margin;
		this.steps = open ? stepsOf(finding).flatMap((step) => (step.alike || [step]).map((one) => ({...one, number: step.number}))) : stepsOf(finding);
		this.rows = [];
		this.bars = [];
		this.marks = [];
		this.arrows = [];
		this.times = [];
		this.notes = [];
	}

	row(pid, tid, name, extra) {
		const key = `${pid}/${tid}/${extra ? extra.sort : ''}`;
		let row = this.rows.find((one) => one.key === key);
		if (!row) {
			row = {key, pid, tid, name, process: processAt(pid, this.finding.time_ns, this.finding), ...extra};
			this.rows.push(row);
		}
		return row;
	}

	threadRow(step) {
		if (step.alike)
			return this.row(step.pid, step.tid, 'first of them', {title: alikeTitle(step.alike.length, processAt(step.pid, step.time_ns, this.finding))});
		const row = this.row(step.pid, step.tid, step.tid === step.pid ? 'main thread' : step.thread);
		if (!row.name || row.name.startsWith('TID '))
			row.name = step.thread || row.name;
		return row;
	}

	see(...times) {
		this.times.push(...times.filter((time) => time > 0));
	}
}

/* The lock was taken at an unknown time before the fork. */
function momentOf(scene, step) {
	const fork = forkBehind(scene.steps, step);
	if (!fork)
		return step.time_ns;
	scene.before = fork.time_ns - 1000;
	return scene.before;
}

/* The fork that left the owner behind. */
function forkBehind(steps, step)
{
	return step.role === 'holder' ?
		       steps.find((other) => other.role === 'fork' && other.pid === step.pid) :
		       null;
}

function addSteps(scene) {
	scene.steps.forEach((step) => {
		const row = scene.threadRow(step), time = momentOf(scene, step);
		if (!step.waits_for)
			scene.see(time);
		scene.marks.push({row, time, step, number: step.number, role: step.role});
		if (step.role === 'fork' && step.child)
			scene.arrows.push({row, time, child: step.child});
	});
}

/* A forked child has one thread: its row is drawn even without a step. */
function addChildren(scene) {
	for (const arrow of scene.arrows) {
		const process = processAt(arrow.child, arrow.time, scene.finding);
		arrow.to = scene.rows.find((row) => row.pid === arrow.child) ||
			scene.row(arrow.child, arrow.child, 'main thread');
		arrow.to.process = process;
		arrow.to.from = arrow.time;
	}
}

/* Whether a wait of this finding is proven endless. */
function isEndless(scene) {
	return scene.finding.severity === 'error';
}

function subjectName(finding) {
	const subject = finding.subject;
	return subject ? subject.name : finding.lock || 'the lock';
}

function addHold(scene, mark) {
	const fork = scene.arrows.find((arrow) => arrow.row.pid === mark.row.pid);
	scene.bars.push({row: mark.row, kind: 'hold', from: 0, to: 0, label: `holds ${subjectName(scene.finding)}`});
	if (!fork || mark.row.tid === fork.row.tid)
		return;
	const ghost = scene.row(fork.child, mark.row.tid, mark.row.name, {sort: 'ghost', ghost: true});
	ghost.process = fork.to.process;
	scene.bars.push({row: ghost, kind: 'ghost', from: fork.time, to: 0, label: 'not copied; its lock stays locked'});
}

/* The timeline's data of a row's thread. */
function lineOf(scene, row) {
	return lines.get(`${processKey(row.pid, scene.finding)}/${row.tid}`);
}

/* Other waits and holds of these threads, drawn thin where the finding has none itself. */
function addContext(scene) {
	for (const row of scene.rows) {
		const known = lineOf(scene, row);
		if (!known || row.ghost || row.memory || row.sort || scene.bars.some((bar) => bar.row === row))
			continue;
		for (const one of known.spans.slice(0, CONTEXT_DRAWN))
			scene.bars.push({row, kind: `context ${one.kind}`, from: one.begin, to: one.end,
				label: `${{wait: 'waits for', hold: 'holds', region: 'in'}[one.kind]} ${one.what}`});
	}
}

function addWaits(scene) {
	for (const mark of scene.marks) {
		const step = mark.step;
		if (mark.role === 'holder')
			addHold(scene, mark);
		if (mark.role !== 'wait' && mark.role !== 'blocked')
			continue;
		const edge = step.waits_for, from = edge ? edge.since_ns : mark.time;
		const what = edge ? edge.what : subjectName(scene.finding);
		scene.see(from);
		mark.time = from;
		scene.bars.push({row: mark.row, kind: 'wait', from, to: 0,
			label: `waits for ${what.split(', made at ')[0]}${isEndless(scene) ? ', forever' : ''}`});
	}
}

function addMemory(scene) {
	const subject = scene.finding.subject;
	if (!subject || !subject.uses)
		return;
	const name = subject.kind === 'export' ? 'exported memory' : 'shared memory';
	const memory = scene.row(0, 0, name, {sort: 'memory', memory: true, note: subject.name});
	scene.see(subject.begin_ns || 0, subject.end_ns || 0);
	scene.bars.push({row: memory, kind: 'memory', from: subject.begin_ns || 0, to: subject.end_ns || 0,
		label: subject.name});
	for (const [pid, from, to] of subject.uses.slice(0, USES_DRAWN)) {
		const row = scene.row(pid, pid, 'has it open', {sort: 'use'});
		scene.see(from || 0, to || 0);
		scene.bars.push({row, kind: 'use', from: from || 0, to: to || 0, label: 'mapped'});
		if (subject.end_ns && (!to || to > subject.end_ns))
			scene.bars.push({row, kind: 'beyond', from: Math.max(from || 0, subject.end_ns), to: to || 0, label: 'still open after its end'});
	}
	const left = subject.uses.length - USES_DRAWN;
	if (left > 0 || subject.uses_left_out)
		scene.notes.push(`${plural(Math.max(left, 0) + (subject.uses_left_out || 0), 'further use')} of this memory not drawn`);
}

/* Ends of processes within the picture. */
function addEnds(scene) {
	for (const row of scene.rows) {
		const process = row.process;
		if (process && process.end_ns && !row.memory) {
			row.end = process.end_ns;
			scene.see(process.end_ns);
		}
	}
	scene.see(span.end);
}

/* Memory first, then processes by start time, each with its threads. */
function sortRows(scene) {
	const birth = (row) => row.memory ? 0 : row.process ? row.process.start_ns : row.from || scene.finding.time_ns;
	const rank = (row) => row.memory ? 0 : row.ghost ? 3 : row.sort === 'use' ? 2 : 1;
	scene.rows.sort((a, b) => birth(a) - birth(b) || a.pid - b.pid || rank(a) - rank(b) || a.tid - b.tid);
	scene.rows.forEach((row, i) => {
		const gaps = scene.rows.slice(0, i + 1).filter((one, k, list) => k && one.pid !== list[k - 1].pid).length;
		row.y = HEAD + i * ROW + gaps * 14;
		row.first = !i || scene.rows[i - 1].pid !== row.pid;
		row.room = labelRoom(2);
	});
}

function sceneOf(finding, width, open) {
	const scene = new Scene(finding, width, open);
	addSteps(scene);
	addChildren(scene);
	addWaits(scene);
	addMemory(scene);
	addContext(scene);
	addEnds(scene);
	sortRows(scene);
	return scene;
}

function rowTitle(scene, row) {
	return row.memory ? '' : row.title || processTitle(row.pid, scene.finding.time_ns, scene.finding);
}

function drawRowHead(scene, row, width) {
	const parts = [];
	if (row.first)
		parts.push(svg('line', {class: 'group-line', x1: 0, x2: width, y1: row.y - 7, y2: row.y - 7}),
			svg('text', {class: 'group-name', x: 2, y: row.y + 11}, shorten(rowTitle(scene, row), Math.floor(scene.gutter / 6.7))));
	parts.push(svg('text', {class: row.ghost ? 'row-name ghost' : 'row-name', x: row.memory ? 2 : 12, y: row.y + 31},
		shorten(row.name || `thread ${row.tid}`, Math.floor(scene.gutter / 7))));
	return parts;
}

function drawLife(scene, row, at) {
	if (row.memory || row.ghost || row.sort === 'use')
		return [];
	const known = lineOf(scene, row);
	const born = row.from || Math.max(known ? known.begin : 0, row.process ? row.process.start_ns : 0);
	const from = born > at.points[0] ? at(born) : scene.gutter + 4, y = row.y + 27;
	const to = row.end ? at(row.end) : scene.right + 22;
	const parts = [svg('line', {class: 'life', x1: from, x2: to, y1: y, y2: y})];
	if (row.end)
		parts.push(svg('path', {class: 'end-mark', d: `M${to} ${y - 8}v16`}, svg('title', null, endText(row.process))));
	return parts;
}

function drawContext(bar, at, right) {
	const x = at(bar.from), to = Math.max(x + 2, bar.to ? at(bar.to) : right);
	return [svg('rect', {class: `mark ${bar.kind}`, x, y: bar.row.y + 24, width: to - x, height: 6}, svg('title', null, bar.label))];
}

function drawBar(scene, bar, at, hatchId) {
	const {gutter, right, margin} = scene;
	if (bar.kind.startsWith('context'))
		return drawContext(bar, at, right);
	const endless = !bar.to, y = bar.row.y + 21, end = bar.row.end;
	const x = bar.from ? at(bar.from) : gutter + 4;
	const to = Math.max(x + 3, endless ? (end && bar.kind !== 'memory' ? at(end) : right + 18) : at(bar.to));
	const shape = endless && !end ? `M${x} ${y}H${to}l8 6l-8 6H${x}z` : `M${x} ${y}H${to}v12H${x}z`;
	const parts = [svg('path', {class: `mark ${bar.kind}`, d: shape}, svg('title', null, bar.label))];
	if (bar.kind === 'wait' || bar.kind === 'beyond')
		parts.push(svg('path', {d: shape, fill: `url(#${hatchId})`}));
	const chars = Math.max(12, Math.floor((right + margin - gutter) / CHAR));
	const label = shorten(bar.label, chars), start = Math.min(x + 13, right + margin - label.length * CHAR);
	if (bar.row.room(start, start + label.length * CHAR, 1) === 1)
		parts.push(svg('text', {class: `label ${bar.kind}`, x: Math.max(gutter + 4, start), y: bar.row.y + 46}, label));
	return parts;
}

function drawMark(mark, at, spots) {
	const y = mark.row.y + 27;
	let x = at(mark.time);
	while (spots.some((spot) => spot.row === mark.row && Math.abs(spot.x - x) < 19))
		x += 20;
	spots.push({row: mark.row, x});
	const word = ROLE_WORDS[mark.role] || mark.role,
	      parts = [svg('g', {class: 'badge'}, svg('circle', {cx: x, cy: y, r: 9}),
			   svg('text', {x, y: y + 4}, mark.number))];
	if (mark.row.room(x - 9, x + 16 + word.length * CHAR, 0) === 0)
		parts.push(svg('text', {class: 'label above', x: x - 8, y: mark.row.y + 11}, word));
	return parts;
}

function drawArrow(arrow, at) {
	const x = at(arrow.time), from = arrow.row.y + 27, to = arrow.to.y + 27, down = to > from ? 1 : -1;
	return [svg('path', {class: 'fork', d: `M${x} ${from + 9 * down}V${to - 9 * down}`}),
		svg('path', {class: 'fork-head', d: `M${x - 5} ${to - 11 * down}h10l-5 ${9 * down}z`}),
		arrow.to.from && svg('circle', {class: 'fork-head', cx: x, cy: to, r: 3})];
}

function drawAxis(scene, at, height)
{
	const parts = [], free = labelRoom(1),
	      base = at.points.find((time) => time !== scene.before);
	for (const time of at.points) {
		const x = at(time), label = time < base	  ? 'before' :
					    time === base ? '0' :
							    `+${durationText(time - base)}`;
		parts.push(svg('line', {class: 'tick', x1: x, x2: x, y1: HEAD - 10, y2: height - 4}));
		if (time < base)
			parts.push(svg('text', {class: 'axis', x: x - 2, y: 12, 'text-anchor': 'end'}, label));
		else if (free(x - 4, x + label.length * CHAR + 6) === 0)
			parts.push(svg('text', {class: 'axis', x: x + 2, y: 12}, label));
	}
	parts.push(svg('text', {class: 'axis end', x: scene.right + 2, y: 24}, 'end of the run'));
	return parts;
}

/* Each picture has its own pattern: one in a hidden part of the page would not be drawn. */
function hatch(id) {
	return svg('defs', null, svg('pattern', {id, width: 6, height: 6, patternUnits: 'userSpaceOnUse',
		patternTransform: 'rotate(45)'}, svg('line', {class: 'hatch', x1: 0, x2: 0, y1: 0, y2: 6})));
}

function sceneTable(scene) {
	const base = Math.min(...scene.times.filter((time) => time !== scene.before));
	const since = (time) => time >= base ? `+${durationText(time - base)}` : 'before';
	return asTable('Timeline as a table', ['From', 'To', 'Process', 'Thread', 'What'], () => [
		...scene.marks.map((mark) => [since(mark.time), '', mark.row.pid || '', mark.row.name || mark.row.tid,
			`${mark.number}. ${mark.step.what}`]),
		...scene.bars.map((bar) => [since(bar.from), bar.to ? since(bar.to) : 'no end seen', bar.row.pid || '',
			bar.row.name || bar.row.tid, bar.label])]);
}

/* Shows each of the lanes that are alike, or folds them again. */
function unfoldButton(finding, room, open) {
	const count = stepsOf(finding).reduce((sum, step) => sum + (step.alike ? step.alike.length : 0), 0);
	const button = el('button', {type: 'button', class: 'more unfold', 'aria-expanded': String(open), onclick: () => {
		const next = timelineFigure(finding, room, !open);
		button.closest('figure').replaceWith(next);
		next.querySelector('.unfold').focus();
	}}, open ? 'Fold those alike' : `Show each of the ${count} alike`);
	return count > 0 && button;
}

/* The figure; null when there is nothing to draw. */
function timelineFigure(finding, room, open = false) {
	const width = Math.min(1180, room), scene = sceneOf(finding, width, open);
	if (!scene.marks.length)
		return null;
	const last = scene.rows[scene.rows.length - 1], height = last.y + ROW + 4, spots = [], hatchId = `hatch-${++lastId}`;
	const at = timeScale(scene.times, scene.gutter + 46, scene.right);
	const drawing = picture(
		width, height, `Timeline of ${finding.rule}`,
		scene.marks.map((mark) => `${mark.number}: ${mark.step.what}`)
			.join('. '),
		hatch(hatchId), drawAxis(scene, at, height),
		scene.rows.map((row) => drawRowHead(scene, row, width)),
		scene.rows.map((row) => drawLife(scene, row, at)),
		scene.bars.map((bar) => drawBar(scene, bar, at, hatchId)),
		scene.arrows.map((arrow) => drawArrow(arrow, at)),
		scene.marks.map((mark) => drawMark(mark, at, spots)));
	return el('figure', {class: 'figure'}, drawing,
		el('figcaption', null, 'Time runs to the right; gaps are not to scale. Numbers are the steps below.',
			scene.notes.map((note) => ` ${note}.`)), unfoldButton(finding, room, open), sceneTable(scene));
}
