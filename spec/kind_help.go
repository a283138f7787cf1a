package spec

import "strings"

// oneValue proposes a single value for a list or a block of keys.
func oneValue(n *node, key string) string {
	inner := n
	switch {
	case len(n.items) > 0:
		inner = n.items[0]
	case len(n.pairs) > 0:
		inner = n.pairs[0].value
	}
	if inner.kind != scalarNode || inner.null {
		return "write one value after the colon"
	}
	if key == "budget" && n.kind == mapNode { // the user has described the budget here
		return "write the name of one of the budgets: " + key + ": Scene, and at the top of the file budgets: [{name: Scene, limit: 1GiB}]"
	}
	if !isKeyName(key) {
		return "write one value: " + inner.value
	}
	return "write one value: " + key + ": " + inner.value
}

// listHelp says how to turn a value that is not a list into a list.
func listHelp(n *node, key, example string) string {
	if n.kind == scalarNode && sections[Section(key)] == nil { // its entries are no blocks of keys
		return "write " + key + ": [" + n.value + "]"
	}
	if n.kind != mapNode || len(n.pairs) == 0 {
		return "write " + key + ": " + example
	}
	first := n.pairs[0]
	section, word := Section(key), first.key.value
	rest, dashed := strings.CutPrefix(word, "-")
	switch {
	case sections[section] == nil:
		return "write " + key + ": " + example
	case dashed && keyNamed(section, rest) != nil:
		return "put a space after the dash: - " + rest + ": " + first.value.value
	case keyNamed(section, word) != nil:
		return "put a dash before the first key of each entry: - " + word + ": " + first.value.value
	case section == BudgetSection && first.value.kind == scalarNode:
		return "write each as an entry of a list: - {name: " + word + ", limit: " + first.value.value + "}"
	case isIdentifier(word):
		return "write each as an entry of a list, with its name in it: - name: " + word
	}
	return "write " + key + ": " + example
}

// blockHelp says how to turn a value that is not a block of keys into a block.
func blockHelp(n *node, section Section, key string) string {
	switch {
	case section == FileSection && n.kind == listNode:
		return "begin the file with the lines version: 1 and pools:, and let the list follow"
	case n.kind == listNode && len(n.items) > 0 && n.items[0].kind == mapNode && len(n.items[0].pairs) > 0:
		return "leave the dashes out: " + n.items[0].pairs[0].key.value + ": " + n.items[0].pairs[0].value.value
	case n.kind == scalarNode && n.plain && missingColon(section, n.value) != "":
		return missingColon(section, n.value)
	case section == BudgetSection && n.kind == scalarNode:
		return "write {name: " + nameOr(n.value, "Scene") + ", limit: 1GiB}"
	case section == PoolSection && n.kind == scalarNode && key != "defaults":
		name := nameOr(n.value, "Vertex")
		return "write {name: " + name + "} for a pool of bytes, or {name: " + name + ", item: float32}"
	}
	for _, home := range []Section{FileSection, PoolSection, DriverPoolSection} {
		switch k := keyNamed(home, key); {
		case k == nil:
		case k.None:
			return "write " + key + ": " + k.Example + ", or " + key + ": none"
		default:
			return "write " + key + ": " + k.Example
		}
	}
	return "the keys are " + strings.Join(keyNames(section), ", ")
}

// missingColon says where a value such as "name Vertex" lacks a colon; "" if the value does not begin with a key of the section.
func missingColon(section Section, value string) string {
	word, rest, ok := strings.Cut(value, " ")
	if !ok || keyNamed(section, word) == nil || strings.Contains(rest, " ") {
		return ""
	}
	return "put a colon after the key: " + word + ": " + rest
}

// nameOr returns a value if it can be a name, else an example of one.
func nameOr(value, example string) string {
	if isIdentifier(value) {
		return value
	}
	return example
}
