package specialize

import "strings"

// tidy drops blank lines at the start and end of blocks, and empty lines at the start and end of comments, which deletions leave behind. The formatter
// joins runs of blank lines. Templates have no raw strings over several lines, so tidy can look at one line at a time.
func tidy(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	last := "" // line written last
	for at := 0; at <= len(text); {
		end := lineEnd(text, at)
		line := text[at:end]
		next := end + 1
		rest := text[min(next, len(text)):]
		keep := true
		switch strings.TrimSpace(line) {
		case "":
			keep = b.Len() > 0 && !opens(last) && !closes(rest)
		case "//":
			keep = comments(last) && !empty(last) && continues(rest)
		}
		if keep {
			b.WriteString(line)
			if end < len(text) {
				b.WriteByte('\n')
			}
			last = line
		}
		at = next
	}
	return b.String()
}

// opens reports whether a line opens a block.
func opens(line string) bool {
	line = strings.TrimRight(line, " \t")
	if !strings.HasSuffix(line, "{") && !strings.HasSuffix(line, "(") {
		return false
	}
	return !strings.HasPrefix(strings.TrimLeft(line, " \t"), "//")
}

// closes reports whether the next line that is not blank closes a block.
func closes(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && (text[0] == '}' || text[0] == ')')
}

// comments reports whether a line is one of a comment.
func comments(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "//") }

// empty reports whether a line is one of a comment, without text.
func empty(line string) bool { return strings.TrimSpace(line) == "//" }

// continues reports whether a comment has text in the lines that follow.
func continues(text string) bool {
	for line := range strings.Lines(text) {
		if !empty(line) {
			return comments(line)
		}
	}
	return false
}
