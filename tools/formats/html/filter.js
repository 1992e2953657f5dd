/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filter: words, severities, a rule, a process. Neighbours: list.js shows the findings that fit, overview.js marks
 * them.
 */
const FILTER_LEAST = 4; /* fewer findings are seen without a search */
const wanted = {query: '', grades: new Set(GRADES), rule: '', process: ''};

function countBy(keyOf) {
	const counts = new Map();
	for (const finding of findings)
		for (const key of [keyOf(finding)].flat())
			counts.set(key, (counts.get(key) || 0) + 1);
	return counts;
}

function applyFilter() {
	const fits = matcherOf(wanted.query);
	const list = findings.filter((finding) => wanted.grades.has(finding.severity) && (!wanted.rule || finding.rule === wanted.rule) &&
		(!wanted.process || pidsOf(finding).has(wanted.process)) && fits(finding));
	setShown(list);
	announce(list.length === findings.length ? plural(list.length, 'finding') :
		`${list.length.toLocaleString('en')} of ${plural(findings.length, 'finding')}`);
	requestAnimationFrame(drawOverview);
}

function setGrade(grade, on) {
	wanted.grades[on ? 'add' : 'delete'](grade);
	byId(`grade-${grade}`).checked = on;
	applyFilter();
}

function toggleGrade(grade) {
	setGrade(grade, !wanted.grades.has(grade));
}

function chooseProcess(key) {
	wanted.process = byId('process').value = key;
	applyFilter();
}

function clearSearch() {
	wanted.query = byId('search').value = '';
	applyFilter();
}

function startGrades() {
	const counts = countBy((finding) => finding.severity);
	byId('grades').append(...GRADES.map((grade) => el('label', {class: `toggle ${grade}`},
		el('input', {type: 'checkbox', id: `grade-${grade}`, checked: true, onchange: (event) => setGrade(grade, event.target.checked)}),
		` ${plural(counts.get(grade) || 0, grade)}`)));
}

function startPick(id, all, options, change) {
	const select = byId(id);
	select.append(el('option', {value: ''}, all), ...options.map(([value, text]) => el('option', {value}, text)));
	select.addEventListener('change', () => { change(select.value); applyFilter(); });
}

function processChoice(key, count) {
	const process = (byPid.get(key) || [])[0];
	return shorten(process ? `${processName(process)} (${processLabel(process.pid, process)}): ${count}` : `${parseInt(key, 10)}: ${count}`, 56);
}

function openFilter() {
	byId('filters').open = true;
	byId('search').focus();
}

function startFilter() {
	byId('filters').hidden = findings.length < FILTER_LEAST;
	byId('filters').open = innerWidth > 940;
	const rules = [...countBy((finding) => finding.rule)].sort((a, b) => b[1] - a[1]);
	const pids = [...countBy((finding) => [...pidsOf(finding)])].sort((a, b) => parseInt(a[0], 10) - parseInt(b[0], 10));
	startGrades();
	startPick('rule', 'all', rules.map(([slug, count]) => [slug, `${slug} (${count})`]), (value) => { wanted.rule = value; });
	startPick('process', 'all', pids.map(([key, count]) => [key, processChoice(key, count)]), (value) => { wanted.process = value; });
	let timer = 0;
	byId('search').addEventListener('input', (event) => {
		clearTimeout(timer);
		timer = setTimeout(() => { wanted.query = event.target.value; applyFilter(); }, findings.length > 500 ? 90 : 0);
	});
	byId('search-form').addEventListener('submit', (event) => event.preventDefault());
}
