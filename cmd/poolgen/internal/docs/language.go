package docs

import (
	_ "embed"
	"fmt"
	"strings"
	"text/template"

	"github.com/poolgen/poolgen/spec"
)

//go:embed language.tmpl
var languageText string

// Language is the page docs/language.md: the reference of pool files.
func Language() ([]byte, error) {
	t, err := template.New("language").Funcs(template.FuncMap{
		"keys":         func(section string) string { return keyTable(spec.Section(section)) },
		"sectionNotes": func(key string) string { return "**" + key + "**: " + notes["file."+key] },
		"index":        index,
		"groups":       groupsText,
		"rules":        rulesTable,
	}).Parse(languageText)
	if err != nil {
		return nil, err
	}
	var out strings.Builder
	if err := t.Execute(&out, nil); err != nil {
		return nil, err
	}
	return []byte(strings.TrimRight(out.String(), "\n") + "\n"), nil
}

// keyTable lists the keys of a section that have no headings of their own.
func keyTable(section spec.Section) string {
	var out strings.Builder
	out.WriteString("| key | value | default | |\n|---|---|---|---|\n")
	for _, k := range spec.Keys(section) {
		meaning := k.Doc + wordList(k)
		if note := notes[string(section)+"."+k.Name]; note != "" && section != spec.FileSection {
			meaning += " " + note
		}
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s <br> `%s` |\n", k.Name, cell(form(k)), cell(standard(k)), cell(meaning), cell(example(k)))
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// index lists all keys of a pool on one line each, with links to their sections.
func index() string {
	var out strings.Builder
	out.WriteString("All of them except `name` may be set in `defaults`.\n\n| | |\n|---|---|\n")
	for _, g := range groups {
		var links []string
		for _, name := range g.keys {
			links = append(links, fmt.Sprintf("[`%s`](#%s)", name, name))
		}
		fmt.Fprintf(&out, "| %s | %s |\n", g.title, strings.Join(links, " "))
	}
	return out.String()
}

// groupsText returns a section for each key, in the order of the groups.
func groupsText() string {
	keys := make(map[string]spec.Key)
	for _, k := range spec.Keys(spec.PoolSection) {
		keys[k.Name] = k
	}
	var out strings.Builder
	for _, g := range groups {
		fmt.Fprintf(&out, "### %s\n\n", g.title)
		for _, name := range g.keys {
			out.WriteString(section(keys[name]))
		}
	}
	return out.String()
}

// section describes one key of a pool.
func section(k spec.Key) string {
	var out strings.Builder
	fmt.Fprintf(&out, "#### `%s`\n\n%s\n\n", k.Name, k.Doc)
	out.WriteString("| | |\n|---|---|\n")
	fmt.Fprintf(&out, "| value | %s |\n", cell(form(k)))
	if text := standard(k); text != "" {
		fmt.Fprintf(&out, "| default | %s |\n", cell(text))
	}
	fmt.Fprintf(&out, "| applies to | %s |\n", cell(applies(k)))
	fmt.Fprintf(&out, "| example | `%s` |\n", cell(example(k)))
	if meanings := k.Words(); meanings != nil {
		out.WriteString("\n| | |\n|---|---|\n")
		for _, w := range meanings {
			fmt.Fprintf(&out, "| `%s` | %s |\n", w.Word, cell(w.Meaning))
		}
	}
	if k.Kind == spec.BlockKind || k.Name == "bins" {
		out.WriteString("\n" + keyTable(spec.Section(k.Name)) + "\n")
	}
	if k.Name == "driver_pool" {
		out.WriteString("\nThe keys of `reuse`:\n\n" + keyTable(spec.ReuseSection) + "\n")
	}
	if note := notes["pools."+k.Name]; note != "" {
		out.WriteString("\n" + note + "\n")
	}
	out.WriteByte('\n')
	return out.String()
}

// rulesTable lists the diagnostics of pool files.
func rulesTable() string {
	var out strings.Builder
	out.WriteString("| code | rule |\n|---|---|\n")
	for _, info := range spec.Codes() {
		if !info.Vet {
			fmt.Fprintf(&out, "| %s | %s |\n", info.Code, cell(info.Title))
		}
	}
	return strings.TrimSuffix(out.String(), "\n")
}
