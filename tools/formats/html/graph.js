/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who waits for whom: threads as cards, grouped in their processes, an arrow for each wait. The same drawing serves
 * locks and the orders in which they were taken. Neighbours: dom.js, story.js.
 */
const CARD_W = 196, CARD_H = 50, NODES_DRAWN = 12;

/* Threads and their waits, from the steps of a deadlock. */
function waitGraph(finding) {
	const nodes = new Map(), mainOf = new Map(), edges = [];
	const node = (key, label, pid, sub, gone) => {
		if (!nodes.has(key))
			nodes.set(key, {key, label, pid, gone, sub: sub || `process ${pid}`});
		return nodes.get(key);
	};
	const ownerOf = (step, edge) => {
		if (edge.tid)
			return node(`${edge.pid}/${edge.tid}`, edge.thread || `thread ${edge.tid}`,
				    edge.pid, edge.gone ? 'gone' : '', edge.gone);
		if (edge.pid !== step.pid && !edge.gone && mainOf.has(edge.pid))
			return mainOf.get(edge.pid); /* the waiter waits for its end */
		return edge.gone ? node(`process/${edge.pid}`, `process ${edge.pid}`, edge.pid,
					endText(processAt(edge.pid, step.time_ns, finding)), true) :
				   node(`nobody/${step.pid}/${step.tid}`, 'no owner',
					step.pid, 'could end this wait', true);
	};
	const steps = (finding.evidence || []).filter((step) => step.waits_for);
	for (const step of steps) {
		const one = node(`${step.pid}/${step.tid}`, step.thread || `thread ${step.tid}`, step.pid,
				 placeText(frameAt(step.at)), false);
		if (!mainOf.has(step.pid) || step.tid === step.pid)
			mainOf.set(step.pid, one);
	}
	for (const step of steps) {
		const edge = step.waits_for, from = nodes.get(`${step.pid}/${step.tid}`),
		      to = ownerOf(step, edge);
		edges.push({
			from,
			to,
			label: edge.what,
			long: `${from.label} of process ${from.pid} waits for ${edge.what}` +
				      (edge.tid || edge.gone ? `, held by ${to.label} of process ${to.pid}` :
				       to.gone		     ? ', which nothing can end' :
							       '')
		});
	}
	return {finding, nodes: [...nodes.values()], edges, title: 'Who waits for whom', legend: 'An arrow leads from a thread to the one it waits for.'};
}

/* Locks, and threads that took the second while holding the first. */
function orderGraph(finding) {
	const nodes = new Map(), edges = [];
	const node = (name) => {
		if (!nodes.has(name))
			nodes.set(name, {key: name, label: name, pid: finding.pid, sub: 'lock'});
		return nodes.get(name);
	};
	for (const step of (finding.evidence || []).filter((one) => one.first && one.second))
		edges.push({from: node(step.first), to: node(step.second), label: step.thread || `thread ${step.tid}`, long: step.what});
	return {finding, nodes: [...nodes.values()], edges, title: 'Lock order', legend: 'An arrow leads from the lock that was held to the one taken under it.'};
}

/* Processes that wait for each other are placed side by side. */
function groupsOf(nodes, edges)
{
	const groups = new Map(), ends = edges.flatMap((edge) => [edge.from, edge.to])
						 .filter((node) => nodes.includes(node));
	for (const node of new Set([...ends, ...nodes])) {
		if (!groups.has(node.pid))
			groups.set(node.pid, []);
		groups.get(node.pid).push(node);
	}
	return groups;
}

/* All in one process: two side by side, more in a ring. */
function placeRing(nodes, width) {
	const count = nodes.length, middle = width / 2;
	if (count <= 2) {
		nodes.forEach((node, i) => { node.x = count === 1 ? middle : middle + (i ? 1 : -1) * Math.min(250, width / 2 - 120); node.y = 96; });
		return 186;
	}
	const rx = Math.min(width / 2 - 120, 170 + count * 26), ry = 84 + count * 16;
	nodes.forEach((node, i) => {
		const angle = -Math.PI / 2 + i * 2 * Math.PI / count;
		node.x = middle + rx * Math.cos(angle);
		node.y = ry + 50 + ry * Math.sin(angle);
		node.centre = {x: middle, y: ry + 50};
	});
	return Math.max(...nodes.map((node) => node.y)) + 70;
}

/* A column for each process. */
function placeColumns(groups, width) {
	const columns = Math.min(groups.size, Math.max(2, Math.floor(width / 290))),
	      gap = width / columns, foot = new Array(columns).fill(46);
	[...groups.values()].forEach((group, i) => {
		const column = i % columns;
		for (const node of group) {
			node.x = gap * (column + 0.5);
			node.y = foot[column] + 34;
			foot[column] += 124;
		}
		foot[column] += 40;
	});
	return Math.max(...foot) - 62;
}

/* Where the line from a card's middle to a point leaves the card. */
function borderPoint(node, towards) {
	const dx = towards.x - node.x, dy = towards.y - node.y;
	const scale = Math.min((CARD_W / 2 + 3) / Math.abs(dx || 1e-9), (CARD_H / 2 + 3) / Math.abs(dy || 1e-9));
	return {x: node.x + dx * scale, y: node.y + dy * scale};
}

