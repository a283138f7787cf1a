// What pieces look like: a colour and a pattern for each kind. Kinds are the states, then live pieces by age.

const ages = [[1, "under 1 s"], [10, "1 to 10 s"], [60, "10 to 60 s"], [600, "1 to 10 min"], [Infinity, "over 10 min"]]
const kinds = states.length + ages.length
const stack = [1, 6, 7, 8, 9, 10, 2, 3, 5, 4, 0] // from the bottom up, where several share a column

// kindOf is that of a piece at a time.
function kindOf(row, i, now) {
	if (row.state[i] !== LIVE || !row.since.length || !row.since[i]) return row.state[i]
	const age = (now - row.since[i]) / 1000
	return states.length + ages.findIndex(([below]) => age < below)
}

// strokes are the patterns, on a tile of 8 by 8: lines to draw, or dots.
const strokes = {
	parked: [[-2, 6, 6, -2], [2, 10, 10, 2], [-2, 2, 2, -2], [6, 10, 10, 6]],
	cached: [[1, 2, 3, 2], [5, 6, 7, 6]],
	hole: [[0, 0, 8, 8], [8, 0, 0, 8]],
	waste: [[0, 2, 8, 2], [0, 6, 8, 6]],
}

let paint // what everything is painted with, in the scheme in force

// mix makes it anew.
function mix() {
	const style = getComputedStyle(document.documentElement)
	const colour = (name) => style.getPropertyValue("--" + name).trim()
	const plain = [...states.map(colour), ...ages.map((_, i) => colour("age-" + i))]
	paint = {
		plain, fill: plain.map((c, k) => (strokes[states[k]] ? tile(c, colour(states[k] + "-ink"), strokes[states[k]]) : c)),
		ink: colour("ink"), dim: colour("dim"), ground: colour("panel"), edge: colour("edge"), came: colour("came"), went: colour("went"), focus: colour("focus"),
	}
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
	return c.createPattern(canvas, "repeat")
}

// swatch is a sample of a kind, or of a mark.
function swatch(kind, mark) {
	const scale = Math.max(1, Math.round(devicePixelRatio))
	const canvas = element("canvas", { class: "swatch", width: 26 * scale, height: 14 * scale, "aria-hidden": "true" })
	const c = canvas.getContext("2d")
	c.fillStyle = paint.fill[kind]
	c.fillRect(0, 0, canvas.width, canvas.height)
	if (mark) {
		c.fillStyle = mark === CAME ? paint.came : paint.went
		c.fillRect(0, mark === CAME ? 0 : canvas.height - 5 * scale, canvas.width, 5 * scale)
	}
	return canvas
}
