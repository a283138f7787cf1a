package docs

import (
	"fmt"
	"strings"

	"github.com/poolgen/poolgen/spec"
)

// kinds say how values of a kind are written.
var kinds = map[spec.Kind]string{
	spec.TextKind: "text", spec.NameKind: "a name", spec.TypeKind: "a Go type", spec.SizeKind: "a size", spec.NumberKind: "a number",
	spec.BoolKind: "`true` or `false`", spec.DurationKind: "a duration",
}

// mixed describes the values of keys that have several forms.
var mixed = map[string]string{
	"imports":      "a block of qualifiers and import paths",
	"defaults":     "a block of the keys of a pool",
	"device":       "`current`, `each`, or the number of a device",
	"pinned_flags": "`portable`, `mapped`, `write_combined`, or a list of them",
	"lookup":       "`address`, `index`, `handle`, or a list of them",
	"bins":         "a list of sizes, or a block `{min, max, growth or per_doubling}`",
	"budgets":      "a list of blocks",
	"pools":        "a list of blocks",
	"peers":        "`where_possible`, or a list of numbers of devices",
}

// form describes how the value of a key is written, and its bounds.
func form(k spec.Key) string {
	if text := mixed[k.Name]; text != "" {
		return text
	}
	switch k.Kind {
	case spec.ChoiceKind:
		return "`" + strings.Join(k.Values, "` `") + "`"
	case spec.MixedKind:
		return "`" + strings.Join(k.Values, "` `") + "`, or a list of them"
	case spec.ListKind:
		return "a list of `" + strings.Join(k.Values, "` `") + "`"
	case spec.BlockKind:
		if k.None {
			return "`none`, or a block of the keys below"
		}
		return "a block of the keys below"
	}
	text := kinds[k.Kind]
	show := func(n int64) string { return fmt.Sprint(n) }
	if k.Kind == spec.SizeKind {
		show = spec.FormatSize
	}
	switch {
	case k.Max > 0 && k.Min == k.Max:
		text = show(k.Min)
	case k.Max > 0:
		text += fmt.Sprintf(" from %s to %s", show(k.Min), show(k.Max))
	case k.Min > 0:
		text += ", " + show(k.Min) + " or more"
	}
	if k.None {
		text += ", or `none`"
	}
	return text
}

// standard describes the default of a key.
func standard(k spec.Key) string {
	if k.Default == "" || strings.Contains(k.Default, " ") && !strings.HasPrefix(k.Default, "[") {
		return k.Default
	}
	return "`" + k.Default + "`"
}

// applies says which pools may set a key.
func applies(k spec.Key) string {
	if text := k.Applies(); text != "" {
		return text
	}
	return "all pools"
}

// example is a line of a pool file.
func example(k spec.Key) string { return k.Name + ": " + k.Example }

// cell makes a text one cell of a table.
func cell(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "|", `\|`), "\n", " ")
}

// wordList lists the meanings of words, for keys that have no section of their own.
func wordList(k spec.Key) string {
	var out strings.Builder
	for _, w := range k.Words() {
		fmt.Fprintf(&out, " `%s`: %s.", w.Word, w.Meaning)
	}
	return out.String()
}
