// What holds beyond this program's pools: budgets of several processes, and the memory limit of the whole program.

function showLimits({ memory, budgets = [] }) {
	replace($("limits"), ...budgets.map(processes), ...(memory ? [memoryLimit(memory)] : []))
}

// processes shows who has what of a budget that several processes share.
function processes(b) {
	const list = b.processes ?? [], held = list.reduce((n, p) => n + p.leased, 0)
	const text = list.map((p) => `${p.own ? "this one" : `${p.program} (${p.pid})`} ${size(p.leased)}` + (p.wanted ? `, waits for ${size(p.wanted)}` : "") + (p.given ? `, gave ${size(p.given)}` : ""))
	return element("div", { class: "budget" },
		element("span", {}, element("b", {}, `Budget ${b.name} on this host`), b.failure ? ` ${b.failure}` : ` ${list.length} process${list.length === 1 ? "" : "es"} with ${size(held)} of ${size(b.limit)}`),
		bar(list.map((p, i) => ["share-" + (i % 4), p.leased / b.limit])), element("span", { class: "dim" }, text.join("; ")))
}

// memoryLimit shows what poolrt.GovernMemory has found and done.
function memoryLimit(m) {
	const rest = Math.max(m.limit - m.pools - m.go_limit, 0)
	return element("div", { class: "budget" },
		element("span", {}, element("b", {}, "Memory limit"), ` ${size(m.limit)}: host pools hold ${size(m.pools)}, Go may use ${size(m.go_limit)}`),
		bar([["share-0", m.pools / m.limit], ["share-1", Math.min(m.go_limit, m.limit - m.pools) / m.limit], ["rest", rest / m.limit]]),
		element("span", { class: "dim" }, `Go's limit was set ${m.adjusted === 1 ? "once" : `${count(m.adjusted)} times`}` +
			(m.pressed ? `; memory was short ${m.pressed === 1 ? "once" : `${count(m.pressed)} times`}, and pools gave back ${size(m.given)}` : "")))
}
