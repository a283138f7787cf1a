// The memory map: a canvas as high as the visible part of the map, on which only the visible rows are drawn.

const map = { pool: undefined, rows: [], now: 0, row: 0, piece: -1, hover: undefined, due: false }

const above = 18, below = 10 // pixels above a row for its text, and below it
const least = 3 // least width in pixels of a piece that is drawn by itself

// barHeight is larger if there are few chunks.
const barHeight = () => (map.rows.length <= 3 ? 56 : map.rows.length <= 8 ? 34 : 18)
const rowHeight = () => above + barHeight() + below

// show draws a pool, and keeps the chosen place if it still exists.
function show(pool) {
	const old = map.pool?.key === pool.key && map.rows[map.row]
	const at = old && map.piece >= 0 && old.off[map.piece]
	const views = new Map(old ? map.rows.map((row) => [row.addr, row]) : [])
	Object.assign(map, { pool, rows: pool.rows, now: pool.at, row: 0, piece: -1, hover: undefined })
	for (const row of map.rows) {
		row.kind ??= kindsOf(row, pool.dated, pool.at)
		const was = views.get(row.addr)
		if (was?.size === row.size) [row.from, row.to] = [was.from, was.to]
	}
	const again = old ? map.rows.findIndex((row) => row.addr === old.addr) : -1
	if (again >= 0) {
		map.row = again
		if (at !== false) map.piece = pieceAt(map.rows[again], at)
	}
	$("tip").hidden = true
	$("map-space").style.height = Math.max(map.rows.length * rowHeight(), 1) + "px"
	if (!old) $("map-scroll").scrollTop = 0
	draw()
}

// draw schedules drawing the map for the next frame.
function draw() {
	if (map.due) return
	map.due = true
	requestAnimationFrame(() => {
		map.due = false
		const from = performance.now()
		drawNow()
		keepAddress()
		performance.clearMeasures("map")
		performance.measure("map", { start: from, end: performance.now() })
	})
}

function drawNow() {
	const canvas = $("map"), scroll = $("map-scroll"), scale = devicePixelRatio
	const width = scroll.clientWidth, height = Math.min(scroll.clientHeight, map.rows.length * rowHeight())
	if (!width || !height) return // it is not shown
	if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
		canvas.width = Math.round(width * scale)
		canvas.height = Math.round(height * scale)
		canvas.style.width = width + "px"
		canvas.style.height = height + "px"
	}
	const c = canvas.getContext("2d")
	c.setTransform(scale, 0, 0, scale, 0, 0)
	c.clearRect(0, 0, width, height)
	c.font = "12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace"
	const first = Math.floor(scroll.scrollTop / rowHeight())
	for (let r = first; r < map.rows.length && top(r) < height; r++) {
		drawText(c, map.rows[r], width, top(r))
		drawRow(c, map.rows[r], width, top(r) + above)
	}
	if (map.hover) outline(c, map.hover.row, map.hover.piece, width, paint.dim, 1.5)
	if (map.piece >= 0) outline(c, map.row, map.piece, width, paint.focus, 2.5)
}

// top is where a row begins on the canvas.
const top = (r) => r * rowHeight() - $("map-scroll").scrollTop

function drawText(c, row, width, y) {
	const zoomed = row.from > 0 || row.to < row.size
	const unit = map.pool.unit
	c.fillStyle = paint.dim
	c.textAlign = "left"
	c.fillText(address(row, row.from), 0, y + 12)
	c.textAlign = "right"
	const part = zoomed ? `${size(row.to - row.from, unit)} of ${size(row.size, unit)}` : size(row.size, unit)
	c.fillText(row.gone ? `${part}, released` : `${part}, ${percent(row.used / row.size)} live`, width, y + 12)
	if (zoomed) { // the position of the visible part in the chunk
		const bottom = y + above + barHeight() + 3
		c.fillStyle = paint.edge
		c.fillRect(0, bottom, width, 3)
		c.fillStyle = paint.focus
		c.fillRect((row.from / row.size) * width, bottom, Math.max(((row.to - row.from) / row.size) * width, 3), 3)
	}
}