function wrapLabel(text, room) {
	const lines = [''];
	for (const word of shorten(text, room * 2).split(' '))
		if ((lines[lines.length - 1] + ' ' + word).trim().length <= room || !lines[lines.length - 1])
			lines[lines.length - 1] = `${lines[lines.length - 1]} ${word}`.trim();
		else
			lines.push(word);
	return lines.slice(0, 3);
}

function drawEdge(edge) {
	const {from, to} = edge;
	if (from === to) {
		const x = from.x, y = from.y + CARD_H / 2;
		return [svg('path', {class: 'edge', d: `M${x - 40} ${y}c-10 44 90 44 80 6`}), edgeHead({x: x + 40, y: y + 2}, {x: x + 42, y: y + 12}),
			svg('text', {class: 'edge-label', x, y: y + 50}, shorten(edge.label, 40))];
	}
	const dx = to.x - from.x, dy = to.y - from.y, length = Math.hypot(dx, dy) || 1, bow = Math.min(64, length / 4);
	const outwards = from.centre && (from.x + to.x - 2 * from.centre.x) * dy -
							 (from.y + to.y - 2 * from.centre.y) * dx >
						 0 ?
				 -1 :
				 1;
	const bend = bow * outwards, control = {
		x: (from.x + to.x) / 2 - dy / length * bend,
		y: (from.y + to.y) / 2 + dx / length * bend
	};
	const start = borderPoint(from, control), end = borderPoint(to, control);
	const middle = {x: (start.x + end.x) / 4 + control.x / 2, y: (start.y + end.y) / 4 + control.y / 2};
	const lines = wrapLabel(edge.label, 26);
	return [svg('path', {class: 'edge', d: `M${start.x} ${start.y}Q${control.x} ${control.y} ${end.x} ${end.y}`}),
		edgeHead(end, control), svg('text', {class: 'edge-label', x: middle.x, y: middle.y + 4 - (lines.length - 1) * 7},
			lines.map((line, i) => svg('tspan', {x: middle.x, dy: i ? 14 : 0}, line)))];
}

function edgeHead(tip, from) {
	const angle = Math.atan2(tip.y - from.y, tip.x - from.x) * 180 / Math.PI;
	return svg('path', {class: 'edge-head', d: 'M0 0L-11 -5V5z', transform: `translate(${tip.x} ${tip.y}) rotate(${angle})`});
}

function drawNode(node) {
	const x = node.x - CARD_W / 2, y = node.y - CARD_H / 2;
	return svg(
		'g', {class: node.gone ? 'node gone' : 'node'},
		svg('title', null, `${node.label}, ${node.sub}`),
		svg('rect', {x, y, width: CARD_W, height: CARD_H, rx: 8}),
		svg('text', {class: 'node-name', x: node.x, y: node.y - 3},
		    shorten(node.label, 27)),
		svg('text', {class: 'node-sub', x: node.x, y: node.y + 14}, shorten(node.sub, 32)));
}

function drawGroup(pid, group, finding) {
	const xs = group.map((node) => node.x), ys = group.map((node) => node.y);
	const x = Math.min(...xs) - CARD_W / 2 - 14, y = Math.min(...ys) - CARD_H / 2 - 28;
	const process = processAt(pid, finding.time_ns, finding), name = processName(process);
	return [
		svg('rect', {
			class: 'group',
			x,
			y,
			rx: 12,
			width: Math.max(...xs) - Math.min(...xs) + CARD_W + 28,
			height: Math.max(...ys) - Math.min(...ys) + CARD_H + 42
		}),
		svg('text', {class: 'group-name', x: x + 12, y: y + 18},
		    shorten(`process ${pid}${name ? ` · ${name}` : ''}`, 26))
	];
}

/* The figure of a graph; null when it has no edges. */
function graphFigure(graph, width) {
	if (!graph.edges.length)
		return null;
	const nodes = graph.nodes.slice(0, NODES_DRAWN), left = graph.nodes.length - nodes.length;
	const groups = groupsOf(nodes, graph.edges), isOne = groups.size === 1;
	const height = isOne ? placeRing(nodes, width) : placeColumns(groups, width);
	const edges = graph.edges.filter((edge) => nodes.includes(edge.from) && nodes.includes(edge.to));
	const boxes = isOne && nodes.length > 2 ? [] : [...groups].map(([pid, group]) => drawGroup(pid, group, graph.finding));
	const drawing = picture(width, height, graph.title, graph.edges.map((edge) => edge.long).join('. '),
		boxes, edges.map(drawEdge), nodes.map(drawNode));
	return el('figure', {class: 'figure'}, el('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': graph.title}, drawing),
		el('figcaption', null, graph.legend, left > 0 && ` ${plural(left, 'further thread')} not drawn; the table lists all.`),
		asTable(graph.title, ['From', 'To', 'Why'], () => graph.edges.map((edge) => [edge.from.label, edge.to.label, edge.long])));
}

function graphOf(finding, width) {
	const steps = finding.evidence || [];
	if (steps.some((step) => step.waits_for))
		return graphFigure(waitGraph(finding), width);
	return steps.some((step) => step.first) ? graphFigure(orderGraph(finding), width) : null;
}
