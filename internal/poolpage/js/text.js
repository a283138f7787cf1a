// Figures for people.

const powers = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]

const count = (n) => Math.round(n).toLocaleString("en")

// size writes bytes, or numbers of a pool of numbered resources, in three digits.
function size(n, unit = "bytes") {
	if (unit !== "bytes") return count(n)
	const sign = n < 0 ? "−" : ""
	let v = Math.abs(n), power = 0
	while (v >= 1023.5 && power < powers.length - 1) {
		v /= 1024
		power++
	}
	return sign + (power && v < 99.95 ? v.toFixed(v < 9.995 ? 2 : 1) : Math.round(v)).toString().replace(/\.0+$/, "") + " " + powers[power]
}

// exact adds all digits, if three do not show them.
const exact = (n, unit) => unit === "bytes" && n >= 1024 ? `${size(n)} (${count(n)} B)` : size(n, unit)

const unlimited = (n) => n >= 2 ** 63
const percent = (share) => `${share > 0 && share < 0.01 ? "<1" : Math.round(100 * share)} %`

// change writes a difference with its sign, and nothing for 0.
const change = (n, write = count) => (n ? (n > 0 ? "+" : "−") + write(Math.abs(n)) : "")

function duration(seconds) {
	const units = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"], [1e-3, "ms"]]
	const [length, name] = units.find(([length]) => seconds >= length) ?? [1e-6, "µs"]
	return `${+(seconds / length).toPrecision(2)} ${name}`
}

const clock = (time) => new Date(time).toLocaleTimeString("sv")
const date = (time) => new Date(time).toLocaleString("sv") // year first
const plural = (n, word) => `${count(n)} ${word}${n === 1 ? "" : "s"}`

// address writes a place in the form of its chunk's address.
const address = (row, off) => {
	const at = row.addr + BigInt(Math.floor(off))
	return row.hex ? "0x" + at.toString(16) : at.toString()
}

// call writes in one line the caller of a pool: the first frame that is not of generated code.
const call = (frames) => frameText(frames.find((f) => !f.generated) ?? frames[0])
const frameText = (frame) => `${frame.function} (${frame.file.split("/").slice(-2).join("/")}:${frame.line})`