// drawRow draws the pieces that are in view. Pieces that are narrower than a few pixels share columns of one pixel, each by its share.
function drawRow(c, row, width, y) {
	const height = barHeight(), scale = width / (row.to - row.from), fine = devicePixelRatio
	const columns = Math.ceil(width * fine), shares = new Float32Array((columns + 1) * kinds), marks = new Uint8Array(columns + 1)
	const alone = []
	for (let i = pieceAt(row, row.from); i < row.n && row.off[i] < row.to; i++) {
		const left = Math.max((row.off[i] - row.from) * scale, 0), right = Math.min((row.off[i + 1] - row.from) * scale, width)
		if (right - left >= least) alone.push([i, left, right - left - 1])
		else share(shares, marks, row, i, left * fine, right * fine)
	}
	drawShares(c, shares, columns, Math.round(y * fine), Math.round(height * fine))
	c.globalAlpha = row.gone ? 0.45 : 1
	for (const [i, left, wide] of alone) {
		c.fillStyle = paint.fill[row.kind[i]]
		c.fillRect(left, y, wide, height)
		if (row.mark[i]) drawMark(c, row.mark[i], left, wide, y, height)
	}
	marks.forEach((mark, x) => mark && drawMark(c, mark, x / fine, 1 / fine, y, height))
	c.globalAlpha = 1
	c.strokeStyle = paint.edge
	c.lineWidth = 1
	c.strokeRect(0.5, y - 0.5, width - 1, height + 1)
}

// share adds what lies from left to right to its columns.
function share(shares, marks, row, i, left, right) {
	for (let x = Math.floor(left); x < right; x++) {
		shares[x * kinds + row.kind[i]] += Math.min(right, x + 1) - Math.max(left, x)
		marks[x] |= row.mark[i]
	}
}

// drawShares draws each column as a stack, pixel by pixel, as that is many times faster than by rectangles.
function drawShares(c, shares, columns, y, height) {
	const picture = c.createImageData(columns, height), pixels = new Uint32Array(picture.data.buffer)
	for (let x = 0; x < columns; x++) {
		let from = 0
		for (const kind of stack) {
			const part = shares[x * kinds + kind]
			if (!part) continue
			const low = Math.round((1 - from) * height), high = Math.round((1 - from - part) * height)
			for (let k = Math.max(high, 0); k < low; k++) pixels[k * columns + x] = paint.pixel[kind]
			from += part
		}
	}
	c.putImageData(picture, 0, y)
}

// drawMark marks new pieces at the top of a bar, and gone pieces at its foot.
function drawMark(c, mark, x, width, y, height) {
	const thick = Math.max(4, height / 6)
	c.fillStyle = paint.ground
	if (mark & CAME) c.fillRect(x, y, width, thick + 1)
	if (mark & WENT) c.fillRect(x, y + height - thick - 1, width, thick + 1)
	c.fillStyle = paint.came
	if (mark & CAME) c.fillRect(x, y, width, thick)
	c.fillStyle = paint.went
	if (mark & WENT) c.fillRect(x, y + height - thick, width, thick)
}

function outline(c, r, i, width, colour, thick) {
	const row = map.rows[r]
	if (!row || i >= row.n) return
	const scale = width / (row.to - row.from)
	const left = Math.max((row.off[i] - row.from) * scale, 0), right = Math.min((row.off[i + 1] - row.from) * scale, width)
	if (right < 0 || left > width) return
	const x = Math.min(left, width - 4), w = Math.max(right - left, 4), y = top(r) + above
	c.lineWidth = thick + 2
	c.strokeStyle = paint.ground
	c.strokeRect(x, y - 1, w, barHeight() + 2)
	c.lineWidth = thick
	c.strokeStyle = colour
	c.strokeRect(x, y - 1, w, barHeight() + 2)
}

// hit finds the piece under a point of the canvas.
function hit(x, y) {
	const r = Math.floor((y + $("map-scroll").scrollTop) / rowHeight()), row = map.rows[r]
	if (!row || !row.n || x < 0) return undefined
	return { row: r, piece: pieceAt(row, row.from + (x / $("map-scroll").clientWidth) * (row.to - row.from)) }
}
