/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One finding: its message and fix, pictures, steps with frames, and fingerprint.
 * Neighbours: timeline.js, graph.js; list.js selects the finding.
 */
const FRAMES_OPEN = 12;

/* Capitalises a text, unless it begins with a name. */
function sentence(text) {
	return /^(a|an|it|its|the|worker|rank|process|thread|threads|locks?|mutex|memory|no) /.test(text) ? text[0].toUpperCase() + text.slice(1) : text;
}

/* Libraries between the program and what it waits for: their frames are folded, as in the text report. */
const MACHINERY = /\/(multiprocessing|concurrent\/futures|asyncio|logging|_pytest|pluggy|pytest|torch\/multiprocessing)\/|\/(threading|subprocess|runpy)\.py$|<frozen (importlib|runpy)/;

function machineryOf(frame) {
	return frame.source ? '' : (MACHINERY.exec(frame.file) || []).slice(1).find(Boolean) || '';
}

/* The line with those around it, where the report has them. */
function codeOf(frame) {
	const [first, around] = frame.around || [frame.line, []];
	const lines = around.length ? around.map((i) => data.texts[i]) : [frame.source];
	return el('pre', {class: 'source'}, lines.map((text, i) => el(first + i === frame.line ? 'mark' : 'span', null,
		el('span', {class: 'line-number', 'aria-hidden': 'true'}, first + i), text, '\n')));
}

function frameItem(frame, number) {
	const place = frame.file ? `${frame.file}:${frame.line}` : frame.module ? `${baseName(frame.module)}+0x${frame.offset.toString(16)}` : '';
	return el('li', {'data-number': number}, el('code', {class: 'function'}, frame.function || '??'), ' ', el('span', {class: 'place'}, place),
		  frame.source && codeOf(frame));
}

/* Frames from `first` on that are worth a button. */
function foldOfFrames(frames, first, count, text) {
	const button = el('button', {type: 'button', class: 'more', onclick: () =>
		button.parentNode.replaceWith(...frames.slice(first, first + count).map((frame, i) => frameItem(frame, first + i)))}, text);
	return el('li', {class: 'folded'}, button);
}

function frameList(frames) {
	const items = [];
	for (let i = 0, count; i < frames.length; i += count) {
		const name = i ? machineryOf(frames[i]) : '';
		count = 1;
		while (name && frames[i + count] && machineryOf(frames[i + count]) === name)
			count++;
		if (items.length >= FRAMES_OPEN)
			count = frames.length - i;
		items.push(count === 1 ? frameItem(frames[i], i) :
			foldOfFrames(frames, i, count, items.length >= FRAMES_OPEN ? `${count} more frames` : `${count} frames of ${name}`));
	}
	return el('ol', {class: 'frames', start: 0}, items);
}

/* Filled when it is opened: native stacks are long and rarely read. */
function nativeFold(frames, open) {
	const fold = el('details', {class: 'native'}, el('summary', null, plural(frames.length, 'native frame')));
	const show = () => {
		if (fold.open && !fold.querySelector('ol'))
			fold.append(frameList(frames));
	};
	fold.addEventListener('toggle', show);
	fold.open = open;
	show();
	return fold;
}

function stepItem(step, base, id, steps, finding) {
	const python = stackAt(step.python), native = stackAt(step.stack);
	return el('li', {class: 'step', id}, el('p', {class: 'what'}, sentence(step.what)),
		  el('p', {class: 'when'},
		     forkBehind(steps, step) ? 'seen at the fork' :
					       `+${durationText(Math.max(0, step.time_ns - base))}`,
		     ' · ', processTitle(step.pid, step.time_ns, finding), ' · ', step.thread || `thread ${step.tid}`,
		     step.host && ` · ${step.host}`),
		  step.alike && el('details', {class: 'alike'}, el('summary', null, `and ${step.alike.length - 1} alike`),
			el('ul', null, step.alike.map((one) => el('li', null, processTitle(one.pid, one.time_ns, finding), ' · ', one.thread || `thread ${one.tid}`)))),
		  python.length > 0 && [el('h4', null, 'Python'), frameList(python)],
		  native.length > 0 && nativeFold(native, !python.length));
}

function copyLine(label, text) {
	const button = el('button', {type: 'button', 'aria-label': `Copy the ${label}`, onclick: () => copyText(text, button)}, 'Copy');
	return el('div', {class: 'copy'}, el('span', {class: 'copy-label'}, label), el('code', null, text), button);
}

