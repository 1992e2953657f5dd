/* The contrast of every piece of text that is in sight, from the colours that the browser has really computed. */
const channel = (value) => {
	const part = value / 255;
	return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
};
const luminance = (colour) =>
	0.2126 * channel(colour[0]) + 0.7152 * channel(colour[1]) + 0.0722 * channel(colour[2]);
const parse = (text) => {
	const parts = (text.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number);
	const scaled = text.startsWith('color(') ?
			       parts.slice(0, 3).map((part) => part * 255).concat(parts[3] ?? 1) :
			       parts;
	return [scaled[0], scaled[1], scaled[2], scaled[3] ?? 1];
};
const over = (top, below) =>
	top.slice(0, 3).map((part, i) => part * top[3] + below[i] * (1 - top[3]));
const behind = (node) => {
	if (!node)
		return [255, 255, 255];
	const own = parse(getComputedStyle(node).backgroundColor);
	return own[3] === 1 ? own.slice(0, 3) : over(own, behind(node.parentElement));
};
/* The number in a badge stands on its circle, a card's text on its card. */
const plateOf = (node) => {
	const plate = node.closest('.badge, .node')?.querySelector('circle, rect');
	const fill = plate && getComputedStyle(plate).fill;
	return fill && fill !== 'none' ? parse(fill).slice(0, 3) : null;
};
const pairs = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let text = walker.nextNode(); text; text = walker.nextNode()) {
	const node = text.parentElement, box = node.getBoundingClientRect();
	if (!text.data.trim() || !box.width || !box.height ||
	    node.closest('script, style, title, desc, .hidden, [disabled], dialog:not([open])'))
		continue;
	const style = getComputedStyle(node), isSvg = node instanceof SVGElement;
	const back = isSvg && plateOf(node) ||
		     behind(isSvg ? node.closest('svg').parentElement : node);
	const front = over(parse(isSvg ? style.fill : style.color), back);
	const [light, dark] = [luminance(front), luminance(back)].sort((a, b) => b - a);
	pairs.push({
		text: text.data.trim().slice(0, 30),
		ratio: Math.round((light + 0.05) / (dark + 0.05) * 100) / 100,
		front,
		back
	});
}
return pairs;
