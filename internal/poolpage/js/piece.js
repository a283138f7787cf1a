// Text about a piece, and about the map as a whole.

const marked = ["", "new since the first snapshot", "a block was here in the first snapshot", "new, where another block was in the first snapshot"]

// summary describes a piece in a line.
function summary(row, i) {
	const unit = map.pool.unit, state = states[row.state[i]]
	const parts = [row.gone ? `${state}, chunk released` : state, size(row.off[i + 1] - row.off[i], unit), address(row, row.off[i])]
	if (row.state[i] === LIVE && row.since[i]) parts.push("for " + duration((map.now - row.since[i]) / 1000))
	if (row.mark[i]) parts.push(marked[row.mark[i]])
	return parts.join(" · ")
}

// tell describes the chosen piece below the map. Screen readers announce it, unless it is only shown again.
function tell(quiet) {
	const place = $("piece"), row = map.rows[map.row], i = map.piece
	place.ariaLive = quiet ? "off" : "polite"
	if (!row || i < 0) {
		place.replaceChildren(element("p", { class: "dim" }, map.rows.length ? "Choose a piece in the map to see what it is." : ""))
		return
	}
	const unit = map.pool.unit, facts = []
	const fact = (name, value) => value && facts.push(element("div", {}, element("dt", {}, name), element("dd", {}, value)))
	fact("Size", exact(row.off[i + 1] - row.off[i], unit))
	fact("Requested", row.asked[i] ? exact(row.asked[i], unit) : "")
	fact("Address", address(row, row.off[i]))
	fact("Offset", exact(row.off[i], unit))
	fact("Piece", `${count(i + 1)} of ${count(row.n)}`)
	fact("Chunk", `${count(map.row + 1)} of ${count(map.rows.length)}, ${size(row.size, unit)}`)
	if (row.since[i]) fact("Allocated", `${duration((map.now - row.since[i]) / 1000)} before, at ${clock(row.since[i])}`)
	fact("Origin", row.origin)
	fact("Between the snapshots", marked[row.mark[i]])
	const frames = map.pool.frames[row.site[i] - 1]
	place.replaceChildren(
		element("p", { class: "state" }, swatch(row.kind[i]), row.gone ? `${states[row.state[i]]}, in a chunk that was released` : states[row.state[i]]),
		element("dl", {}, facts), ...(frames ? [element("h4", {}, "Allocated by"), callList(frames)] : []))
}

const callList = (frames) => element("ol", { class: "calls" }, frames.map((f) => element("li", {}, element("b", {}, f.function), " ", element("span", { class: "dim" }, `${f.file}:${f.line}`))))

// legend names the kinds that the pool has, with their totals.
function legend() {
	const { pool, rows } = map, unit = pool.unit
	const whole = pool.totals.reduce((sum, t) => sum + t.bytes, 0)
	const entry = (picture, name, text) => element("li", {}, picture, element("span", {}, element("b", {}, name), " ", element("span", { class: "dim" }, text)))
	const sample = (text, kind) => [swatch(kind), element("span", {}, text)]
	const byAge = pool.dated && element("li", { class: "ages" }, element("span", { class: "dim" }, "live for"), ages.map(([, text], i) => sample(text, aged[i])), sample("unknown", undated))
	const entries = stack.filter((kind) => pool.totals[kind]?.pieces).map((kind) => [states[kind], kind, pool.totals[kind]]).flatMap(([name, kind, t]) => [
		entry(kind === LIVE && pool.dated ? "" : swatch(kind), name, `${size(t.bytes, unit)}, ${percent(t.bytes / whole)}, ${plural(t.pieces, "piece")}`),
		...(kind === LIVE && byAge ? [byAge] : []),
	])
	if (pool.came?.pieces) entries.push(entry(swatch(LIVE, CAME), "came", `${size(pool.came.bytes, unit)}, ${plural(pool.came.pieces, "block")}: edge at the top`))
	if (pool.went?.pieces) entries.push(entry(swatch(FREE, WENT), "went", `${size(pool.went.bytes, unit)}, ${plural(pool.went.pieces, "block")}: edge at the foot`))
	replace($("legend"), ...entries)
	$("map-about").textContent = about(pool, rows)
	$("map").setAttribute("aria-label", `Memory map of ${pool.title}: ${about(pool, rows)}`)
	for (const id of ["largest", "zoom-in", "zoom-out", "zoom-all"]) $(id).disabled = !rows.length
	$("map-keys").hidden = $("map-scroll").hidden = !rows.length
}

function about(pool, rows) {
	if (pool.unseen) return "No snapshot yet."
	if (!pool.walked) return "No map: only the owner of a pool with concurrency none can list its blocks, with the method Snapshot."
	if (!rows.length) return "The pool has no memory now."
	const free = (pool.free ? size(pool.free, pool.unit) : "nothing") + " free" + (pool.free && !oneSize(pool) ? ", fragmentation " + pool.fragmentation.toFixed(2) : "")
	return [`${plural(rows.length, "chunk")}, from first to last byte; ${free}.`, data.live && `Snapshot of ${clock(pool.at)}.`,
		pool.apart && "Built with pooldebug: there is a gap after each block, so pieces are twice as large as in the figures."].filter(Boolean).join(" ")
}
