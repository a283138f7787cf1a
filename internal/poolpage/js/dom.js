// Elements of the page.

const $ = (id) => document.getElementById(id)

// element makes one. Children that are no elements become text, never markup.
function element(name, attributes = {}, ...children) {
	const node = document.createElement(name)
	for (const [key, value] of Object.entries(attributes)) {
		if (value !== undefined && value !== false) node.setAttribute(key, value === true ? "" : value)
	}
	node.append(...children.flat().filter((c) => c !== undefined && c !== ""))
	return node
}

// table makes one of columns {name, value(item), number, wide} in which a cell is a text or an element.
function table(caption, columns, items) {
	const head = element("tr", {}, columns.map((c) => element("th", { scope: "col", class: c.number && "number" }, c.name)))
	const line = (item) => element("tr", { class: item.line }, columns.map((c, i) => {
		const attributes = { class: c.number ? "number" : c.wide && "wide", "data-name": c.name }
		return i ? element("td", attributes, c.value(item)) : element("th", { ...attributes, scope: "row" }, c.value(item))
	}))
	return element("table", {}, element("caption", {}, caption), element("thead", {}, head), element("tbody", {}, items.map(line)))
}

// replace puts elements in the place of what an element had, and leaves the focus where it was, if it comes back under its data-key.
function replace(node, ...children) {
	const key = node.contains(document.activeElement) && document.activeElement.dataset.key
	node.replaceChildren(...children)
	if (key) [...node.querySelectorAll("[data-key]")].find((n) => n.dataset.key === key)?.focus()
}

// bar is a row of parts [class, share of 1], for those who see it; what it says is beside it as text.
function bar(parts) {
	return element("span", { class: "bar", "aria-hidden": "true" }, parts.filter(([, share]) => share > 0).map(([kind, share]) => {
		const part = element("span", { class: "part " + kind })
		part.style.width = 100 * Math.min(share, 1) + "%"
		return part
	}))
}
