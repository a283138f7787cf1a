// Package cgroup reads the limits that Linux sets for the memory of a process and of those in its control group: those of version 2, and of version 1.
package cgroup

import (
	"bufio"
	"bytes"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"
)

// Level is a control group with a limit: that of the process, or one above it.
type Level struct {
	Limit int64 // bytes: the lower one of what ends programs, and of what slows them down
	Used  int64 // bytes in use, without the part of the page cache that goes first
}

// Group is the control group of this process. The zero value has no limits.
type Group struct {
	files fs.FS
	dirs  []string // of the group itself, then of those above it
	names names
}

// names are the names of the files of a version.
type names struct {
	limits []string
	used   string
	cache  string // the line of memory.stat with the part of the page cache that goes first
}

var (
	second = names{[]string{"memory.max", "memory.high"}, "memory.current", "inactive_file"}
	first  = names{[]string{"memory.limit_in_bytes"}, "memory.usage_in_bytes", "total_inactive_file"}
)

// noLimit is the least value that stands for no limit in version 1: half of all addresses.
const noLimit = 1 << 62

// Find finds the group in the files of a system, from its root. The zero group is returned where there is none that limits memory.
func Find(files fs.FS) Group {
	own, mounts := lines(files, "proc/self/cgroup"), lines(files, "proc/self/mountinfo")
	for _, v := range []struct {
		names
		kind       string
		controller string
	}{{second, "cgroup2", ""}, {first, "cgroup", "memory"}} {
		for _, m := range mounts {
			root, at, kind, options := mount(m)
			if kind != v.kind || v.controller != "" && !has(options, v.controller) {
				continue
			}
			g := Group{files: files, names: v.names, dirs: dirs(at, root, member(own, v.controller))}
			if len(g.Levels()) > 0 {
				return g
			}
		}
	}
	return Group{}
}

// lines returns the lines of a file; none if it cannot be read.
func lines(files fs.FS, name string) []string {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// has reports whether a list with commas has a word.
func has(list, word string) bool { return strings.Contains(","+list+",", ","+word+",") }

// mount returns the parts of a line of mountinfo: what is mounted where, its kind and its options.
func mount(line string) (root, at, kind, options string) {
	before, after, _ := strings.Cut(line, " - ")
	b, a := strings.Fields(before), strings.Fields(after)
	if len(b) < 5 || len(a) < 3 {
		return "", "", "", ""
	}
	return b[3], b[4], a[0], a[2]
}

// member returns the path of the group of a controller in the lines of the file cgroup; that of version 2 for "".
func member(own []string, controller string) string {
	for _, line := range own {
		if p := strings.SplitN(line, ":", 3); len(p) == 3 && (p[1] == controller || controller != "" && has(p[1], controller)) {
			return p[2]
		}
	}
	return "/"
}

// dirs lists the directory of a group and of those above it, up to where they are mounted.
func dirs(at, root, group string) (list []string) {
	inside, ok := strings.CutPrefix(path.Clean(group), strings.TrimSuffix(root, "/"))
	if !ok || inside != "" && inside[0] != '/' { // the group of another name space: the mount shows what holds here
		inside = ""
	}
	for {
		list = append(list, strings.TrimPrefix(path.Join(at, inside), "/"))
		if inside == "" || inside == "/" {
			return list
		}
		inside = strings.TrimSuffix(path.Dir(inside), "/")
	}
}

// Levels reads the limits, and what is in use of each.
func (g Group) Levels() (all []Level) {
	for _, dir := range g.dirs {
		l := Level{Limit: noLimit}
		for _, name := range g.names.limits {
			if n, ok := number(g.files, path.Join(dir, name)); ok {
				l.Limit = min(l.Limit, n)
			}
		}
		used, ok := number(g.files, path.Join(dir, g.names.used))
		if l.Limit == noLimit || !ok {
			continue
		}
		l.Used = max(used-g.cache(dir), 0)
		all = append(all, l)
	}
	return all
}

// cache returns how much of the page cache of a group goes first when memory is short.
func (g Group) cache(dir string) int64 {
	text, err := fs.ReadFile(g.files, path.Join(dir, "memory.stat"))
	if err != nil {
		return 0
	}
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		if v, ok := strings.CutPrefix(s.Text(), g.names.cache+" "); ok {
			n, _ := strconv.ParseInt(v, 10, 64)
			return n
		}
	}
	return 0
}

// number reads a file with one number.
func number(files fs.FS, name string) (int64, bool) {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}

// Stalled returns how long processes of the group have waited for memory so far, of which version 1 says nothing.
func (g Group) Stalled() time.Duration {
	if len(g.dirs) == 0 {
		return 0
	}
	for _, line := range lines(g.files, path.Join(g.dirs[0], "memory.pressure")) {
		if f := strings.Fields(line); len(f) > 0 && f[0] == "some" {
			for _, word := range f {
				if v, ok := strings.CutPrefix(word, "total="); ok {
					n, _ := strconv.ParseInt(v, 10, 64)
					return time.Duration(n) * time.Microsecond
				}
			}
		}
	}
	return 0
}
