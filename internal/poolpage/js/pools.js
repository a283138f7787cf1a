// All pools: their totals, each by itself, and the budgets that they share.

// cards shows the totals of the pools. pools may have their earlier state, and history the totals so far.
function cards(pools, history) {
	const here = pools.filter((p) => p.fate !== "went"), old = pools.map((p) => p.before).filter(Boolean)
	const bytes = (list, value) => list.filter((p) => p.unit === "bytes").reduce((sum, p) => sum + value(p), 0)
	const all = (list, value) => list.reduce((sum, p) => sum + value(p), 0)
	const entries = [
		["Live", bytes, (p) => p.stats.live_bytes, size, "live"],
		["Reserved", bytes, (p) => p.stats.reserved, size, "reserved"],
		["Blocks", all, (p) => p.stats.live, count, "blocks"],
		["Pending frees", all, (p) => p.stats.pending, count, "pending"],
		["Failures", all, (p) => p.stats.failures, count, "failures"],
	]
	replace($("cards"), ...entries.map(([name, sum, value, write, kind]) => {
		const now = sum(here, value), difference = compared && change(now - sum(old, value), write)
		return element("li", { class: name === "Failures" && now ? "card bad" : "card" }, element("span", { class: "dim" }, name), element("strong", {}, write(now)),
			compared ? element("span", { class: "change" }, difference || "unchanged") : "", history ? spark(history, kind) : "")
	}))
}

// figure is a value of a pool, with its change since the first snapshot.
function figure(value, write) {
	return (pool) => {
		const difference = pool.before && pool.fate !== "went" ? change(value(pool) - value(pool.before), (n) => write(n, pool)) : ""
		return element("span", {}, write(value(pool), pool), difference && element("span", { class: "change" }, " " + difference))
	}
}

const inUnit = (n, pool) => size(n, pool.unit)

// naming is the cell with the button that chooses a pool.
function naming(p) {
	const button = element("button", { type: "button", class: "link", "data-key": p.key, "aria-pressed": String(p.key === chosen) }, p.title)
	return element("span", { class: "pool" }, button, p.fate && element("span", { class: "fate" }, p.fate), element("span", { class: "dim" }, kindOfPool(p)))
}

// oneSize reports whether all blocks have one size. Every free block then serves every request, and fragmentation means nothing.
const oneSize = (p) => p.suballocator === "fixed"

// columns are those of the table of pools. One that is still is for snapshots: figures do not have it.
const columns = [
	{ name: "Pool", wide: true, value: naming },
	{ name: "Use", wide: true, value: (p) => element("span", { class: "use" }, bar(use(p)), element("span", { class: "dim" }, useText(p))) },
	{ name: "Live", number: true, value: figure((p) => p.stats.live_bytes, inUnit) },
	{ name: "Blocks", number: true, value: figure((p) => p.stats.live, count) },
	{ name: "Reserved", number: true, value: figure((p) => p.stats.reserved, inUnit) },
	{ name: "Largest request", number: true, value: figure((p) => p.stats.largest_free, inUnit) },
	{ name: "Fragmentation", number: true, still: true, value: (p) => (p.walked && !oneSize(p) ? p.fragmentation.toFixed(2) : "–") },
	{ name: "Waiting", number: true, value: figure((p) => p.stats.pending, count) },
	{ name: "Failures", number: true, value: figure((p) => p.stats.failures, count) },
]

const kindOfPool = (p) => [
	p.suballocator + (p.fit ? " " + p.fit : ""),
	p.allocator + (p.requested && p.requested !== p.allocator ? ` for ${p.requested}` : ""),
	p.device >= 0 && `device ${p.device}`,
].filter(Boolean).join(" · ")

// use returns the parts of a pool's bar, relative to its limit or, without one, to the most that it reserved.
function use(p) {
	const s = p.stats, whole = Math.max(unlimited(s.limit) ? s.peak_reserved : s.limit, s.reserved, 1)
	const rest = Math.max(s.reserved - s.live_bytes - s.rounding_bytes - s.cached, 0)
	return [["live", s.live_bytes / whole], ["waste", s.rounding_bytes / whole], ["cached", s.cached / whole], ["rest", rest / whole]]
}

function useText(p) {
	const s = p.stats, host = s.backing ? `, ${size(s.backing, p.unit)} on the host` : ""
	const graphs = s.private ? `, ${size(s.private, p.unit)} private to ${plural(s.graphs, "graph")} with ${plural(s.outputs || 0, "output")}` : ""
	if (s.asleep) return "asleep" + graphs + host
	const share = s.reserved ? percent(s.live_bytes / s.reserved) : "nothing"
	return share + " of reserved live" + (unlimited(s.limit) ? ", no limit" : `, ${percent(s.reserved / Math.max(s.limit, 1))} of ${size(s.limit, p.unit)} reserved${mayRise(p)}`) + graphs + host
}

// mayRise says how far the program may raise the limit in force. Snapshots of older programs do not say it.
function mayRise(p) {
	if (!(p.max_limit > p.stats.limit)) return ""
	return ", limit may rise" + (unlimited(p.max_limit) ? "" : ` to ${size(p.max_limit, p.unit)}`)
}

function showPools(pools) {
	replace($("pools"), pools.length ? table("", columns.filter((c) => !(c.still && data.live)), pools.map((p) => Object.assign(p, { line: [p.key === chosen ? "chosen" : "", p.fate].join(" ").trim() || undefined })))
		: element("p", { class: "dim" }, "No pool is in use."))
	showBudgets(pools.filter((p) => p.fate !== "went"))
}

// partIn says what a pool has of its budget: what it holds, what it can always have, and what it has given to others. Snapshots of older programs say only the first.
function partIn(p) {
	const terms = [p.guarantee && `${size(p.guarantee, p.unit)} guaranteed`, p.priority >= 0 && p.priority !== 50 && `priority ${p.priority}`, p.stats.given && `gave ${size(p.stats.given, p.unit)}`]
	const said = terms.filter(Boolean).join(", ")
	return `${p.title} ${size(p.stats.reserved, p.unit)}` + (said && ` (${said})`)
}

// showBudgets shows one line for each budget: the memory that its pools have reserved.
function showBudgets(pools) {
	const budgets = new Map()
	for (const p of pools) {
		if (!p.budget) continue
		const b = budgets.get(p.budget.name) ?? { ...p.budget, pools: [] }
		b.pools.push(p)
		budgets.set(b.name, b)
	}
	replace($("budgets"), ...[...budgets.values()].map((b) => {
		const whole = unlimited(b.limit) ? Math.max(b.reserved, 1) : b.limit
		const parts = b.pools.map((p, i) => ["share-" + (i % 4), p.stats.reserved / whole])
		const limit = unlimited(b.limit) ? "no limit" : `${percent(b.reserved / whole)} of ${size(b.limit)}`
		return element("div", { class: "budget" }, element("span", {}, element("b", {}, "Budget " + b.name), ` ${size(b.reserved)} reserved, ${b.kept ? size(b.kept) + " kept for guarantees, " : ""}${limit}`), bar(parts),
			element("span", { class: "dim" }, b.pools.map(partIn).join(", ")))
	}))
}
