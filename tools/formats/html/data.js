/* SPDX-License-Identifier: Apache-2.0 */
'use strict';
/*
 * The data of the page: what out_html.h describes, and functions to look things up in it. All times are nanoseconds since
 * 1970, which a double holds to a quarter of a microsecond.
 */
const data = JSON.parse(document.getElementById('data').textContent);
const GRADES = ['error', 'warning', 'note'];
const findings = data.findings || [];

/* A pid is unique per host and session: with several of these, its meaning depends on the finding or process. */
const hosts = data.hosts || [];
const severalHosts = hosts.length > 1;

/* A process for Map and Set; `near` is a finding or a process of the same session. */
function processKey(pid, near) {
	return severalHosts && near ? `${pid}@${near.host ?? ''}/${near.rank ?? ''}` : String(pid);
}

/* What a process executed in turn is one process, known by what it executed last. */
const processes = (() => {
	const last = new Map(), list = [];
	for (const one of data.processes || []) {
		const key = processKey(one.pid, one), before = last.get(key);
		if (one.how === 'exec' && before) {
			Object.assign(before, one, {start_ns: before.start_ns, how: before.how, parent: before.parent});
			continue;
		}
		last.set(key, {...one});
		list.push(last.get(key));
	}
	return list;
})();

const frameCache = [];

/* {function, file, line, module, offset, source, around}; null for -1. */
function frameAt(index) {
	if (index < 0 || index == null)
		return null;
	if (!frameCache[index]) {
		const [name, file, line, module, offset, source, around] = data.frames[index];
		const text = (i) => i < 0 ? '' : data.texts[i];
		frameCache[index] = {function: text(name), file: text(file), line, module: text(module), offset, source: text(source), around};
	}
	return frameCache[index];
}

function stackAt(index) {
	return index < 0 || index == null ? [] : data.stacks[index].map(frameAt);
}

function baseName(path) {
	return path.slice(path.lastIndexOf('/') + 1);
}

/* "function (file:line)", as the texts of findings have it. */
function placeText(frame) {
	if (!frame)
		return '';
	const name = frame.function || '??';
	if (frame.file)
		return `${name} (${baseName(frame.file)}:${frame.line})`;
	return frame.module ? `${name} (${baseName(frame.module)})` : name;
}

const ALIKE_LEAST = 3;

/* The owner of what a step waits for, as far as it is known. */
function ownerKey(step) {
	const edge = step.waits_for;
	return edge && (edge.tid || edge.gone || edge.pid !== step.pid) ? `${edge.pid}/${edge.tid}` : '';
}

/* The steps with their `number`; of a group `alike` has a step for each of its threads. */
function stepsOf(finding) {
	finding.steps ||= (finding.evidence || []).map((step, i) =>
		({...step, number: i + 1, alike: step.alike?.map((one) => ({...step, ...one, alike: null}))}));
	return finding.steps;
}

/* The step of the finding's own thread; the affected one comes last. */
function mainStep(finding) {
	const steps = finding.evidence || [];
	const own = steps.filter((step) => step.pid === finding.pid && step.tid === finding.tid &&
					   step.at >= 0);
	if (own.length)
		return own[own.length - 1];
	for (let i = steps.length - 1; i >= 0; i--)
		if (steps[i].at >= 0)
			return steps[i];
	return steps[steps.length - 1] || null;
}

function processLabel(pid, near) {
	const rank = near && near.rank != null ? ` rank ${near.rank}` : '';
	return severalHosts && near ? `${pid} on ${near.host ?? 'an unknown host'}${rank}` : String(pid);
}

const byPid = new Map();
for (const process of processes) {
	const key = processKey(process.pid, process);
	if (!byPid.has(key))
		byPid.set(key, []);
	byPid.get(key).push(process);
}

/* Pids are reused: the process that lived then, else the last one with that pid. */
function processAt(pid, time, near) {
	const list = byPid.get(processKey(pid, near));
	if (!list)
		return null;
	return list.find((p) => p.start_ns <= time + 1e6 && (!p.end_ns || p.end_ns + 1e6 >= time)) || list[list.length - 1];
}

/* Its own name, else its script, else its program. */
function processName(process) {
	const words = process?.argv || [], at = words.findIndex((word, i) => i && !word.startsWith('-'));
	const isScript = at > 0 && words[at - 1] !== '-c' && /^(python|pypy|perl|ruby|node|(ba|da|z)?sh$)/.test(baseName(words[0]));
	return process ? process.name || process.role || baseName(isScript ? words[at] : words[0] || '') : '';
}

