package spec

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Schema returns a JSON Schema (draft 2020-12) of pool files, made from the table of keys. Editors use it for completion
// and checks; validation checks rules over several keys.
func Schema() []byte {
	file := sectionSchema(FileSection)
	file["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	file["title"] = "poolgen pool file"
	file["required"] = []string{"version", "pools"}
	properties := file["properties"].(map[string]any)
	pool := sectionSchema(PoolSection)
	pool["required"] = []string{"name"}
	budget := sectionSchema(BudgetSection)
	budget["required"] = []string{"name", "limit"}
	inherited := map[string]any{}
	for name := range pool["properties"].(map[string]any) {
		if name != "name" {
			inherited[name] = map[string]any{"$ref": "#/properties/pools/items/properties/" + name}
		}
	}
	defaults := map[string]any{"type": "object", "additionalProperties": false, "properties": inherited}
	file["$defs"] = map[string]any{
		sizeRef:     sizeSchema(""),
		sizeNoneRef: sizeSchema("|^none$"),
		durationRef: map[string]any{"anyOf": []any{
			map[string]any{"const": 0},
			map[string]any{"type": "string", "pattern": durationPattern, "patternErrorMessage": "not a duration: " + durationGrammar},
		}},
	}
	shape(properties["pools"], map[string]any{"type": "array", "minItems": 1, "items": pool})
	shape(properties["budgets"], map[string]any{"type": "array", "items": budget})
	shape(properties["defaults"], defaults)
	shape(properties["imports"], map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "string"}})
	out, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		panic(err) // strings, numbers and maps always encode
	}
	return append(short.ReplaceAllFunc(out, func(lines []byte) []byte { return gaps.ReplaceAll(lines, []byte(" ")) }), '\n')
}

// Lists of words and references take a line each.
var (
	short = regexp.MustCompile(`"(enum|required)": \[[^]]*\]|\{\s*"\$ref": "[^"]*"\s*\}`)
	gaps  = regexp.MustCompile(`\s+`)
)

// Names of forms that many keys share.
const (
	sizeRef     = "size"
	sizeNoneRef = "size_or_none"
	durationRef = "duration"
)

func ref(name string) map[string]any { return map[string]any{"$ref": "#/$defs/" + name} }

// sectionSchema describes a block of keys.
func sectionSchema(section Section) map[string]any {
	properties := make(map[string]any)
	for _, k := range Keys(section) {
		s := k.schema()
		s["description"] = k.describe()
		properties[k.Name] = s
	}
	return map[string]any{"type": "object", "additionalProperties": false, "properties": properties}
}

// shape adds the form of a value to its description.
func shape(property any, form map[string]any) {
	for name, value := range form {
		property.(map[string]any)[name] = value
	}
}

// describe returns the documentation of a key in one paragraph.
func (k *Key) describe() string {
	text := k.Doc
	if k.Default != "" {
		text += " Default: " + k.Default + "."
	}
	if where := k.Applies(); where != "" {
		text += " Where: " + where + "."
	}
	return text
}

// sizePattern is the grammar of sizes as a regular expression.
const sizePattern = `^(0|[1-9][0-9]*)$|^(0|[1-9][0-9]*)(\.[0-9]+)?(B|[KMGT]B|[KMGT]iB)$`

// durationPattern is the grammar of durations as a regular expression.
const durationPattern = `^(\+?(([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+|[+-]?0)$`

// sizeSchema describes sizes, and what else is legal. Editors show the text for what the pattern does not match, which is that of the reader.
func sizeSchema(also string) map[string]any {
	return map[string]any{"anyOf": []any{
		map[string]any{"type": "integer", "minimum": 0},
		map[string]any{"type": "string", "pattern": sizePattern + also, "patternErrorMessage": "not a size: " + sizeGrammar},
	}}
}

