/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who waits for whom: threads on the left, what they wait for on the right. An arrow to the right is a wait, one to the
 * left leads to the owner, who may be dead or never copied. Arrows have no labels, so none can cross. The same drawing
 * shows the order in which locks are taken. Neighbours: dom.js, story.js.
 */
const CARDS_DRAWN = 12, CARD_GAP = 16, LINE = 15, GRAPH_TOP = 26;

/* Names with a quote or a place are of one object; "a Connection" may be any. */
function isNamed(what) {
	return /"|made at/.test(what);
}

class Graph {
	constructor(finding) {
		const steps = stepsOf(finding), pids = new Set(steps.flatMap((step) => [step.pid, step.waits_for?.pid ?? step.pid]));
		this.finding = finding;
		this.only = pids.size === 1 && steps[0];
		this.people = [];
		this.things = [];
		this.edges = [];
	}

	card(list, key, label, sub, more) {
		let card = list.find((one) => one.key === key);
		if (!card)
			list.push(card = {key, label, sub, ...more});
		return card;
	}

	/* All threads of one process need not say whose they are. */
	title(pid, thread) {
		if (this.only)
			return thread || 'main thread';
		const title = processTitle(pid, this.finding.time_ns, this.finding);
		return !thread || /^main/i.test(thread) ? title : `${thread} of ${title}`;
	}

	several(step) {
		return this.only ? `${step.alike.length} alike: ${step.thread} …` : alikeTitle(step.alike.length, processAt(step.pid, step.time_ns, this.finding));
	}

	/* The thread or threads of a step. */
	waiter(step) {
		const place = placeText(frameAt(step.at));
		return this.card(this.people, `step ${step.number}`, step.alike ? this.several(step) : this.title(step.pid, step.thread), place,
			{members: step.alike || [step]});
	}

	/* The card of a thread; with `tid` 0 that of its process's main thread. */
	owner(pid, tid, label, sub, gone) {
		const is = (one) => one.pid === pid && one.tid === (tid || pid);
		return !gone && this.people.find((card) => card.members?.some(is)) ||
			this.card(this.people, `${pid}/${tid}/${gone}`, label, sub, {gone});
	}

	/* What several wait for is one card, unless its name may stand for several objects: `apart` keeps these apart. */
	thing(what, owner, apart = '') {
		const known = !owner && !apart && this.things.find((one) => one.what === what);
		const [label, made] = what.split(/, (?=made at )/);
		return known || this.card(this.things, `${what} ${owner ? owner.key : apart}`, label, made || '', {what});
	}

	edge(from, to, kind, long) {
		if (!this.edges.some((one) => one.from === from && one.to === to))
			this.edges.push({from, to, kind, long});
	}

	wait(step, what, owner, taken) {
		const from = this.waiter(step), to = this.thing(what, owner, isNamed(what) ? '' : step.number);
		this.edge(from, to, 'wait', `${from.label} waits for ${what}`);
		if (owner)
			this.edge(to, owner, 'hold', `${what}: ${owner.label}${owner.sub ? `, ${owner.sub}` : ''}${taken ? `, taken at ${taken}` : ''}`);
		if (owner && taken)
			to.sub = `taken at ${taken}`;
	}
}

/* The owner that a step names; null when none is known. */
function ownerOf(graph, step) {
	const edge = step.waits_for, process = processAt(edge.pid, step.time_ns, graph.finding);
	return !ownerKey(step) ? null : graph.owner(edge.pid, edge.tid, graph.title(edge.pid, edge.thread || edge.tid && edge.tid !== edge.pid && `thread ${edge.tid}`),
		edge.gone ? process && process.end_ns && !edge.tid ? endText(process) : 'has ended' : '', edge.gone);
}

/* Threads and their waits, from the steps of a deadlock, else of a fork that left an owner behind. */
function waitGraph(finding) {
	const graph = new Graph(finding), steps = stepsOf(finding), waits = steps.filter((step) => step.waits_for);
	const holder = steps.find((step) => step.role === 'holder'), fork = steps.find((step) => step.role === 'fork');
	const left = waits.length || !holder ? [] : steps.filter((step) => step.role === 'wait');
	[...waits, ...left].forEach((step) => graph.waiter(step));
	for (const step of waits)
		graph.wait(step, step.waits_for.what, ownerOf(graph, step), step.waits_for.taken);
	for (const step of left) {
		const gone = Boolean(fork && fork.pid === holder.pid && fork.tid !== holder.tid && step.pid !== holder.pid);
		graph.wait(step, subjectName(finding), graph.owner(holder.pid, holder.tid, graph.title(holder.pid, holder.thread),
			gone ? `not copied into ${step.pid} by fork()` : placeText(frameAt(holder.at)), gone));
	}
	return Object.assign(graph, {name: 'Who waits for whom', head: 'What they wait for', legend: '→ waits for; ← is held by, or can be ended only by.'});
}

