// The address of the page names the pool that is shown, its chosen piece, and the part of the chunk that is in
// view: a reload shows them again, and a link shows them to others. Its names are compared, and never shown.

let wanted // what the address names and the page has not shown so far
let keeping = 0 // a timer

function readAddress() {
	const said = new URLSearchParams(location.hash.slice(1)), key = keyOf(said.get("pool"), said.get("number") ?? 1)
	wanted = said.has("pool") ? { ...Object.fromEntries(said), key } : undefined
}

// wantedOr returns the pool that the address names, or another one if there is no such pool.
const wantedOr = (pools, other) => pools.find((p) => p.key === wanted?.key) ?? other

// showWanted shows what the address names of the chosen pool. A chunk that is gone meanwhile is passed over.
function showWanted() {
	const { chunk, piece, from, to } = wanted ?? {}
	wanted = undefined
	const r = map.rows.findIndex((row) => address(row, 0) === chunk)
	if (r < 0) return
	const row = map.rows[r], number = (text) => (Number(text) >= 0 ? Number(text) : 0)
	if (from) look(row, number(from), number(to) - number(from))
	if (!piece) return
	const view = [row.from, row.to]
	choose(r, pieceAt(row, number(piece)))
	if (from) look(row, view[0], view[1] - view[0]) // the piece may lie outside
}

// keepAddress writes what is shown into the address once that has not changed for a moment, as browsers limit how
// often a page may do so.
function keepAddress() {
	clearTimeout(keeping)
	keeping = setTimeout(() => {
		const pool = pools.find((p) => p.key === chosen)
		if (wanted || !pool) return
		const zoomed = (row) => row.from > 0 || row.to < row.size
		const said = new URLSearchParams({ pool: pool.name })
		if (pool.key !== keyOf(pool.name, 1)) said.set("number", parseInt(pool.key))
		const row = map.piece < 0 ? map.rows.find(zoomed) : map.rows[map.row]
		if (row) said.set("chunk", address(row, 0))
		if (map.piece >= 0) said.set("piece", row.off[map.piece])
		if (row && zoomed(row)) {
			said.set("from", Math.round(row.from))
			said.set("to", Math.round(row.to))
		}
		if (location.hash !== "#" + said) history.replaceState(null, "", "#" + said)
	}, 200)
}
