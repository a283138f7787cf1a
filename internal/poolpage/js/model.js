// Snapshots in the form that the page works with.

const states = ["free", "live", "pending", "cached", "hole", "waste"] // in the order of package runtime
const letters = "flpchw"
const [FREE, LIVE, PENDING, CACHED, HOLE, WASTE] = states.keys()

// modelOf adds to each pool of a snapshot its key, its rows, which are chunks, and the totals of each state.
function modelOf(snapshot) {
	const at = Date.parse(snapshot.time), frames = (snapshot.sites ?? []).map((site) => site.frames ?? []) // of site n at n-1
	for (const pool of keyed(snapshot.pools)) unfold(pool, { at, frames, apart: snapshot.debug })
	return { ...snapshot, at }
}

// unfold adds to a pool its rows, and data of the snapshot that is the same for all pools.
function unfold(pool, said) {
	Object.assign(pool, said, { rows: (pool.chunks ?? []).map(rowOf).filter((row) => row.n) })
	measure(pool)
	return pool
}

// keyed gives each pool a key: several pools may have one name.
function keyed(pools) {
	const seen = new Map()
	for (const pool of pools) {
		const n = (seen.get(pool.name) ?? 0) + 1
		seen.set(pool.name, n)
		pool.key = keyOf(pool.name, n)
		pool.title = n > 1 ? `${pool.name} (${n})` : pool.name
	}
	return pools
}

const keyOf = (name, n) => n + " " + name

// rowOf unfolds the columns of a chunk: piece i lies from off[i] to off[i+1].
function rowOf(chunk) {
	const { states: letter, sizes = [], asked = [], since, sites } = chunk.pieces
	const n = letter.length
	const row = {
		addr: BigInt(chunk.addr), hex: chunk.addr.startsWith("0x"), size: chunk.size, origin: chunk.origin, n,
		off: new Float64Array(n + 1), state: new Uint8Array(n), asked: new Float64Array(n),
		since: new Float64Array(since ? n : 0), site: new Uint32Array(sites ? n : 0), mark: new Uint8Array(n), unmatched: chunk.unmatched ?? [],
		from: 0, to: chunk.size, used: 0,
	}
	for (let i = 0, block = 0, live = 0; i < n; i++) {
		const state = letters.indexOf(letter[i])
		row.state[i] = state
		row.off[i + 1] = row.off[i] + sizes[i]
		if (state === LIVE || state === PENDING) row.asked[i] = asked[block++]
		if (state !== LIVE) continue
		row.used += sizes[i]
		if (since) {
			row.since[i] = since[live] / 1e6 // milliseconds
			row.site[i] = sites[live++]
		}
	}
	return row
}

// unseen is a pool without a snapshot so far.
const unseen = (pool) => unfold({ ...pool, unseen: true }, { at: Date.parse(pool.seen), frames: [] })

function measure(pool) {
	pool.totals = states.map(() => ({ bytes: 0, pieces: 0 }))
	pool.largest = undefined
	pool.dated = pool.rows.some((row) => row.since.length)
	pool.rows.forEach((row, r) => {
		if (row.gone) return
		for (let i = 0; i < row.n; i++) {
			const bytes = row.off[i + 1] - row.off[i], total = pool.totals[row.state[i]]
			total.bytes += bytes
			total.pieces++
			if (row.state[i] === FREE && !(pool.largest?.bytes >= bytes)) pool.largest = { r, i, bytes }
		}
	})
}

// pieceAt finds the piece that holds a place.
function pieceAt(row, off) {
	let low = 0, high = row.n - 1
	while (low < high) {
		const middle = (low + high + 1) >> 1
		if (row.off[middle] <= off) low = middle
		else high = middle - 1
	}
	return low
}
