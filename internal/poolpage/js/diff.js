// What changed between two snapshots.

const [CAME, WENT] = [1, 2] // marks of pieces

// compare adds to the pools of the later snapshot their earlier state, and marks their pieces. Pools that are gone come last.
function compare(before, after) {
	const old = new Map(before.pools.map((p) => [p.key, p]))
	for (const pool of after.pools) {
		pool.before = old.get(pool.key)
		pool.fate = pool.before ? "" : "came"
		old.delete(pool.key)
		mark(pool)
	}
	for (const pool of old.values()) {
		pool.fate = "went"
		pool.before = pool
		pool.rows.forEach(ghost)
		after.pools.push(pool)
	}
}

// mark marks new blocks, and places where blocks were. The snapshots list both.
function mark(pool) {
	if (!pool.walked || pool.before && !pool.before.walked) return
	const old = new Map((pool.before?.rows ?? []).map((row) => [row.addr, row]))
	pool.came = { pieces: 0, bytes: 0 }
	pool.went = { pieces: 0, bytes: 0 }
	for (const row of pool.rows) {
		for (const i of row.unmatched) {
			row.mark[i] = CAME
			add(pool.came, row, i)
		}
		const was = old.get(row.addr)
		old.delete(row.addr)
		for (const i of was?.unmatched ?? []) {
			add(pool.went, was, i)
			for (let k = pieceAt(row, was.off[i]); k < row.n && row.off[k] < was.off[i + 1]; k++) if (row.off[k + 1] > was.off[i]) row.mark[k] |= WENT
		}
	}
	for (const row of old.values()) {
		ghost(row)
		for (const i of row.unmatched) add(pool.went, row, i)
		pool.rows.push(row)
	}
	pool.rows.sort((a, b) => (a.addr < b.addr ? -1 : a.addr > b.addr ? 1 : 0))
	measure(pool)
}

function add(sum, row, i) {
	sum.pieces++
	sum.bytes += row.off[i + 1] - row.off[i]
}

// ghost is a row of a chunk that is gone.
function ghost(row) {
	row.gone = true
	for (const i of row.unmatched) row.mark[i] = WENT
}
