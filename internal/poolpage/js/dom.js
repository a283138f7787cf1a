// Elements of the page.

const $ = (id) => document.getElementById(id)

// element makes an element. Children that are not elements become text, never markup.
function element(name, attributes = {}, ...children) {
	const node = document.createElement(name)
	for (const [key, value] of Object.entries(attributes)) {
		if (value !== undefined && value !== false) node.setAttribute(key, value === true ? "" : value)
	}
	node.append(...children.flat(2).filter((c) => c !== undefined && c !== ""))
	return node
}

// table makes one of columns {name, value(item), number, wide} in which a cell is a text or an element. It sets the roles of rows and cells, because
// browsers drop them where the style shows a table as a list.
function table(caption, columns, items) {
	const head = element("tr", { role: "row" }, columns.map((c) => element("th", { role: "columnheader", class: c.number && "number" }, c.name)))
	const line = (item) => element("tr", { role: "row", class: item.line }, columns.map((c, i) => {
		const attributes = { class: c.number ? "number" : c.wide && "wide", "data-name": c.name }
		return i ? element("td", { ...attributes, role: "cell" }, c.value(item)) : element("th", { ...attributes, role: "rowheader" }, c.value(item))
	}))
	return element("table", { role: "table" }, element("caption", {}, caption), element("thead", { role: "rowgroup" }, head), element("tbody", { role: "rowgroup" }, items.map(line)))
}

// replace gives an element other children. Children that are alike stay, and with them a pressed button, the focus and a selection. If the focused
// element is removed, the focus moves to the one with its data-key.
function replace(node, ...children) {
	const key = node.contains(document.activeElement) && document.activeElement.dataset.key
	const fresh = node.cloneNode(false)
	fresh.append(...children)
	patch(node, fresh)
	if (key && !node.contains(document.activeElement)) [...node.querySelectorAll("[data-key]")].find((n) => n.dataset.key === key)?.focus()
}

// patch makes an element equal to another one of its kind.
function patch(node, like) {
	for (const { name, value } of like.attributes) {
		if (name === "style") node.style.cssText = value // the policy forbids the attribute
		else if (node.getAttribute(name) !== value) node.setAttribute(name, value)
	}
	for (const { name } of [...node.attributes]) if (!like.hasAttribute(name) && name !== "open") node.removeAttribute(name)
	const fresh = [...like.childNodes]
	if (node.childNodes.length !== fresh.length) return node.replaceChildren(...fresh)
	;[...node.childNodes].forEach((child, i) => {
		if (child.nodeName !== fresh[i].nodeName || child.nodeName === "CANVAS") child.replaceWith(fresh[i])
		else if (child.nodeType === Node.TEXT_NODE) child.data === fresh[i].data || (child.data = fresh[i].data)
		else patch(child, fresh[i])
	})
}

// bar is a row of parts [class, share of 1]. It is hidden from screen readers: the text beside it says the same.
function bar(parts) {
	return element("span", { class: "bar", "aria-hidden": "true" }, parts.filter(([, share]) => share > 0).map(([kind, share]) => {
		const part = element("span", { class: "part " + kind })
		part.style.width = 100 * Math.min(share, 1) + "%"
		return part
	}))
}
