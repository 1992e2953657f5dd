/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page as a whole: header, limits and practices, keys, themes, printing. Starts all other parts.
 */
function countOf(grade) {
	return findings.reduce((sum, finding) => sum + (finding.severity === grade), 0);
}

/* How it went, and what else there is. */
function verdictText() {
	const [errors, warnings, notes] = GRADES.map(countOf), kind = errors ? 'bad' : warnings ? 'risky' : 'good';
	const first = errors ? plural(errors, 'proven error') : warnings ? `No errors; ${plural(warnings, 'warning')}` : notes ? 'No errors, no warnings' : 'No findings';
	const rest = [errors && warnings && plural(warnings, 'warning'), notes && plural(notes, 'note'), data.suppressed && `${data.suppressed} suppressed`];
	return [kind, `${first}.`, rest.filter(Boolean).join(', ')];
}

function exitText() {
	const {code, signal} = data.exit || {};
	if (signal != null)
		return signalName(signal);
	return code == null ? 'unknown' : `exit code ${code}`;
}

function commandText() {
	return (data.command || []).map((word) => /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`).join(' ');
}

function addFact(name, value) {
	if (value)
		byId('facts').append(el('div', null, el('dt', null, name), el('dd', null, value)));
}

const HOSTS_NAMED = 6;

function addHosts() {
	const names = [...new Set(hosts.map((one) => one.host).filter(Boolean))], left = names.length - HOSTS_NAMED;
	const ranks = hosts.filter((one) => one.rank != null).length;
	addFact(names.length > 1 ? 'Hosts' : 'Host', names.slice(0, HOSTS_NAMED).join(', ') + (left > 0 ? ` and ${left} more` : ''));
	addFact('Ranks', ranks > 1 ? ranks.toLocaleString('en') : '');
	const skews = hosts.map((one) => Math.abs(one.skew_ns || 0));
	addFact('Clocks', severalHosts && Math.max(...skews) ? `converted to the first host's; up to ${durationText(Math.max(...skews))} apart` : '');
}

function startTop() {
	const [kind, text, rest] = verdictText(), unwatched = processes.filter((process) => process.watched !== true).length;
	byId('verdict').append(text);
	byId('rest').append(rest);
	byId('verdict').classList.add(kind);
	document.title = `${plural(countOf('error'), 'error')}, ${plural(countOf('warning'), 'warning')} – mpsan`;
	fill(byId('command'), null, [commandText() || 'unknown command']);
	addFact('Ended', exitText());
	addFact('Lasted', processes.length ? durationText(span.end - span.begin) : '');
	addFact('Processes', String(processes.length) + (unwatched ? `, ${unwatched} not watched` : ''));
	addHosts();
	addFact('Began', span.begin ? clockText(span.begin) : '');
	byId('made').append(`Made by mpsan ${(data.tool || {}).version || ''}. This file is self-contained and uses no network.`);
}

function foldOf(title, body, open) {
	return el('details', {class: 'fold', open}, el('summary', null, el('h2', null, title)), body);
}

function limitsFold() {
	const limits = [...(data.limits || [])];
	if (data.line && data.line.left_out)
		limits.push(`not drawn: ${plural(data.line.left_out, 'short wait or hold', 'short waits and holds')}`);
	return limits.length ? foldOf(`${plural(limits.length, 'limit')}: what could not be observed`, el('ul', null, limits.map((limit) => el('li', null, limit)))) : null;
}

function practiceItem(practice) {
	const name = practice.status.replace(' ', '-');
	return el('li', {class: name}, el('span', {class: 'status'}, practice.status), el('div', null, practice.statement,
		practice.why && el('span', {class: 'why'}, ` (${practice.why})`),
		(practice.findings || []).map((print) => el('a', {href: `#${print}`, class: 'print'}, shorten(print, 16)))));
}

function practicesFold() {
	const order = ['violated', 'kept', 'not observable'], list = [...(data.practices || [])];
	const counts = order.map((status) => [status, list.filter((practice) => practice.status === status).length]).filter(([, count]) => count);
	list.sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
	return list.length ? foldOf(`Best practices: ${counts.map(([status, count]) => `${count} ${status}`).join(', ')}`,
		el('ul', {class: 'practices'}, list.map(practiceItem))) : null;
}

const THEMES = ['', 'dark', 'light'];

function setTheme(theme) {
	document.documentElement.dataset.theme = theme;
	byId('theme').textContent = `Theme: ${theme || 'system'}`;
	try {
		localStorage.setItem('mpsan-theme', theme);
	} catch { /* a page from a file may have no storage */ }
}

function nextTheme() {
	setTheme(THEMES[(THEMES.indexOf(document.documentElement.dataset.theme || '') + 1) % THEMES.length]);
}

function startTheme() {
	let kept = '';
	try {
		kept = localStorage.getItem('mpsan-theme') || '';
	} catch { /* no storage, as above */ }
	setTheme(THEMES.includes(kept) ? kept : '');
	byId('theme').addEventListener('click', nextTheme);
}

function goTo(node) {
	node.focus({preventScroll: true});
	node.scrollIntoView({block: 'start', behavior: 'instant'});
}

/* Focuses the list, so that screen readers announce the finding. */
function step(by) {
	byId('list').focus({preventScroll: true});
	choose(chosen + by);
}

const KEYS = {
	'/': openFilter,
	j: () => step(1),
	k: () => step(-1),
	ArrowDown: () => choose(chosen + 1),
	ArrowUp: () => choose(chosen - 1),
	Home: () => choose(0),
	End: () => choose(shown.length - 1),
	Enter: () => goTo(byId('story')),
	Escape: () => byId('list').focus(),
	e: () => toggleGrade('error'),
	w: () => toggleGrade('warning'),
	n: () => toggleGrade('note'),
	c: () => byId('story').querySelector('.copy-markdown')?.click(),
	t: nextTheme,
	'?': () => byId('help').showModal(),
};
const LIST_ONLY = new Set(['ArrowDown', 'ArrowUp', 'Home', 'End']);

function searchKey(event) {
	if (event.key === 'Escape')
		clearSearch();
	if (event.key === 'Escape' || event.key === 'Enter') {
		byId('list').focus();
		event.preventDefault();
	}
}

function pressed(event) {
	const target = event.target, act = KEYS[event.key];
	if (event.ctrlKey || event.metaKey || event.altKey || byId('help').open)
		return;
	if (target === byId('search'))
		return searchKey(event);
	if (!act || target.matches('input[type=search], select, textarea') || LIST_ONLY.has(event.key) && target !== byId('list'))
		return;
	if (event.key === 'Enter' && target !== byId('list') && target !== document.body)
		return;
	event.preventDefault();
	act();
}

/* A link with a fingerprint behind its # leads to that finding. */
function followLink() {
	const print = location.hash.slice(1);
	const index = print ? shown.findIndex((finding) => finding.fingerprint === print) : -1;
	if (index >= 0)
		choose(index, true);
	return index >= 0;
}

function startPage() {
	startTop();
	startTheme();
	if (findings.length < 2) {
		document.querySelector('.desk').classList.add('single');
		byId('result').classList.add('hidden');
		byId('list').hidden = true;
	}
	startOverview();
	byId('folds').append(...[limitsFold(), practicesFold()].filter(Boolean));
	startFilter();
	startList();
	applyFilter();
	followLink();
	addEventListener('hashchange', () => followLink() && goTo(byId('story')));
	addEventListener('keydown', pressed);
	addEventListener('beforeprint', printStories);
	addEventListener('afterprint', () => byId('printed').replaceChildren());
	byId('print').addEventListener('click', () => print());
	byId('ask').addEventListener('click', () => byId('help').showModal());
	let timer = 0;
	addEventListener('resize', () => {
		clearTimeout(timer);
		timer = setTimeout(() => showStory(shownStory), 150);
	});
	performance.mark('mpsan-ready');
}

startPage();
