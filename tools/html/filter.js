/*
 * What is chosen: words, grades, a rule, a process. Neighbours: list.js shows the findings that fit, overview.js marks
 * them.
 */
const wanted = {query: '', grades: new Set(GRADES), rule: '', pid: 0};

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
		(!wanted.pid || pidsOf(finding).has(wanted.pid)) && fits(finding));
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

function chooseProcess(pid) {
	wanted.pid = pid;
	byId('process').value = pid ? String(pid) : '';
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

function startFilter() {
	const rules = [...countBy((finding) => finding.rule)].sort((a, b) => b[1] - a[1]);
	const pids = [...countBy((finding) => [...pidsOf(finding)])].sort((a, b) => a[0] - b[0]);
	startGrades();
	startPick('rule', 'all', rules.map(([slug, count]) => [slug, `${slug} (${count})`]), (value) => { wanted.rule = value; });
	startPick('process', 'all', pids.map(([pid, count]) => [pid, shorten(`${pid} ${processName((byPid.get(pid) || [])[0])} (${count})`, 44)]),
		(value) => { wanted.pid = Number(value); });
	let timer = 0;
	byId('search').addEventListener('input', (event) => {
		clearTimeout(timer);
		timer = setTimeout(() => { wanted.query = event.target.value; applyFilter(); }, findings.length > 500 ? 90 : 0);
	});
	byId('search-form').addEventListener('submit', (event) => event.preventDefault());
}
