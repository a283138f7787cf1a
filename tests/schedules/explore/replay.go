package explore

import (
	"fmt"
	"strconv"
	"strings"
)

// verbose reports whether a schedule is replayed, step by step.
func (x *explorer) verbose() bool { return x.opt.Replay != "" }

func printf(format string, args ...any) { fmt.Printf("  "+format+"\n", args...) }

// Note prints a line in a replay.
func Note(format string, args ...any) {
	if x.verbose() {
		printf(format, args...)
	}
}

// format writes a schedule: 0*12 are twelve steps of thread 0, 1@0 is a step of thread 1 that goes on at processor 0, or with case 0 of a Select, and
// 1~0 the end of its first buffered store.
func format(trace []choice) string {
	var words []string
	for i := 0; i < len(trace); {
		n := 1
		for i+n < len(trace) && trace[i+n].same(trace[i]) {
			n++
		}
		c := trace[i]
		word := strconv.Itoa(c.thread)
		if c.proc >= 0 {
			word += "@" + strconv.Itoa(c.proc)
		}
		if c.entry >= 0 {
			word += "~" + strconv.Itoa(c.entry)
		}
		if n > 1 {
			word += "*" + strconv.Itoa(n)
		}
		words = append(words, word)
		i += n
	}
	return strings.Join(words, " ")
}

// parse reads what format writes. What it cannot read fits no program.
func parse(text string) (list []choice) {
	for _, word := range strings.Fields(text) {
		c, n := choice{proc: -1, entry: -1}, 1
		word = cut(word, "*", &n)
		word = cut(word, "~", &c.entry)
		word = cut(word, "@", &c.proc)
		c.thread = number(word)
		for range n {
			list = append(list, c)
		}
	}
	return list
}

// cut reads the number behind a separator, if there is one, and returns what stands before.
func cut(word, separator string, n *int) string {
	before, after, found := strings.Cut(word, separator)
	if found {
		*n = number(after)
	}
	return before
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return -2
	}
	return n
}

// same reports whether two choices are the same step, whatever they cost.
func (c choice) same(d choice) bool {
	return c.thread == d.thread && c.proc == d.proc && c.entry == d.entry
}
