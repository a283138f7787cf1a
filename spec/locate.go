package spec

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// locate finds the place of a syntax error. The YAML library often names the line where the enclosing construct began. This scanner therefore reads
// the file again, as people do: by indentation, keys, quotes and brackets. It is only used on files that the library refused, so an error that it
// would see in a valid file does no harm. Time is linear in the size of the file.
func locate(s *source, fail *yamlError) *Diagnostic {
	if name, ok := strings.CutPrefix(fail.message, "unknown anchor '"); ok {
		name, _, _ = strings.Cut(name, "'")
		if d := findAlias(s, name); d != nil {
			return d
		}
	}
	if d := findConflict(s); d != nil {
		return d
	}
	c := &scanner{src: s}
	for c.line < len(s.lines) && c.found == nil {
		c.scanLine()
	}
	if c.found != nil {
		return c.found
	}
	if d := findDirective(s); d != nil {
		return d
	}
	pos := Position{max(fail.line, 1), 1}
	text := s.line(pos.Line)
	pos.Column += len(text) - len(strings.TrimLeft(text, " "))
	d := s.finding(codeSyntax, pos, endOfLine(pos, text), "the file is not valid YAML near this line: "+inPlainWords(fail.message))
	d.Help = "look for a missing colon, quote or bracket, or for another indentation, here and just above"
	return d
}

// inPlainWords translates a message of the YAML library into plain words.
func inPlainWords(message string) string {
	for _, term := range []struct{ jargon, plain string }{
		{"mapping values are not allowed", "a key stands where none can be"},
		{"block sequence entries are not allowed", "a dash stands where no list can be"},
		{"block collection", "a line belongs to no block"},
		{"did not find expected key", "a line belongs to no block"},
		{"did not find expected '-'", "a line among the dashes of a list has none"},
		{"expected ','", "a comma or a closing bracket is missing"},
		{"could not find expected ':'", "a key has no colon"},
		{"cannot start any token", "a value begins with a character that needs quotes"},
		{"node content", "a value is missing"},
	} {
		if strings.Contains(message, term.jargon) {
			return term.plain
		}
	}
	return message
}

// findAlias points at the alias whose anchor is missing.
func findAlias(s *source, name string) *Diagnostic {
	for i, line := range s.lines {
		at := strings.Index(line, "*"+name)
		if at < 0 || strings.Contains(line[:at], "#") {
			continue
		}
		pos := Position{i + 1, 1 + utf8.RuneCountInString(line[:at])}
		end := Position{pos.Line, pos.Column + 1 + utf8.RuneCountInString(name)}
		if key := strings.TrimRight(line[:at], " "); strings.HasSuffix(key, "item:") { // a Go pointer
			_, bad := parseItem("*" + name)
			d := s.finding(bad.code, pos, end, "item "+quote("*"+name)+" "+bad.why)
			d.Help = bad.help
			return d
		}
		return aliasFinding(s, pos, end)
	}
	return nil
}

// findConflict points at the first mark that a version control system left in the file.
func findConflict(s *source) *Diagnostic {
	return s.findLine(func(_ int, line string) bool { return strings.HasPrefix(line, "<<<<<<< ") },
		"the file holds a merge conflict that nobody has resolved",
		"keep one of the two sides, and remove the lines that begin with <<<<<<<, ======= and >>>>>>>")
}

// directive matches a directive that pool files may have, and the line below it.
var directive = regexp.MustCompile(`^%(YAML[ \t]+1\.[12]|TAG)\b.*\n(---|%TAG)`)

// findDirective points at the first line that begins as directives do and is none that pool files may have.
func findDirective(s *source) *Diagnostic {
	return s.findLine(func(i int, line string) bool {
		return strings.HasPrefix(line, "%") && !directive.MatchString(line+"\n"+s.line(i+2))
	}, "this line is a directive of YAML, and a pool file needs none",
		"remove it; the first line may be %YAML 1.1 or %YAML 1.2, if the next one is ---")
}

// findLine points at the first line that is wrong, if there is one.
func (s *source) findLine(wrong func(i int, line string) bool, message, help string) *Diagnostic {
	for i, line := range s.lines {
		if wrong(i, line) {
			pos := Position{i + 1, 1}
			d := s.finding(codeSyntax, pos, endOfLine(pos, line), message)
			d.Help = help
			return d
		}
	}
	return nil
}
