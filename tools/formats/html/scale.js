/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time scale of a finding's picture: events within microseconds must stay apart from those that last minutes, so
 * the gaps between moments grow with the logarithm of their length. The order is exact, lengths are not.
 */
function timeScale(times, left, right) {
	const points = [...new Set(times.filter((time) => time > 0))].sort((a, b) => a - b);
	const gaps = points.slice(1).map((time, i) => time - points[i]);
	const least = Math.min(...gaps.filter((gap) => gap > 0), 1e9);
	const weights = gaps.map((gap) => 1 + 0.55 * Math.log10(1 + gap / least));
	const sum = weights.reduce((a, b) => a + b, 0) || 1;
	const places = [left];
	weights.forEach((weight, i) => places.push(places[i] + weight / sum * (right - left)));
	const at = (time) => {
		if (!points.length || time <= points[0])
			return left;
		const next = points.findIndex((point) => point >= time);
		if (next < 0)
			return right;
		const part = (time - points[next - 1]) / (points[next] - points[next - 1]);
		return places[next - 1] + part * (places[next] - places[next - 1]);
	};
	at.points = points;
	return at;
}

/* Labels of a row must not overlap: each is drawn on the first level with room, else omitted. */
function labelRoom(levels) {
	const taken = Array.from({length: levels}, () => []);
	return (from, to, first = 0) => {
		for (let level = first; level < levels; level++)
			if (!taken[level].some(([a, b]) => from < b && to > a)) {
				taken[level].push([from, to]);
				return level;
			}
		return -1;
	};
}
