// What a snapshot lists beside the map: waiting frees by stream, calls that hold memory, last events.

const most = 100 // events that are shown
const callers = 20

// showStreams lists the frees of all pools that wait for a stream.
function showStreams(pools) {
	const parked = pools.flatMap((pool) => (pool.parked ?? []).map((p) => ({ pool, ...p })))
	replace($("streams"), parked.length ? table("As the snapshots of the pools have it", [
		{ name: "Stream", value: (p) => count(p.stream), wide: true },
		{ name: "Device", number: true, value: (p) => count(p.device) },
		{ name: "Pool", value: (p) => p.pool.title },
		{ name: "Blocks", number: true, value: (p) => count(p.blocks) },
		{ name: "Size", number: true, value: (p) => size(p.bytes, p.pool.unit) },
		{ name: "As it was at", number: true, value: (p) => clock(p.pool.at) },
	], parked.sort((a, b) => a.device - b.device || a.stream - b.stream)) : element("p", { class: "dim" }, "No stream is being waited for."))
}

// showSites adds up what is live by the calls that it was handed out to, as far as they are known.
function showSites(pool) {
	const sums = new Map()
	for (const row of pool.rows) {
		for (let i = 0; i < row.n; i++) {
			if (!row.site[i]) continue
			const sum = sums.get(row.site[i]) ?? { frames: pool.frames[row.site[i] - 1]?.frames ?? [], bytes: 0, blocks: 0, oldest: Infinity }
			sum.bytes += row.off[i + 1] - row.off[i]
			sum.blocks++
			sum.oldest = Math.min(sum.oldest, row.since[i])
			sums.set(row.site[i], sum)
		}
	}
	const list = [...sums.values()].sort((a, b) => b.bytes - a.bytes).slice(0, callers)
	const shown = list.reduce((sum, s) => sum + s.blocks, 0)
	replace($("sites"), ...(list.length ? [element("h3", {}, "Calls that hold memory"), table(`${plural(shown, "block")} of ${count(pool.totals[LIVE].pieces)} live ones`, [
		{ name: "Handed out to", wide: true, value: (s) => element("details", {}, element("summary", { "data-key": s.frames.map(call).join() }, s.frames.length ? call(s.frames[0]) : "unknown"), callList(s.frames)) },
		{ name: "Blocks", number: true, value: (s) => count(s.blocks) },
		{ name: "Size", number: true, value: (s) => size(s.bytes, pool.unit) },
		{ name: "Oldest", number: true, value: (s) => duration((pool.at - s.oldest) / 1000) },
	], list)] : []))
}

// showEvents lists the last events, the latest first.
function showEvents(pool) {
	const events = (pool.events ?? []).slice(-most).reverse()
	replace($("events"), ...(events.length ? [element("h3", {}, "Last events"), table(`${count(events.length)} of ${count(pool.events.length)} recorded, the latest first`, [
		{ name: "Number", value: (e) => count(e.number), wide: true },
		{ name: "Before", number: true, value: (e) => duration(Math.max(pool.at - Date.parse(e.time), 0) / 1000) },
		{ name: "Event", value: (e) => element("span", { class: "event " + (e.kind === "fail" ? "bad" : "") }, e.kind) },
		{ name: "Address", value: (e) => element("code", {}, e.kind === "alloc" || e.kind === "free" ? e.addr : "–") },
		{ name: "Size", number: true, value: (e) => (e.bytes ? size(e.bytes, pool.unit) : "–") },
		{ name: "Stream", number: true, value: (e) => (e.stream ? count(e.stream) : "–") },
		{ name: "Called by", value: (e) => (pool.frames[e.site - 1] ? call(pool.frames[e.site - 1].frames[0]) : "–") },
	], events)] : []))
}
