// The lists beside the map: waiting frees by stream, size classes, calls that hold memory, last events.

const most = 100 // events that are shown
const callers = 20

// showStreams lists the frees that wait for a stream, of all pools that have any now, as of the last snapshot of
// each. The heading sums up the list, and says what is newer.
function showStreams() {
	const waiting = pools.filter((p) => p.stats.pending && p.fate !== "went")
	const seen = waiting.map((p) => looked.get(p.key)).filter(Boolean)
	$("streams-about").textContent = seen.map((pool) => {
		const n = (pool.pending ?? []).reduce((sum, s) => sum + s.blocks, 0), now = pools.find((p) => p.key === pool.key).stats.pending
		return `${plural(n, "block")} of ${pool.title}` + (data.live ? ` at ${clock(pool.at)}` + (n === now ? "" : ` (now ${count(now)})`) : "")
	}).join(", ")
	$("streams-refresh").hidden = !data.live || !waiting.length
	const pending = seen.flatMap((pool) => (pool.pending ?? []).map((p) => ({ pool, ...p })))
	replace($("streams"), pending.length ? table("", [
		{ name: "Stream", value: (p) => count(p.stream), wide: true },
		{ name: "Device", number: true, value: (p) => count(p.device) },
		{ name: "Pool", value: (p) => p.pool.title },
		{ name: "Blocks", number: true, value: (p) => count(p.blocks) },
		{ name: "Size", number: true, value: (p) => size(p.bytes, p.pool.unit) },
	], pending.sort((a, b) => a.device - b.device || a.stream - b.stream)) : element("p", { class: "dim" },
		waiting.length ? "No free was pending in the last snapshot." : "No free is pending."))
}

// showClasses lists what each size class of the pool holds, and the rest.
function showClasses(pool) {
	replace($("classes"), ...(pool.classes?.length ? [element("h3", {}, "Size classes"), table("", [
		{ name: "Block", value: (c) => (c.size ? size(c.size, pool.unit) : "others"), wide: true },
		{ name: "Live", number: true, value: (c) => count(c.live) },
		{ name: "Pending", number: true, value: (c) => count(c.pending) },
		{ name: "Free", number: true, value: (c) => (c.size ? count(c.free) : "–") },
		{ name: "Reserved", number: true, value: (c) => size(c.reserved, pool.unit) },
	], pool.classes)] : []))
}

// showSites sums the live memory by the calls that allocated it, as far as they are known.
function showSites(pool) {
	const sums = new Map()
	for (const row of pool.rows) {
		for (let i = 0; i < row.n && !row.gone; i++) {
			if (!row.site[i]) continue
			const sum = sums.get(row.site[i]) ?? { frames: pool.frames[row.site[i] - 1], bytes: 0, blocks: 0, oldest: Infinity }
			sum.bytes += row.off[i + 1] - row.off[i]
			sum.blocks++
			sum.oldest = Math.min(sum.oldest, row.since[i] || Infinity)
			sums.set(row.site[i], sum)
		}
	}
	const list = [...sums.values()].sort((a, b) => b.bytes - a.bytes).slice(0, callers)
	const shown = list.reduce((sum, s) => sum + s.blocks, 0)
	const opened = (s) => element("summary", { "data-key": s.frames.map(frameText).join() }, s.frames.length ? call(s.frames) : "unknown")
	replace($("sites"), ...(list.length ? [element("h3", {}, "Calls that hold memory"), table(`${plural(shown, "block")} of ${count(pool.totals[LIVE].pieces)} live ones`, [
		{ name: "Allocated by", wide: true, value: (s) => element("details", {}, opened(s), callList(s.frames)) },
		{ name: "Blocks", number: true, value: (s) => count(s.blocks) },
		{ name: "Size", number: true, value: (s) => size(s.bytes, pool.unit) },
		{ name: "Oldest", number: true, value: (s) => (s.oldest < Infinity ? duration((pool.at - s.oldest) / 1000) : "–") },
	], list)] : []))
}

// showEvents lists the last events, the latest first.
function showEvents(pool) {
	const events = (pool.events ?? []).slice(-most).reverse()
	if (!events.length) return replace($("events"))
	const list = table(`${count(events.length)} of ${count(pool.events.length)} recorded, the latest first`, [
		{ name: "Number", value: (e) => count(e.number), wide: true },
		{ name: "Ago", number: true, value: (e) => duration(Math.max(pool.at - Date.parse(e.time), 0) / 1000) },
		{ name: "Event", value: (e) => element("span", { class: "event " + (e.kind === "fail" ? "bad" : "") }, e.kind) },
		{ name: "Address", value: (e) => element("code", {}, e.kind === "alloc" || e.kind === "free" ? e.addr : "–") },
		{ name: "Size", number: true, value: (e) => (e.bytes ? size(e.bytes, pool.unit) : "–") },
		{ name: "Stream", number: true, value: (e) => (e.stream ? count(e.stream) : "–") },
		{ name: "Called by", value: (e) => (pool.frames[e.site - 1]?.length ? call(pool.frames[e.site - 1]) : "–") },
	], events)
	replace($("events"), element("h3", {}, "Last events"), element("div", { class: "events", tabindex: 0, role: "region", "aria-label": "Last events", "data-key": "events" }, list))
}
