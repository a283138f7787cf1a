// Time series: the figures that the page has received so far. Only the page keeps them.

const kept = 600 // samples of each pool
const series = new Map() // by a pool's key; "" for all together

// note keeps the figures of one answer.
function note(at, pools) {
	const of = (list) => {
		const bytes = list.filter((p) => p.unit === "bytes" || list.length === 1)
		const sum = (some, name) => some.reduce((n, p) => n + p.stats[name], 0), all = (name) => sum(list, name)
		return { at, live: sum(bytes, "live_bytes"), reserved: sum(bytes, "reserved"), blocks: all("live"), pending: all("pending"), failures: all("failures"), allocs: all("allocs") }
	}
	const put = (key, sample) => {
		const list = series.get(key) ?? []
		list.push(sample)
		if (list.length > kept) list.shift()
		series.set(key, list)
	}
	put("", of(pools))
	for (const p of pools) put(p.key, of([p]))
	for (const key of series.keys()) if (key && !pools.some((p) => p.key === key)) series.delete(key)
}

// rate returns the events per second between a sample and the one before.
const rate = (list, name) => list.map((s, i) => (i ? (1000 * Math.max(s[name] - list[i - 1][name], 0)) / Math.max(s.at - list[i - 1].at, 1) : 0))

function svg(name, attributes, ...children) {
	const node = document.createElementNS("http://www.w3.org/2000/svg", name)
	for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value)
	node.append(...children)
	return node
}

// line is a path through values, in a box.
function line(list, values, width, height, whole) {
	const from = list[0].at, span = Math.max(list.at(-1).at - from, 1)
	return values.map((v, i) => `${i ? "L" : "M"}${(((list[i].at - from) / span) * width).toFixed(1)} ${(height - (v / whole) * height).toFixed(1)}`).join("")
}

// spark is the small picture in a card.
function spark(list, name) {
	if (list.length < 2) return ""
	const values = list.map((s) => s[name]), whole = Math.max(...values, 1) * 1.1
	return svg("svg", { class: "spark", viewBox: "0 0 100 24", preserveAspectRatio: "none", "aria-hidden": "true" }, svg("path", { d: line(list, values, 100, 24, whole) }))
}

const wide = 320, high = 96 // of a chart's plot, in units of its own

// steps returns how far apart the labels of an axis are, for two or three above 0: a power of two for bytes, else 1, 2 or 5 times a power of ten.
function steps(top, unit) {
	if (unit === "bytes") return 2 ** Math.ceil(Math.log2(top / 3))
	const power = 10 ** Math.floor(Math.log10(top / 3))
	return power * [1, 2, 5, 10].find((n) => 3 * n * power >= top)
}

// chart draws lines {name, kind, values}, each with its last value beside its name, above an axis in a unit.
function chart(title, list, lines, unit, write) {
	const top = Math.max(...lines.flatMap((l) => l.values), unit === "rate" ? 1 : 3), step = steps(top, unit)
	const ticks = Array.from({ length: Math.ceil(top / step) + 1 }, (_, i) => i * step), whole = ticks.at(-1)
	const box = svg("svg", { viewBox: `0 0 ${wide} ${high}`, preserveAspectRatio: "none", "aria-hidden": "true" },
		svg("path", { class: "grid", d: ticks.map((v) => `M0 ${high * (1 - v / whole)}H${wide}`).join("") }))
	for (const l of lines) {
		const path = line(list, l.values, wide, high, whole)
		if (l.filled) box.append(svg("path", { class: "area " + l.kind, d: `${path}L${wide} ${high}L0 ${high}Z` }))
		box.append(svg("path", { class: "line " + l.kind, d: path }))
	}
	const names = lines.map((l) => element("li", { class: "key " + l.kind }, l.name + " ", element("b", {}, write(l.values.at(-1)))))
	const label = (where, text) => element("span", { class: "dim " + where }, text)
	return element("figure", {}, element("figcaption", {}, element("b", {}, title), element("ul", {}, names)),
		element("div", { class: "plot" }, box, ticks.map((v) => {
			const tick = label("tick", write(v).replace(/(\.[1-9])0 /, "$1 "))
			tick.style.setProperty("--at", v / whole)
			return tick
		}), label("start", `${duration((list.at(-1).at - list[0].at) / 1000)} ago`), label("end", "now")))
}

// showSeries draws the history of a pool.
function showSeries(pool) {
	const list = series.get(pool.key) ?? []
	$("series").hidden = list.length < 2
	if (list.length < 2) return
	const values = (name) => list.map((s) => s[name])
	$("series").dataset.samples = list.length
	replace($("series"),
		chart("Memory", list, [{ name: "live", kind: "live", values: values("live"), filled: true }, { name: "reserved", kind: "reserved", values: values("reserved") }], pool.unit, (n) => size(n, pool.unit)),
		chart("Allocations per second", list, [{ name: "allocations", kind: "live", values: rate(list, "allocs"), filled: true }], "rate", (n) => (n < 10 ? String(+n.toFixed(1)) : count(n))),
		chart("Failures so far", list, [{ name: "failures", kind: "failures", values: values("failures"), filled: true }], "failures", count))
}
