// What pieces look like: a colour and a pattern for each kind. Kinds are the states, then live pieces by age, then live pieces without a known age,
// in a pool with ages.

const ages = [[1, "under 1 s"], [10, "10 s"], [60, "1 min"], [600, "10 min"], [Infinity, "longer"]]
const aged = ages.map((_, i) => states.length + i)
const undated = states.length + ages.length
const kinds = undated + 1
const stack = [LIVE, ...aged, undated, PENDING, CACHED, WASTE, HOLE, FREE] // from the bottom up, if several share a column

// kindsOf returns the kinds of a row's pieces at a time.
function kindsOf(row, dated, now) {
	return row.state.map((state, i) => {
		if (state !== LIVE || !dated) return state
		if (!row.since[i]) return undated
		const age = (now - row.since[i]) / 1000
		return aged[ages.findIndex(([below]) => age < below)]
	})
}

// strokes are the patterns, on a tile of 8 by 8: lines to draw, or dots.
const strokes = {
	pending: [[-2, 6, 6, -2], [2, 10, 10, 2], [-2, 2, 2, -2], [6, 10, 10, 6]],
	cached: [[1, 2, 3, 2], [5, 6, 7, 6]],
	hole: [[0, 0, 8, 8], [8, 0, 0, 8]],
	waste: [[0, 2, 8, 2], [0, 6, 8, 6]],
}

let paint // colours and patterns, in the current colour scheme

// mix computes paint.
function mix() {
	const style = getComputedStyle(document.documentElement)
	const colour = (name) => style.getPropertyValue("--" + name).trim()
	const plain = [...states.map(colour), ...ages.map((_, i) => colour("age-" + i)), colour("undated")]
	paint = {
		pixel: plain.map(pixel), fill: plain.map((c, k) => (strokes[states[k]] ? tile(c, colour(states[k] + "-ink"), strokes[states[k]]) : c)),
		ink: colour("ink"), dim: colour("dim"), ground: colour("panel"), edge: colour("edge"), came: colour("came"), went: colour("went"), focus: colour("focus"),
	}
}

// pixel converts a colour to its four bytes in an image.
function pixel(colour) {
	const c = element("canvas", { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true })
	c.fillStyle = colour
	c.fillRect(0, 0, 1, 1)
	return new Uint32Array(c.getImageData(0, 0, 1, 1).data.buffer)[0]
}

function tile(ground, ink, lines) {
	const scale = Math.max(1, Math.round(devicePixelRatio))
	const canvas = element("canvas", { width: 8 * scale, height: 8 * scale })
	const c = canvas.getContext("2d")
	c.scale(scale, scale)
	c.fillStyle = ground
	c.fillRect(0, 0, 8, 8)
	c.strokeStyle = ink
	c.lineWidth = 1.5
	for (const [x, y, u, v] of lines) {
		c.beginPath()
		c.moveTo(x, y)
		c.lineTo(u, v)
		c.stroke()
	}
	const pattern = c.createPattern(canvas, "repeat")
	pattern.setTransform(new DOMMatrix().scale(1 / scale))
	return pattern
}

// swatch is a sample of a kind, or of a mark.
function swatch(kind, mark) {
	const scale = Math.max(1, Math.round(devicePixelRatio))
	const canvas = element("canvas", { class: "swatch", width: 26 * scale, height: 14 * scale, "aria-hidden": "true" })
	const c = canvas.getContext("2d")
	c.scale(scale, scale)
	c.fillStyle = paint.fill[kind]
	c.fillRect(0, 0, 26, 14)
	if (mark) {
		c.fillStyle = mark === CAME ? paint.came : paint.went
		c.fillRect(0, mark === CAME ? 0 : 9, 26, 5)
	}
	return canvas
}
