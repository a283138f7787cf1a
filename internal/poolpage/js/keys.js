// Moving in the map, by keys, pointer and buttons.

// choose makes a piece the chosen one, scrolls it into view and describes it.
function choose(r, i) {
	if (!map.rows.length) return
	map.row = clamp(r, 0, map.rows.length - 1)
	const row = map.rows[map.row]
	map.piece = clamp(i, 0, row.n - 1)
	reveal(row, row.off[map.piece], row.off[map.piece + 1])
	const scroll = $("map-scroll"), y = map.row * rowHeight()
	if (y < scroll.scrollTop) scroll.scrollTop = y
	else if (y + rowHeight() > scroll.scrollTop + scroll.clientHeight) scroll.scrollTop = y + rowHeight() - scroll.clientHeight
	tell()
	draw()
}

const clamp = (v, low, high) => Math.max(low, Math.min(v, high))

// reveal scrolls a row until a piece is visible, or as much of it as there is room for.
function reveal(row, from, to) {
	const span = row.to - row.from
	if (from >= row.from && to <= row.to || from < row.from && to > row.to) return
	look(row, Math.min(from, Math.max((from + to - span) / 2, 0)), span)
}

// look shows a part of a row: its start, and its length in bytes.
function look(row, from, span) {
	span = clamp(span, Math.min(16, row.size), row.size)
	row.from = clamp(from, 0, row.size - span)
	row.to = row.from + span
	draw()
}

// zoom makes the visible part of the row smaller or larger by a factor, around a place in it.
function zoom(factor, r = map.row, at) {
	const row = map.rows[r]
	if (!row) return
	at ??= map.piece >= 0 ? (Math.max(row.off[map.piece], row.from) + Math.min(row.off[map.piece + 1], row.to)) / 2 : (row.from + row.to) / 2
	factor = Math.min(factor, row.size / (row.to - row.from)) // at most the whole chunk
	look(row, at - (at - row.from) * factor, (row.to - row.from) * factor)
}

// across chooses the piece of another row at the place of the chosen one.
function across(by) {
	const row = map.rows[map.row], r = clamp(map.row + by, 0, map.rows.length - 1)
	const at = map.piece < 0 ? 0 : (row.off[map.piece] + row.off[map.piece + 1]) / 2 / row.size
	choose(r, pieceAt(map.rows[r], at * map.rows[r].size))
}

function chooseLargest() {
	if (map.pool?.largest) choose(map.pool.largest.r, map.pool.largest.i)
}

const keys = {
	ArrowRight: () => choose(map.row, map.piece + 1),
	ArrowLeft: () => choose(map.row, map.piece - 1),
	ArrowUp: () => across(-1),
	ArrowDown: () => across(1),
	PageUp: () => across(-10),
	PageDown: () => across(10),
	Home: () => choose(map.row, 0),
	End: () => choose(map.row, Infinity),
	"+": () => zoom(0.5),
	"=": () => zoom(0.5),
	"-": () => zoom(2),
	0: () => zoom(Infinity),
	l: chooseLargest,
	Escape: () => {
		map.piece = -1
		tell()
		draw()
	},
}

function listenToMap() {
	const canvas = $("map"), scroll = $("map-scroll")
	canvas.addEventListener("keydown", (e) => {
		const key = keys[e.key.length === 1 ? e.key.toLowerCase() : e.key]
		if (!key || e.ctrlKey || e.metaKey || e.altKey || !map.rows.length) return
		e.preventDefault()
		key()
	})
	canvas.addEventListener("focus", () => map.piece < 0 && choose(0, 0))
	canvas.addEventListener("pointermove", (e) => hover(e))
	canvas.addEventListener("pointerleave", () => hover())
	canvas.addEventListener("pointerdown", (e) => {
		const at = hit(e.offsetX, e.offsetY)
		if (at) choose(at.row, at.piece)
	})
	canvas.addEventListener("dblclick", (e) => zoomAt(e, e.shiftKey ? 4 : 0.25))
	canvas.addEventListener("wheel", (e) => {
		const row = map.rows[hit(e.offsetX, e.offsetY)?.row]
		if (!row || !e.ctrlKey && (Math.abs(e.deltaX) <= Math.abs(e.deltaY) || row.to - row.from === row.size)) return // it scrolls the page
		e.preventDefault()
		if (e.ctrlKey) zoomAt(e, 2 ** (e.deltaY / 100)) // which is a pinch, too
		else look(row, row.from + (e.deltaX / e.target.clientWidth) * (row.to - row.from), row.to - row.from)
	}, { passive: false })
	scroll.addEventListener("scroll", draw)
	new ResizeObserver(draw).observe(scroll)
	$("zoom-in").addEventListener("click", () => zoom(0.5))
	$("zoom-out").addEventListener("click", () => zoom(2))
	$("zoom-all").addEventListener("click", () => zoom(Infinity))
	$("largest").addEventListener("click", chooseLargest)
}

function zoomAt(e, factor) {
	const at = hit(e.offsetX, e.offsetY), row = at && map.rows[at.row]
	if (row) zoom(factor, at.row, row.from + (e.offsetX / $("map-scroll").clientWidth) * (row.to - row.from))
}

// hover shows a line about the piece under the pointer.
function hover(e) {
	map.hover = e && hit(e.offsetX, e.offsetY)
	$("map").style.cursor = map.hover ? "crosshair" : ""
	const tip = $("tip")
	tip.hidden = !map.hover || e.pointerType === "touch"
	draw()
	if (tip.hidden) return
	tip.textContent = summary(map.rows[map.hover.row], map.hover.piece)
	const box = $("map").getBoundingClientRect()
	tip.style.left = clamp(e.clientX + 14, 8, innerWidth - tip.offsetWidth - 8) + "px"
	tip.style.top = (box.top + e.offsetY + 22 + tip.offsetHeight > innerHeight ? e.clientY - tip.offsetHeight - 12 : e.clientY + 18) + "px"
}
