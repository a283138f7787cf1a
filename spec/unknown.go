package spec

import (
	"fmt"
	"slices"
	"strings"
)

// unknownKey reports a key that the section does not have. It returns the key that was meant, and the value for it, if that is
// certain enough to continue with them: one mistake should be one finding.
func (r *reader) unknownKey(section Section, p pair, values map[string]*node) (meant string, value *node) {
	word := p.key.value
	report := func(help string) {
		r.fail(codeUnknownKey, p.key, help, "unknown key %s", quote(word))
	}
	name, rest, joined := strings.Cut(word, ":")
	nested := nestedKey(section, word)
	guess := nearest(word, keyNames(section))
	habit := keyHabits[snake(word)]
	switch {
	case p.value.null && listOf(section, word, values) != "":
		list := listOf(section, word, values)
		report("a list takes brackets: " + list + ": [" + values[list].value + ", " + word + "]")
		return "", nil
	case joined && p.key.plain && rest != "" && keyNamed(section, name) != nil && p.value.null:
		report("put a space after the colon: " + name + ": " + rest)
		return name, p.key.part(len(name)+1, rest)
	case nested != nil && values[string(nested.Section)] != nil && values[string(nested.Section)].null:
		owner := string(nested.Section)
		r.fail(codeUnknownKey, p.key, fmt.Sprintf("indent it by %d", p.key.pos.Column+1), "%s is not indented below %s, whose key it is", word, owner)
		delete(values, owner) // that key has no value for this reason
		return "", nil
	case section == PoolSection && habit == "block_size" && !cutsFixed(values):
		report("did you mean limit or chunk_size? block_size is for suballocator fixed")
		return "", nil
	case section == PoolSection && habit != "" && (guess == "" || guess != strings.ToLower(word)):
		help := "did you mean " + habit + "?"
		if nested != nil {
			help += " " + word + " is a key of " + string(nested.Section)
		}
		report(help)
		if kind := keyNamed(section, habit).Kind; kind == TypeKind || kind == SizeKind || kind == TextKind {
			return habit, p.value
		}
		return "", nil
	case nested != nil:
		report("write it below " + string(nested.Section) + ": {" + word + ": " + nested.Example + "}")
		return "", nil
	}
	if home := elsewhere(section, word); home != "" && (guess == "" || distance(word, guess) > 1) {
		report(home)
		return "", nil
	}
	report(didYouMean(word, keyNames(section)))
	return guess, p.value
}

// cutsFixed reports whether the keys of a pool ask for blocks of one size.
func cutsFixed(values map[string]*node) bool {
	if s := values["suballocator"]; s != nil {
		return Suballocator(s.value).Info().OneSize
	}
	return values["item"] != nil
}

// listOf returns the key of the section that has a single value so far and takes a list with the given word in it; "" if there is none.
func listOf(section Section, word string, values map[string]*node) string {
	for _, name := range keyNames(section) {
		k, n := keyNamed(section, name), values[name]
		if k.Kind != ListKind && k.Kind != MixedKind || n == nil || n.kind != scalarNode || n.value == word {
			continue
		}
		if slices.Contains(k.Values, word) && slices.Contains(k.Values, n.value) {
			return name
		}
	}
	return ""
}

// nestedKey finds a key inside the value of another key, for a word that is beside that key.
func nestedKey(section Section, word string) *Key {
	for i := range nestedKeys {
		if k := &nestedKeys[i]; k.Name == word && section == PoolSection {
			return k
		}
	}
	return nil
}

// elsewhere says where a key that the section does not have belongs; "" if nowhere.
func elsewhere(section Section, word string) string {
	switch {
	case section == FileSection && keyNamed(PoolSection, word) != nil:
		return "it is a key of a pool: write it below one, or below defaults"
	case section == PoolSection && keyNamed(FileSection, word) != nil:
		return "it is a key of the file: write it at the top, without indentation"
	case section != FileSection && section != PoolSection && section != BudgetSection && keyNamed(PoolSection, word) != nil:
		return "it is a key of the pool: indent it like " + string(section)
	}
	return ""
}

// part returns the text from a byte of a plain scalar on, as a scalar of its own.
func (n *node) part(at int, text string) *node {
	pos := Position{n.pos.Line, n.pos.Column + len([]rune(n.value[:at]))}
	return &node{value: text, plain: true, text: true, pos: pos, end: n.end}
}
