// What changed between two snapshots.

const [CAME, WENT] = [1, 2] // marks of pieces

// compare gives the pools of the later snapshot what they were before, and marks their pieces. Pools that are gone come last.
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

// mark tells blocks that came and places where blocks were. A block is the same if it lies where it lay, is as large, and was handed out at the same time,
// where that is known.
function mark(pool) {
	const old = new Map((pool.before?.rows ?? []).map((row) => [row.addr, row]))
	pool.came = { pieces: 0, bytes: 0 }
	pool.went = { pieces: 0, bytes: 0 }
	for (const row of pool.rows) {
		const was = old.get(row.addr)
		old.delete(row.addr)
		eachNew(row, was, (i) => {
			row.mark[i] = CAME
			add(pool.came, row, i)
		})
		if (was) {
			eachNew(was, row, (i) => {
				add(pool.went, was, i)
				for (let k = pieceAt(row, was.off[i]); k < row.n && row.off[k] < was.off[i + 1]; k++) row.mark[k] |= WENT
			})
		}
	}
	for (const row of old.values()) {
		ghost(row)
		eachNew(row, undefined, (i) => add(pool.went, row, i))
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
	eachNew(row, undefined, (i) => { row.mark[i] = WENT })
}

// eachNew names the live pieces of a row that another one does not have.
function eachNew(row, other, see) {
	for (let i = 0, k = 0; i < row.n; i++) {
		if (row.state[i] !== LIVE) continue
		while (other && k < other.n && other.off[k] < row.off[i]) k++
		const same = other && k < other.n && other.state[k] === LIVE && other.off[k] === row.off[i] && other.off[k + 1] === row.off[i + 1] &&
			(!row.since.length || !other.since.length || row.since[i] === other.since[k])
		if (!same) see(i)
	}
}
