package spec

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// The names of directories that the go command accepts in import paths, as golang.org/x/mod/module.CheckImportPath has them.

// pathRune reports whether a character may be part of an import path.
func pathRune(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-._~+", r)
}

// windowsNames are devices of Windows: no file or directory can have their names, with or without an extension.
var windowsNames = strings.Fields("con prn aux nul com1 com2 com3 com4 com5 com6 com7 com8 com9 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9")

// badElement says why the go command refuses a directory name in an import path; "" if it does not.
func badElement(name string) string {
	stem, _, _ := strings.Cut(name, ".")
	short := strings.TrimRight(stem, "0123456789")
	bad := strings.IndexFunc(name, func(r rune) bool { return !pathRune(r) })
	switch {
	case name == "":
		return "is empty"
	case bad >= 0:
		return fmt.Sprintf("holds the character %q", []rune(name[bad:])[0])
	case strings.HasSuffix(name, "."):
		return "ends with a dot"
	case slices.Contains(windowsNames, strings.ToLower(stem)):
		return "is reserved on Windows"
	case len(short) < len(stem) && strings.HasSuffix(short, "~"):
		return "ends like a short name on Windows"
	}
	return ""
}

// badDirectory says why the go command cannot build a package whose directory, or a parent of it, has this name; "" if it can.
func badDirectory(name string) string {
	switch why := badElement(name); {
	case why != "":
		return why
	case strings.ContainsAny(name[:1], "-~+"):
		return fmt.Sprintf("begins with %q", name[0])
	case name == "vendor":
		return "is for copies of other modules"
	}
	return ""
}

// firstBad returns the first directory of a path that a function finds fault with, and the fault.
func firstBad(path string, fault func(string) string) (name, why string) {
	for name := range strings.SplitSeq(path, "/") {
		if why := fault(name); why != "" {
			return name, why
		}
	}
	return "", ""
}

// Unmatched returns the first directory in a path that patterns such as ./... do not match, nor anything below it; "" if there is none.
func Unmatched(path string) string {
	for name := range strings.SplitSeq(path, "/") {
		if name == "testdata" || len(name) > 1 && name != ".." && strings.ContainsAny(name[:1], "._") {
			return name
		}
	}
	return ""
}

// pathHelp proposes an output in the place of one that has a bad directory.
func pathHelp(path string) string {
	var names []string
	for name := range strings.SplitSeq(path, "/") {
		if badDirectory(name) != "" {
			name = strings.Trim(strings.Map(plainRune, name), "-._")
			if badDirectory(name) != "" {
				name += "_pools"
			}
		}
		if badDirectory(name) != "" {
			return "use directories of letters, digits and the characters - . _"
		}
		names = append(names, name)
	}
	return "write output: " + strings.Join(names, "/")
}

// plainRune returns the characters that are safe in any directory name, and an underscore for others of ASCII.
func plainRune(r rune) rune {
	if r > unicode.MaxASCII || pathRune(r) && r != '~' && r != '+' {
		return r
	}
	return '_'
}
