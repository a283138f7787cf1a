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

// singly tells whether each live block of a pool is a piece of its own, and known.
const singly = (pool) => pool.walked && pool.suballocator !== "bump"

// mark tells blocks that came and places where blocks were.
function mark(pool) {
	if (!singly(pool) || pool.before && !singly(pool.before)) return
	const old = new Map((pool.before?.rows ?? []).map((row) => [row.addr, row])), now = pool.at, then = pool.before?.at
	pool.came = { pieces: 0, bytes: 0 }
	pool.went = { pieces: 0, bytes: 0 }
	for (const row of pool.rows) {
		const was = old.get(row.addr)
		old.delete(row.addr)
		eachNew(row, now, was, then, (i) => {
			row.mark[i] = CAME
			add(pool.came, row, i)
		})
		if (was) {
			eachNew(was, then, row, now, (i) => {
				add(pool.went, was, i)
				for (let k = pieceAt(row, was.off[i]); k < row.n && row.off[k] < was.off[i + 1]; k++) row.mark[k] |= WENT
			})
		}
	}
	for (const row of old.values()) {
		ghost(row)
		eachNew(row, then, undefined, now, (i) => add(pool.went, row, i))
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
	for (let i = 0; i < row.n; i++) if (row.state[i] === LIVE) row.mark[i] = WENT
}

// eachNew names the live pieces of a row, as it was at a time, that another one does not have. A block is the same if it lies where it lay, is as large, and was
// handed out at the same time. Where that is known of one of the two only, it is another if it came when the other was there already.
function eachNew(row, at, other, otherAt, see) {
	for (let i = 0, k = 0; i < row.n; i++) {
		if (row.state[i] !== LIVE) continue
		while (other && k < other.n && other.off[k] < row.off[i]) k++
		const a = row.since[i], b = other?.since[k]
		const same = other && k < other.n && other.state[k] === LIVE && other.off[k] === row.off[i] && other.off[k + 1] === row.off[i + 1] &&
			(a && b ? a === b : (a || 0) <= otherAt && (b || 0) <= at)
		if (!same) see(i)
	}
}