// schema returns the schema of a key's value.
func (k *Key) schema() map[string]any {
	switch k.Kind {
	case SizeKind:
		if k.None {
			return ref(sizeNoneRef)
		}
		return ref(sizeRef)
	case DurationKind:
		return ref(durationRef)
	case NumberKind:
		number := map[string]any{"type": "integer", "minimum": k.Min}
		if k.Max > 0 {
			number["maximum"] = k.Max
		}
		if k.None {
			return map[string]any{"anyOf": []any{number, map[string]any{"const": "none"}}}
		}
		return number
	case BoolKind:
		return map[string]any{"type": "boolean"}
	case ChoiceKind:
		return k.choices(k.Values)
	case BlockKind:
		return blockSchema(k)
	case ListKind:
		return listSchema(k)
	case MixedKind:
		return mixedSchema(k)
	}
	return map[string]any{"type": "string"}
}

// blockSchema returns the schema of a block of keys.
func blockSchema(k *Key) map[string]any {
	block := sectionSchema(Section(k.Name))
	if k.None {
		return map[string]any{"anyOf": []any{block, map[string]any{"const": "none"}}}
	}
	return block
}

// choices returns the schema of some words of the key, with their meanings. A word that is a number or a truth value in YAML is legal as such.
func (k *Key) choices(words []string) map[string]any {
	meanings := map[string]string{}
	for _, w := range k.Words() {
		meanings[w.Word] = plainText(w.Meaning)
	}
	var values, texts []any
	for _, w := range words {
		var value any
		if json.Unmarshal([]byte(w), &value) == nil {
			values, texts = append(values, value), append(texts, meanings[w])
		}
		values, texts = append(values, w), append(texts, meanings[w])
	}
	if len(meanings) == 0 {
		return map[string]any{"enum": values}
	}
	return map[string]any{"enum": values, "enumDescriptions": texts}
}

var link = regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`)

// plainText is Markdown without its marks.
func plainText(text string) string {
	return strings.ReplaceAll(link.ReplaceAllString(text, "$1"), "`", "")
}

func listSchema(k *Key) map[string]any {
	item := map[string]any{"type": "integer", "minimum": 0, "maximum": k.Max}
	if k.Values != nil {
		item = k.choices(k.Values)
	}
	for i, word := range k.Values {
		if strings.HasPrefix(word, "pool:") {
			words := append(append([]string(nil), k.Values[:i]...), k.Values[i+1:]...)
			item = map[string]any{"anyOf": []any{k.choices(words), map[string]any{"type": "string", "pattern": "^pool:"}}}
		}
	}
	return map[string]any{"type": "array", "items": item}
}

// allocatorSchema describes one allocator, or a list of those with the same blocks.
func allocatorSchema(k *Key) map[string]any {
	forms, seen := []any{k.choices(k.Values)}, map[Memory]bool{}
	for _, a := range Allocators() {
		if group := interchangeable(a); len(group) > 0 && !seen[a.Memory()] {
			seen[a.Memory()] = true
			items := k.choices(names(append([]Allocator{a}, group...)...))
			forms = append(forms, map[string]any{"type": "array", "minItems": 2, "uniqueItems": true, "items": items})
		}
	}
	return map[string]any{"anyOf": forms}
}

// mixedSchema describes the keys with several forms. Those of the file get theirs in [Schema].
func mixedSchema(k *Key) map[string]any {
	switch k.Name {
	case "allocator":
		return allocatorSchema(k)
	case "device":
		return map[string]any{"anyOf": []any{k.choices(k.Values), map[string]any{"type": "integer", "minimum": 0, "maximum": k.Max}}}
	case "peers":
		number := map[string]any{"type": "integer", "minimum": 0, "maximum": k.Max}
		return map[string]any{"anyOf": []any{k.choices(k.Values), map[string]any{"type": "array", "uniqueItems": true, "items": number}}}
	case "pinned_flags", "lookup":
		return map[string]any{"anyOf": []any{k.choices(k.Values), listSchema(k)}}
	case "bins":
		block := sectionSchema(BinsSection)
		block["required"] = []string{"min", "max"}
		list := map[string]any{"type": "array", "minItems": 1, "maxItems": maxBins, "items": ref(sizeRef)}
		return map[string]any{"anyOf": []any{list, block}}
	}
	return make(map[string]any)
}