/* What a program may have written stands between fences, where it is neither markup nor a mention. */
function fenced(text) {
	const longest = Math.max(2, ...(text.match(/`+/g) || []).map((run) => run.length));
	const fence = '`'.repeat(longest + 1);
	return `${fence}text\n${text.replace(UNSEEN, '\ufffd')}\n${fence}\n`;
}

function frameLines(frames) {
	return frames.filter((frame, i) => !i || frame.source).map((frame) => `     ${placeText(frame)}${frame.source ? `: ${frame.source.trim()}` : ''}`);
}

/* The finding for an issue tracker. */
function markdownOf(finding) {
	const {what, why} = headOf(finding), steps = stepsOf(finding).flatMap((step) => [
		`${step.number}. ${step.what}${step.alike ? ` (and ${step.alike.length - 1} alike)` : ''}`,
		...frameLines(step.python >= 0 ? stackAt(step.python) : stackAt(step.stack))]);
	return `### mpsan: ${finding.severity}: ${finding.rule}\n\n${fenced([what, why && `  ${why}`, `  → ${finding.fix}`].filter(Boolean).join('\n'))}` +
		(steps.length ? `\n${fenced(steps.join('\n'))}` : '') +
		`\n${fenced([`$ ${commandText()}`, `fingerprint: ${finding.fingerprint}`, `mpsan ${(data.tool || {}).version || ''}`].join('\n'))}`;
}

/* A line for --suppressions: the place that the finding names, else its lock. */
function suppressionOf(finding) {
	const step = mainStep(finding), frame = step && frameAt(step.at);
	const escape = (text) => text.replace(/[\\*?[]/g, '\\$&');
	if (!frame || !frame.function)
		return `${finding.rule}:${finding.lock ? escape(finding.lock) : '*'}`;
	const place = frame.file && (step.python >= 0) ? `${baseName(frame.file)}:${frame.function}` : frame.function;
	return `${finding.rule}:${escape(place)}`;
}

function ruleFold(slug) {
	const rule = (data.rules || {})[slug];
	if (!rule)
		return null;
	const rows = [['The hazard', rule.hazard], ['Evidence', rule.evidence], ['Grading', rule.grading], ['Source', rule.source]];
	return el('details', {class: 'about'}, el('summary', null, `About ${slug}`),
		el('dl', null, rows.map(([head, text]) => [el('dt', null, head), el('dd', null, text)])));
}

function seenText(finding) {
	const parts = [];
	if (finding.count > 1)
		parts.push(`seen ${finding.count.toLocaleString('en')} times`);
	parts.push(finding.spread, ownTitle(finding), finding.thread || `thread ${finding.tid}`, clockText(finding.time_ns));
	return parts.filter(Boolean).join(' · ');
}

/* What waits where, and why it never ends; in one line where the finding has no two. */
function headOf(finding) {
	return finding.what ? finding : {what: finding.message, why: ''};
}

/* Words between backticks as code. */
function withCode(text) {
	const parts = text.split('`');
	return parts.length % 2 ? parts.map((part, i) => i % 2 ? el('code', null, part) : part) : text;
}

function storyHead(finding, prefix) {
	const rule = (data.rules || {})[finding.rule], {what, why} = headOf(finding);
	const copy = el('button', {type: 'button', class: 'copy-markdown', 'aria-keyshortcuts': 'c', onclick: () => copyText(markdownOf(finding), copy)}, 'Copy as Markdown');
	return [
		el('div', {class: 'kind'}, el('span', {class: `grade ${finding.severity}`}, finding.severity), ' ', el('code', null, finding.rule),
			rule && el('span', {class: 'rule-title'}, finding.title || rule.title), copy),
		el('h2', {id: `${prefix}-title`, class: what.length > 160 ? 'message long' : 'message'}, sentence(what)),
		why && el('p', {class: 'why-never'}, sentence(why)),
		el('section', {class: 'fix', 'aria-label': 'The fix'}, el('h3', null, 'The fix'), el('p', null, withCode(finding.fix.charAt(0).toUpperCase() + finding.fix.slice(1)))),
		el('p', {class: 'seen'}, seenText(finding)),
		finding.outcome && el('p', {class: 'seen'}, `In the end: ${finding.outcome}.`)
	];
}

/* The children of an article; `prefix` keeps ids apart when several stories are on the page. */
function storyParts(finding, width, prefix) {
	const steps = stepsOf(finding), base = Math.min(...steps.map((step) => step.time_ns), finding.time_ns);
	return [
		storyHead(finding, prefix), graphOf(finding, width), timelineFigure(finding, width),
		steps.length > 0 &&
			el('section', {class: 'steps', 'aria-label': 'Steps'}, el('h3', null, 'Evidence'),
			   el('ol', {class: 'step-list'}, steps.map((step) => stepItem(step, base, `${prefix}-step-${step.number}`, steps, finding)))),
		el('section', {class: 'identity', 'aria-label': 'Fingerprint and suppression'},
		   copyLine('fingerprint', finding.fingerprint || ''),
		   copyLine('suppression line', suppressionOf(finding))),
		ruleFold(finding.rule)
	].flat().filter(Boolean);
}

let shownStory = null;

function pictureWidth() {
	return Math.max(280, byId('story').clientWidth - 34);
}

function showStory(finding) {
	const story = byId('story');
	shownStory = finding;
	if (finding)
		story.replaceChildren(...storyParts(finding, pictureWidth(), 'story'));
	else
		story.replaceChildren(el('p', {class: 'empty', id: 'story-title'},
			findings.length ? 'No matching findings. Remove a filter.' : 'No findings in this run.'));
	story.scrollTop = 0;
}

/* For printing: all selected findings, worst first, up to a stated limit. */
const PRINTED = 60;

function printStories() {
	const list = shownFindings().slice(0, PRINTED), left = shownFindings().length - list.length;
	byId('printed').replaceChildren(...list.map((finding, i) => el('article', {class: 'story'}, storyParts(finding, 700, `printed-${i}`))),
		left > 0 ? el('p', null, `${plural(left, 'further finding')} not printed: use a filter, or the JSON report.`) : '');
	for (const fold of document.querySelectorAll('#folds details'))
		fold.open = true;
}