/* Threads that took a second lock while holding a first one. */
function orderGraph(finding) {
	const graph = new Graph(finding);
	for (const step of stepsOf(finding).filter((one) => one.first && one.second)) {
		const thread = graph.waiter(step);
		graph.edge(graph.thing(step.first), thread, 'hold', step.what);
		graph.edge(thread, graph.thing(step.second), 'wait', step.what);
	}
	return Object.assign(graph, {name: 'Lock order', head: 'Locks', legend: '← is held by the thread meanwhile; → is taken under it.'});
}

function wrapText(text, room, lines) {
	const list = [''];
	for (const word of text.split(' ')) {
		const longer = `${list[list.length - 1]} ${word}`.trim();
		if (longer.length <= room || !list[list.length - 1])
			list[list.length - 1] = longer;
		else
			list.push(word);
	}
	return list.length > lines ? [...list.slice(0, lines - 1), shorten(list.slice(lines - 1).join(' '), room)] : list.map((line) => shorten(line, room));
}

/* Cards below each other, each near the middle of those that it has to do with; returns where they end. */
function placeCards(cards, x, width, wish) {
	let foot = GRAPH_TOP;
	for (const card of cards) {
		card.lines = wrapText(card.label, Math.floor((width - 20) / 7.3), 2).map((text) => [text, 'node-name']).concat(
			card.sub ? wrapText(card.sub, Math.floor((width - 20) / 6.4), 2).map((text) => [text, 'node-sub']) : []);
		card.height = card.lines.length * LINE + 17;
		card.y = Math.max(foot, wish ? wish(card) - card.height / 2 : 0);
		Object.assign(card, {x, width, middle: card.y + card.height / 2});
		foot = card.y + card.height + CARD_GAP;
	}
	return foot;
}

function drawEdge(edge) {
	const right = edge.kind === 'wait', a = edge.from, b = edge.to, side = (card, out) => card.x + (right === out ? card.width : 0);
	const x1 = side(a, true), x2 = side(b, false) + (right ? -2 : 2), bend = (x2 - x1) / 2, shift = right ? -6 : 6;
	const y1 = a.middle + shift, y2 = b.middle + shift, head = right ? -10 : 10;
	return [svg('path', {class: `edge ${edge.kind}`, d: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2 + head / 2} ${y2}`}),
		svg('path', {class: `edge-head ${edge.kind}`, d: `M${x2} ${y2}l${head} -5v10z`})];
}

function drawCard(card) {
	return svg('g', {class: card.what ? 'node thing' : card.gone ? 'node gone' : 'node'}, svg('title', null, [card.label, card.sub].filter(Boolean).join(', ')),
		svg('rect', {x: card.x, y: card.y, width: card.width, height: card.height, rx: card.what ? 17 : 7}),
		card.lines.map(([text, kind], i) => svg('text', {class: kind, x: card.x + card.width / 2, y: card.y + 20 + i * LINE}, text)));
}

/* The figure of a graph; null when it has no edges. */
function graphFigure(graph, room) {
	const width = Math.min(room, 1000), gap = Math.max(56, width * 0.14), cardWidth = (width - gap) / 2 - 1, right = cardWidth + gap + 1;
	const people = graph.people.slice(0, CARDS_DRAWN), left = graph.people.length - people.length;
	const edges = graph.edges.filter((edge) => [edge.from, edge.to].every((one) => one.what || people.includes(one)));
	const things = graph.things.filter((one) => edges.some((edge) => edge.from === one || edge.to === one));
	if (!edges.length)
		return null;
	const foot = placeCards(people, 1, cardWidth);
	const near = (card) => edges.filter((edge) => edge.to === card || edge.from === card).map((edge) => (edge.to === card ? edge.from : edge.to).middle);
	const wish = (card) => near(card).reduce((a, b) => a + b, 0) / near(card).length;
	things.sort((a, b) => wish(a) - wish(b));
	const height = Math.max(foot, placeCards(things, right, cardWidth, wish)) - CARD_GAP + 2;
	const drawing = picture(width, height, graph.name, graph.edges.map((edge) => edge.long).join('. '),
		[graph.only ? `Threads of ${processTitle(graph.only.pid, graph.only.time_ns, graph.finding)}` : 'Threads', graph.head].map((head, i) => svg('text', {class: 'axis', x: i ? right : 1, y: 13}, shorten(head, Math.floor(cardWidth / 6)))), edges.map(drawEdge), [...people, ...things].map(drawCard));
	return el('figure', {class: 'figure'}, drawing,
		el('figcaption', null, graph.legend, left > 0 && ` ${plural(left, 'further thread')} not drawn; the table lists all.`),
		asTable(graph.name, ['From', 'To', 'Why'], () => graph.edges.map((edge) => [edge.from.label, edge.to.label, edge.long])));
}

function graphOf(finding, width) {
	return graphFigure((finding.evidence || []).some((step) => step.first) ? orderGraph(finding) : waitGraph(finding), width);
}
