// The page as a whole.

let pools = [] // that are shown
let chosen = "" // key of one of them
let compared = false // two snapshots are shown
const looked = new Map() // the last look at each pool, by key

function title(program) {
	$("program").textContent = program
	document.title = program + ": memory pools"
}

// remember keeps what a snapshot says of its pools.
function remember(snapshot) {
	for (const pool of modelOf(snapshot).pools) looked.set(pool.key, pool)
}

function showAll(history) {
	cards(pools, history)
	showPools(pools)
	$("main").hidden = false
}

function choosePool(key) {
	chosen = key
	showPools(pools)
	showPool()
	if (data.live) {
		showSeries(pools.find((p) => p.key === key))
		take().catch((error) => state("bad", `no answer: ${error.message}`))
	}
}

// showPool shows the last look at the chosen pool.
function showPool() {
	const pool = pools.find((p) => p.key === chosen), seen = looked.get(chosen)
	$("pool-title").textContent = pool?.title ?? ""
	$("pool-facts").textContent = pool ? facts(pool) : ""
	if (!seen) return
	show(seen)
	legend()
	tell()
	showSites(seen)
	showEvents(seen)
	showStreams([...looked.values()])
}

function facts(p) {
	return [kindOfPool(p), p.reason, `concurrency ${p.concurrency}`, `ordering ${p.ordering}`, p.item_size > 1 && `items of ${size(p.item_size, p.unit)}`, p.chunk_size && `chunks of ${size(p.chunk_size, p.unit)}`,
		`peak ${size(p.stats.peak_bytes, p.unit)} live, ${size(p.stats.peak_reserved, p.unit)} reserved`].filter(Boolean).join(" · ")
}

function startStatic(snapshots) {
	const models = snapshots.map(modelOf), last = models.at(-1)
	compared = models.length === 2
	if (compared) compare(...models)
	title(last.program)
	$("when").textContent = models.map((m) => new Date(m.at).toLocaleString("en-GB")).join(" compared with ") + (last.debug ? ", with the tag pooldebug" : "")
	pools = last.pools
	for (const pool of pools) looked.set(pool.key, pool)
	showAll()
	if (pools.length) choosePool(pools[0].key)
}

const data = JSON.parse($("data").textContent)
mix()
listenToMap()
$("pools").addEventListener("click", (e) => e.target.dataset.key && choosePool(e.target.dataset.key))
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
	mix()
	if (looked.has(chosen)) showPool()
})
if (data.live) startLive()
else startStatic(data.snapshots)
