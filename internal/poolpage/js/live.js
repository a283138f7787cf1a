// Polling the program, at the chosen interval, and only while the page is visible.

const live = { timer: 0, paused: false, failed: 0, asking: false, taking: false }

async function ask(address) {
	const answer = await fetch(address, { cache: "no-store", signal: AbortSignal.timeout(30000) })
	if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`)
	return answer.json()
}

// poll fetches the figures and schedules the next poll.
async function poll() {
	clearTimeout(live.timer)
	if (live.paused || document.hidden || live.asking) return
	live.asking = true
	try {
		const answer = await ask("figures")
		live.failed = 0
		await heard(answer)
		if ($("follow").checked) await take()
		if (!live.paused) state("live", `live, ${clock(answer.time)}`)
	} catch (error) {
		live.failed++
		failed(error)
	}
	live.asking = false
	live.timer = setTimeout(poll, Number($("interval").value) * Math.min(2 ** live.failed, 30))
}

function state(kind, text) {
	const status = $("status"), before = status.className
	status.className = "status " + kind
	status.ariaLive = before === status.className ? "off" : "polite" // it announces changes, not each answer
	status.textContent = text
}

// heard shows new figures. If no pool is chosen, it chooses one.
async function heard(answer) {
	pools = keyed(answer.pools)
	note(Date.parse(answer.time), pools)
	title(answer.program)
	$("when").textContent = `${plural(pools.length, "pool")} with ${plural(pools.reduce((n, p) => n + p.stats.chunks, 0), "chunk")}`
	for (const key of looked.keys()) if (!pools.some((p) => p.key === key)) looked.delete(key)
	showAll(series.get(""))
	showLimits(answer.limits)
	const pool = pools.find((p) => p.key === chosen)
	if (pool) {
		$("pool-facts").textContent = facts(pool)
		showSeries(pool)
	} else if (pools.length) choosePool(wantedOr(pools, first(pools)).key)
	if (pools.some((p) => p.stats.pending && !looked.has(p.key) && p.key !== chosen)) await takeStreams()
}

// take fetches a snapshot of the chosen pool.
async function take() {
	const pool = pools.find((p) => p.key === chosen)
	if (!pool || live.taking) return
	live.taking = true
	try {
		remember(await ask("snapshot?pool=" + encodeURIComponent(pool.name)))
		showPools(pools)
		showPool(true)
	} finally {
		live.taking = false
	}
	if (chosen !== pool.key) await take() // another one was chosen meanwhile
}

// takeStreams fetches snapshots of pools whose frees wait for streams.
async function takeStreams() {
	const names = new Set(pools.filter((p) => p.stats.pending).map((p) => p.name))
	remember(await ask("snapshot?" + [...names].map((n) => "pool=" + encodeURIComponent(n)).join("&")))
	showStreams()
}

const failed = (error) => state("bad", `no answer: ${error.message}`)

function startLive() {
	$("controls").hidden = $("map-live").hidden = false
	$("pause").addEventListener("click", () => {
		live.paused = !live.paused
		$("pause").textContent = live.paused ? "Resume" : "Pause"
		if (live.paused) state("", "paused")
		poll()
	})
	$("interval").addEventListener("change", poll)
	$("refresh").addEventListener("click", () => take().catch(failed))
	$("streams-refresh").addEventListener("click", () => takeStreams().catch(failed))
	document.addEventListener("visibilitychange", poll)
	state("", "loading")
	poll()
}
