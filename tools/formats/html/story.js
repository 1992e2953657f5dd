/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One finding: its message, pictures, steps with frames, fix, and fingerprint.
 * Neighbours: timeline.js, graph.js; list.js selects the finding.
 */
const FRAMES_OPEN = 12;

/* Capitalises a text, unless it begins with a name. */
function sentence(text) {
	return /^(a|an|it|its|the|process|thread|threads|locks?|mutex|memory|no)\b/.test(text) ? text[0].toUpperCase() + text.slice(1) : text;
}

function frameItem(frame) {
	const place = frame.file ? `${frame.file}:${frame.line}` : frame.module ? `${baseName(frame.module)}+0x${frame.offset.toString(16)}` : '';
	return el('li', null, el('code', {class: 'function'}, frame.function || '??'), ' ', el('span', {class: 'place'}, place),
		  frame.source && el('code', {class: 'source'}, frame.source));
}

function frameList(frames) {
	const list = el('ol', {class: 'frames', start: 0}, frames.slice(0, FRAMES_OPEN).map(frameItem));
	if (frames.length <= FRAMES_OPEN)
		return list;
	const more = el('button', {type: 'button', class: 'more', onclick: () => {
		list.append(...frames.slice(FRAMES_OPEN).map(frameItem));
		more.remove();
	}}, `${frames.length - FRAMES_OPEN} more frames`);
	return [list, more];
}

/* Filled when it is opened: native stacks are long and rarely read. */
function nativeFold(frames, open) {
	const fold = el('details', {class: 'native'}, el('summary', null, plural(frames.length, 'native frame')));
	const show = () => {
		if (fold.open && !fold.querySelector('ol'))
			fold.append(...[frameList(frames)].flat());
	};
	fold.addEventListener('toggle', show);
	fold.open = open;
	show();
	return fold;
}

function stepItem(step, base, id, steps)
{
	const python = stackAt(step.python), native = stackAt(step.stack);
	return el('li', {class: 'step', id}, el('p', {class: 'what'}, sentence(step.what)),
		  el('p', {class: 'when'},
		     forkBehind(steps, step) ? 'seen at the fork' :
					       `+${durationText(Math.max(0, step.time_ns - base))}`,
		     ' · process ', step.pid, ' · ', step.thread || `thread ${step.tid}`,
		     step.host && ` · ${step.host}`),
		  python.length > 0 && [el('h4', null, 'Python'), frameList(python)],
		  native.length > 0 && nativeFold(native, !python.length));
}

function copyLine(label, text) {
	const button = el('button', {type: 'button', 'aria-label': `Copy the ${label}`, onclick: () => copyText(text, button)}, 'Copy');
	return el('div', {class: 'copy'}, el('span', {class: 'copy-label'}, label), el('code', null, text), button);
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
	parts.push(finding.spread, `process ${processLabel(finding.pid, finding)}`, finding.thread || `thread ${finding.tid}`, clockText(finding.time_ns));
	return parts.filter(Boolean).join(' · ');
}

/* The children of an article; `prefix` keeps ids apart when several stories are on the page. */
function storyParts(finding, width, prefix) {
	const steps = finding.evidence || [], base = Math.min(...steps.map((step) => step.time_ns), finding.time_ns);
	const rule = (data.rules || {})[finding.rule];
	return [
		el('p', {class: 'kind'},
		   el('span', {class: `grade ${finding.severity}`}, finding.severity), ' ',
		   el('code', null, finding.rule),
		   rule && el('span', {class: 'rule-title'}, finding.title || rule.title)),
		el('h2', {id: `${prefix}-title`, class: 'message'}, sentence(finding.message)),
		el('p', {class: 'seen'}, seenText(finding)),
		finding.outcome && el('p', {class: 'seen'}, `In the end: ${finding.outcome}.`), graphOf(finding, width),
		timelineFigure(finding, width),
		el('section', {class: 'fix', 'aria-label': 'The fix'}, el('h3', null, 'The fix'),
		   el('p', null, finding.fix.charAt(0).toUpperCase() + finding.fix.slice(1))),
		steps.length > 0 &&
			el('section', {class: 'steps', 'aria-label': 'Steps'},
			   el('h3', null, 'Evidence'),
			   el('ol', {class: 'step-list'},
			      steps.map((step, i) => stepItem(step, base, `${prefix}-step-${i + 1}`,
							      steps)))),
		el('section', {class: 'identity', 'aria-label': 'Fingerprint and suppression'},
		   copyLine('fingerprint', finding.fingerprint || ''),
		   copyLine('suppression line', suppressionOf(finding))),
		ruleFold(finding.rule)
	].flat().filter(Boolean);
}

let shownStory = null;

function pictureWidth() {
	return Math.max(660, Math.min(1180, byId('story').clientWidth - 34));
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
