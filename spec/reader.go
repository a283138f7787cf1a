package spec

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// reader converts values of a pool file to Go values, and reports those that it cannot convert.
type reader struct {
	src   *source
	who   string // the beginning of messages, which names the owner of the value: `pool "Vertex": `
	found *[]*Diagnostic
}

// quote quotes the user's text, shortened if it is long.
func quote(text string) string {
	if r := []rune(text); len(r) > 60 {
		text = string(r[:60]) + "…"
	}
	return strconv.Quote(text)
}

// fail reports a finding about n.
func (r *reader) fail(code Code, n *node, help, format string, args ...any) *Diagnostic {
	d := r.src.finding(code, n.pos, n.end, r.who+fmt.Sprintf(format, args...))
	d.Help = help
	*r.found = append(*r.found, d)
	return d
}

// noteAt adds a second place to a finding.
func (r *reader) noteAt(d *Diagnostic, n *node, message string) {
	d.Notes = append(d.Notes, r.src.note(n.pos, n.end, message))
}

// scalar returns the text of a single value.
func (r *reader) scalar(n *node, key string) (string, bool) {
	switch {
	case n.told():
		return "", false
	case n.null:
		help := "write a value after the colon, or remove the line"
		if valueOfComment.MatchString(r.src.line(n.pos.Line)) {
			help = "put quotes around a value that begins with #, which begins a comment without them"
		}
		r.fail(codeKind, n, help, "%s has no value", key)
		return "", false
	case n.kind != scalarNode:
		r.fail(codeKind, n, oneValue(n, key), "%s is a single value, and this is %s", key, n.kind)
		return "", false
	}
	return r.slip(n, key), true
}

// valueOfComment matches a line whose value seems to begin with #.
var valueOfComment = regexp.MustCompile(`:\s+#\S`)

// list returns the items of a list.
func (r *reader) list(n *node, key, example string) ([]*node, bool) {
	switch {
	case n.told():
		return nil, false
	case n.null:
		r.fail(codeKind, n, "write "+key+": "+example+", or remove the line", "%s has no value", key)
		return nil, false
	case n.kind != listNode:
		r.fail(codeKind, n, listHelp(n, key, example), "%s is a list, and this is %s", key, n.kind)
		return nil, false
	}
	return n.items, true
}

// size reads a size within the bounds of its key. The word none, if the key allows it, is NoLimit.
func (r *reader) size(n *node, k *Key) (int64, bool) {
	text, ok := r.scalar(n, k.Name)
	if !ok {
		return 0, false
	}
	if text == "none" && k.None {
		return NoLimit, true
	}
	v, bad := parseSize(text)
	switch {
	case text == "none":
		r.fail(codeSize, n, "write a size (64KiB)", "%s cannot be none", k.Name)
	case bad != nil:
		help := bad.help
		switch {
		case bad.why == negative && k.None, slices.Contains(withoutBound, strings.ToLower(text)) && k.None:
			help = "write none for no bound, or a size such as 64MiB"
		case bad.why == negative || bad.why == tooLarge:
			help = k.otherwise() + help
		}
		r.fail(codeSize, n, help, "%s %s %s", k.Name, quote(text), bad.why)
	case v < k.Min:
		r.fail(codeSize, n, k.otherwise()+"write a larger size", "%s %s is below the smallest, %s", k.Name, FormatSize(v), FormatSize(k.Min))
	case k.Max > 0 && v > k.Max:
		r.fail(codeSize, n, "write a smaller size", "%s %s is above the largest, %s", k.Name, FormatSize(v), FormatSize(k.Max))
	default:
		return v, true
	}
	return 0, false
}

// number reads a whole number within the bounds of its key. The word none, if the key allows it, is NoLimit.
func (r *reader) number(n *node, k *Key) (int64, bool) {
	text, ok := r.scalar(n, k.Name)
	if !ok {
		return 0, false
	}
	if text == "none" && k.None {
		return NoLimit, true
	}
	v, err := strconv.ParseInt(text, 10, 64)
	highest := k.Max
	if highest == 0 {
		highest = maxSize
	}
	canonical := err == nil && strconv.FormatInt(v, 10) == text
	switch {
	case canonical && (v < k.Min || v > highest):
		r.fail(codeNumber, n, fmt.Sprintf("write a number from %d to %d", k.Min, highest), "%s %d is out of range", k.Name, v)
	case canonical && !n.plain:
		r.fail(codeNumber, n, "write "+text+", without quotes", "%s is a number, and %s in quotes is text", k.Name, text)
		return v, true
	case !canonical:
		r.fail(codeNumber, n, fmt.Sprintf("write a number from %d to %d, without quotes, units or leading zeros", k.Min, highest),
			"%s %s is not a whole number", k.Name, quote(text))
	default:
		return v, true
	}
	return 0, false
}

// boolean reads true or false.
func (r *reader) boolean(n *node, k *Key) (value, ok bool) {
	text, ok := r.scalar(n, k.Name)
	if !ok {
		return false, false
	}
	if text == "true" || text == "false" {
		if !n.plain {
			r.fail(codeNumber, n, "write "+text+", without quotes", "%s is true or false, and %s in quotes is text", k.Name, text)
		}
		return text == "true", true
	}
	help := "write true or false"
	switch strings.ToLower(text) {
	case "yes", "on", "y", "1", "true", "enabled":
		help = "write true"
	case "no", "off", "n", "0", "false", "disabled":
		help = "write false"
	}
	r.fail(codeNumber, n, help, "%s %s is neither true nor false", k.Name, quote(text))
	return false, false
}

// choice reads one of the words of a key.
func (r *reader) choice(n *node, k *Key) (string, bool) {
	text, ok := r.scalar(n, k.Name)
	if !ok {
		return "", false
	}
	if slices.Contains(k.Values, text) {
		return text, true
	}
	r.fail(codeUnknownValue, n, choiceHelp(k, text), "%s %s is not known", k.Name, quote(text))
	return "", false
}

// block returns the values of a block of keys, by key. It reports unknown keys. ok is false if n is not a block.
func (r *reader) block(n *node, section Section, key string) (values map[string]*node, ok bool) {
	switch {
	case n.told():
		return nil, false
	case n.null:
		r.fail(codeKind, n, "write keys below, indented, or remove the line", "%s has no value", key)
		return nil, false
	case n.kind != mapNode:
		r.fail(codeKind, n, blockHelp(n, section, key), "%s is a block of keys, and this is %s", key, n.kind)
		return nil, false
	}
	values = make(map[string]*node)
	var unknown []pair
	for _, p := range n.pairs {
		switch name := p.key.value; {
		case p.key.kind != scalarNode || p.key.plain && !p.key.text || values[name] != nil: // reported when the file was read
		case keyNamed(section, name) == nil:
			unknown = append(unknown, p)
		default:
			values[name] = p.value
		}
	}
	for _, p := range unknown {
		if meant, value := r.unknownKey(section, p, values); meant != "" && values[meant] == nil {
			guess := *value
			guess.guessed = true
			values[meant] = &guess
		}
	}
	return values, true
}
