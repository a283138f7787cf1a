package spec

import "regexp"

// slips are mistakes in values that come from other languages or editors. The first submatch of each form is the value that was
// meant, and the second is other text to keep.
var slips = []struct {
	form *regexp.Regexp
	why  string
	help string // of the submatches
}{
	{regexp.MustCompile(`^[“”„«‘’](.*?)[“”»’‘]?$`), "is in typographic quotes, which are letters to YAML", `write "$1"`},
	{regexp.MustCompile(`^(.*[^,\s])\s*,$`), "ends with a comma", "remove the comma: $1"},
	{regexp.MustCompile(`^(.*[^;\s])\s*;$`), "ends with a semicolon", "remove the semicolon: $1"},
	{regexp.MustCompile(`^(\S+)\s+//\s*(.*)$`), "holds a comment of Go", "write $1 # $2"},
	{regexp.MustCompile(`^(\S+?)#\s+(.*)$`), "holds a # that begins no comment, as no space stands before it", "write $1 # $2"},
}

// slip reports such a value, and returns the value that was meant.
func (r *reader) slip(n *node, key string) string {
	if !n.plain || key == "doc" {
		return n.value
	}
	for _, s := range slips {
		if m := s.form.FindStringSubmatchIndex(n.value); m != nil {
			r.fail(codeSyntax, n, string(s.form.ExpandString(nil, s.help, n.value, m)), "%s %s %s", key, quote(n.value), s.why)
			return n.value[m[2]:m[3]]
		}
	}
	return n.value
}