/* "name (pid)" of the process that lived then. */
function processTitle(pid, time, near, label = String(pid)) {
	const name = processName(processAt(pid, time, near));
	return name ? `${name} (${label})` : `process ${label}`;
}

/* The first of several that are alike stands for all. */
function alikeTitle(count, process) {
	const name = processName(process);
	return `${count.toLocaleString('en')} alike${name ? `: ${name} …` : ''}`;
}

/* A finding's process, with its host if there are several. */
function ownTitle(finding) {
	return processTitle(finding.pid, finding.time_ns, finding, processLabel(finding.pid, finding));
}

function endText(process) {
	if (!process || !process.end_ns)
		return 'running at the end';
	const end = process.end || {};
	if (end.signal != null)
		return `ended by ${signalName(end.signal)}`;
	return end.code == null ? 'ended' : `exit code ${end.code}`;
}

function signalName(number) {
	const names = {1: 'SIGHUP', 2: 'SIGINT', 3: 'SIGQUIT', 4: 'SIGILL', 6: 'SIGABRT', 7: 'SIGBUS', 8: 'SIGFPE',
		9: 'SIGKILL', 10: 'SIGUSR1', 11: 'SIGSEGV', 12: 'SIGUSR2', 13: 'SIGPIPE', 14: 'SIGALRM', 15: 'SIGTERM'};
	return names[number] || `signal ${number}`;
}

function hasFailed(process) {
	const end = process.end || {};
	return end.signal != null || (end.code != null && end.code !== 0);
}

/* From the first to the last known time. */
const span = (() => {
	let begin = Infinity, end = 0;
	const see = (time) => {
		if (time > 0) {
			begin = Math.min(begin, time);
			end = Math.max(end, time);
		}
	};
	for (const process of processes) {
		see(process.start_ns);
		see(process.end_ns || 0);
	}
	for (const finding of findings)
		see(finding.time_ns);
	return end ? {begin, end: Math.max(end, begin + 1)} : {begin: 0, end: 1};
})();

/* By pid and tid: the timeline's data of a thread. */
const lines = (() => {
	const known = new Map(), line = data.line;
	if (!line)
		return known;
	const list = line.threads.map(([pid, tid, begin, end, session]) => ({key: `${processKey(pid, hosts[session])}/${tid}`, begin, end, spans: []}));
	for (const thread of list)
		known.set(thread.key, thread);
	for (const [thread, kind, begin, end, what] of line.spans)
		list[thread].spans.push({kind: ['wait', 'hold', 'region'][kind], begin, end, what});
	return known;
})();

/* Keys of the processes in a finding. */
function pidsOf(finding) {
	if (!finding.pids) {
		const pids = new Set([finding.pid]);
		for (const step of finding.evidence || []) {
			pids.add(step.pid);
			if (step.child)
				pids.add(step.child);
			if (step.waits_for)
				pids.add(step.waits_for.pid);
		}
		for (const [pid] of finding.subject?.uses || [])
			pids.add(pid);
		finding.pids = new Set([...pids].map((pid) => processKey(pid, finding)));
	}
	return finding.pids;
}

const stackWords = [];

/* The words of each stack, once: thousands of findings share a few stacks. */
function wordsOfStack(index) {
	if (stackWords[index] === undefined)
		stackWords[index] = stackAt(index).map((f) => `${f.function} ${f.file}:${f.line} ${f.module}`)
			.join('\n').toLowerCase();
	return stackWords[index];
}

function wordsOf(finding) {
	if (!finding.words) {
		const steps = finding.evidence || [];
		finding.words = [finding.rule, finding.severity, finding.message, finding.lock, finding.thread,
			finding.fingerprint, finding.fix, ...pidsOf(finding), finding.host || '', finding.spread || '', ...(finding.hosts || []),
			...steps.map((step) => step.what)].join('\n').toLowerCase();
	}
	return finding.words;
}

/* A function that says whether a finding has all the words. */
function matcherOf(query) {
	const words = query.toLowerCase().split(/\s+/).filter(Boolean);
	const stacksWith = words.map((word) => {
		const seen = new Map();
		return (index) => {
			if (index < 0 || index == null)
				return false;
			if (!seen.has(index))
				seen.set(index, wordsOfStack(index).includes(word));
			return seen.get(index);
		};
	});
	return (finding) => words.every((word, i) => wordsOf(finding).includes(word) ||
		(finding.evidence || []).some((step) => stacksWith[i](step.python) || stacksWith[i](step.stack)));
}
