package docs

import (
	"regexp"
	"strings"
)

// command is one command line of a page.
type command struct {
	page  *page
	line  int
	dir   string // where it runs, from the root of the module
	words []string
}

// programs are the first words that identify a block, or a span of code, as commands. The value says why commands of other projects are not judged.
var programs = map[string]string{
	"go": "", "poolgen": "", "bench": "", ".ci/run": "",
	"git": "not ours", "cd": "not ours", "apt-get": "not ours", "nsys": "not ours", "curl": "not ours", "python3": "not ours", "docker": "not ours", "chromium": "not ours", "diff": "not ours",
}

var (
	setting   = regexp.MustCompile(`^[A-Z_]+=\S*$`)
	shellWord = regexp.MustCompile(`'[^']*'|"[^"]*"|\$\([^)]*\)|&&|\|\||[|;&<>]+|(?:[^\s'"|;&<>$]|\$(?:[^(]|$))+`)
)

// commandsOf lists the commands of a block: its lines without comments, with continuation lines joined. If the block also shows output, commands
// follow a dollar. A block that does not begin with a program has none.
func commandsOf(b *block) []command {
	if b.language != "" && b.language != "sh" && b.language != "console" {
		return nil
	}
	var out []command
	prompt := strings.HasPrefix(b.text, "$ ")
	for i, line := range strings.Split(b.text, "\n") {
		shown := strings.HasPrefix(line, "$ ")
		if prompt && !shown || strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parsed := parse(b.page, b.line+i, strings.TrimPrefix(line, "$ "))
		if len(parsed) == 0 {
			return nil
		}
		out = append(out, parsed...)
	}
	return out
}

// parse splits a line of the shell; it returns nil if the line does not begin with a program in programs.
func parse(p *page, line int, text string) []command {
	if i := strings.Index(text, " #"); i >= 0 {
		text = text[:i]
	}
	c := command{page: p, line: line, dir: p.example()}
	var out []command
	flush := func() bool {
		for len(c.words) > 0 && setting.MatchString(c.words[0]) {
			c.words = c.words[1:]
		}
		if len(c.words) > 3 && c.words[0] == "taskset" {
			c.words = c.words[3:]
		}
		if len(c.words) == 0 {
			return true
		}
		c.words[0] = strings.TrimPrefix(c.words[0], "./")
		if _, known := programs[c.words[0]]; !known {
			return false
		}
		out = append(out, c)
		c.words = nil
		return true
	}
	redirected := false
	for _, w := range shellWord.FindAllString(text, -1) {
		switch {
		case strings.ContainsAny(w[:1], "&|;"):
			if !flush() {
				return nil
			}
			redirected = false
		case strings.ContainsAny(w[:1], "<>"):
			redirected = true
		case redirected:
			redirected = false
		default:
			c.words = append(c.words, strings.Trim(w, `'"`))
		}
	}
	if !flush() {
		return nil
	}
	return out
}
