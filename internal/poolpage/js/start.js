// The page as a whole.

let pools = [] // the pools that are shown
let chosen = "" // key of one of them
let compared = false // two snapshots are shown
const looked = new Map() // the last snapshot of each pool, by key

function title(program) {
	$("program").textContent = program
	document.title = program + ": memory pools"
}

// remember keeps the pools of a snapshot.
function remember(snapshot) {
	for (const pool of modelOf(snapshot).pools) looked.set(pool.key, pool)
}

function showAll(history) {
	cards(pools, history)
	showPools(pools)
	showStreams()
	$("pool").hidden = !pools.length
	$("main").hidden = false
}

function choosePool(key) {
	chosen = key
	if (wanted?.key !== key) wanted = undefined
	showPools(pools)
	showPool()
	if (data.live) {
		showSeries(pools.find((p) => p.key === key))
		take().catch(failed)
	}
}

// showPool shows the last snapshot of the chosen pool.
function showPool(quiet) {
	const pool = pools.find((p) => p.key === chosen)
	if (!pool) return // the pool was closed meanwhile
	const seen = looked.get(chosen) ?? unseen(pool)
	$("pool-title").textContent = pool.title
	$("pool-facts").textContent = facts(pool)
	show(seen)
	legend()
	if (!seen.unseen) showWanted()
	tell(quiet)
	showClasses(seen)
	showSites(seen)
	showEvents(seen)
	showStreams()
}

function facts(p) {
	const inUnit = (n) => size(n, p.unit)
	return [kindOfPool(p), p.reason, `concurrency ${p.concurrency}`, `ordering ${p.ordering}`, p.item_size > 1 && `items of ${inUnit(p.item_size)}`,
		p.chunk_size && p.chunk_size < 2 ** 62 && `chunks of ${inUnit(p.chunk_size)}`, `peak ${inUnit(p.stats.peak_bytes)} live, ${inUnit(p.stats.peak_reserved)} reserved`].filter(Boolean).join(" · ")
}

function startStatic(snapshots) {
	const models = snapshots.map(modelOf), last = models.at(-1)
	compared = models.length === 2
	if (compared) compare(...models)
	title([...new Set(models.map((m) => m.program))].join(", then "))
	$("when").textContent = models.map((m) => date(m.at)).join(" compared with ") + (last.debug ? ", with the tag pooldebug" : "")
	pools = last.pools
	for (const pool of pools) looked.set(pool.key, pool)
	showAll()
	if (pools.length) choosePool(wantedOr(pools, first(pools)).key)
}

// first returns the pool that is shown first: one whose blocks are known, if there is any; of two snapshots the pool that changed most, else the
// largest.
const first = (pools) => pools.reduce((best, p) => (outranks(rank(p), rank(best)) ? p : best))

function rank(p) {
	const seen = looked.get(p.key)?.walked ?? p.concurrency !== "none"
	const changed = p.fate === "went" ? p.stats.live_bytes : (p.came?.bytes ?? 0) + (p.went?.bytes ?? 0)
	return [Number(seen), Number(changed > 0), Number(p.unit === "bytes"), changed, p.stats.reserved]
}

function outranks(a, b) {
	const i = a.findIndex((x, i) => x !== b[i])
	return i >= 0 && a[i] > b[i]
}

const data = JSON.parse($("data").textContent)
mix()
listenToMap()
readAddress()
addEventListener("hashchange", () => {
	readAddress()
	const pool = wantedOr(pools)
	if (pool) choosePool(pool.key)
})
$("pools").addEventListener("click", (e) => {
	const button = e.target.closest("tr")?.querySelector("[data-key]")
	if (button) choosePool(button.dataset.key)
})
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
	mix()
	if (looked.has(chosen)) showPool()
})
if (data.live) startLive()
else startStatic(data.snapshots)
