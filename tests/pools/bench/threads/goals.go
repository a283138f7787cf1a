package threads

import (
	"fmt"
	"strconv"
	"strings"
)

// goal is a time in ns, or a multiple of a reference with the same number of threads and some ns. C allocators under the same load are references, too.
type goal struct {
	times float64
	unit  string
	plus  float64
}

// many stands for any number of threads above one that has no goal of its own.
const many = 0

// goals has a goal for each number of threads.
type goals map[int]goal

// goalsOf parses goals in the form of the table of subjects: "1: 25 ns, many: 1.25 R_mu2, 16: 1 R_mu2+15".
func goalsOf(text string) goals {
	all := goals{}
	for one := range strings.SplitSeq(text, ", ") {
		if one == "" {
			continue
		}
		var count, times, unit string
		if _, err := fmt.Sscanf(one, "%s %s %s", &count, &times, &unit); err != nil {
			panic(fmt.Sprintf("goal %q: %v", one, err))
		}
		n := many
		if count = strings.TrimSuffix(count, ":"); count != "many" {
			n = must(strconv.Atoi(count))
		}
		g := goal{times: must(strconv.ParseFloat(times, 64)), unit: unit}
		if unit, plus, ok := strings.Cut(unit, "+"); ok {
			g.unit, g.plus = unit, must(strconv.ParseFloat(plus, 64))
		}
		all[n] = g
	}
	return all
}

// at returns the goal for a number of threads.
func (all goals) at(n int) (g goal, ok bool) {
	if g, ok = all[n]; !ok && n > 1 {
		g, ok = all[many]
	}
	return g, ok
}

// most is the goal in ns. It reports false if the machine does not have the reference.
func (g goal) most(refs map[string]float64) (ns float64, ok bool) {
	if g.unit == "ns" {
		return g.times, true
	}
	ns, ok = refs[g.unit]
	return g.times*ns + g.plus, ok
}

// judge returns the time that the goal allows, and whether a figure meets the goal, as text.
func (g goal) judge(ns float64, refs map[string]float64) string {
	most, ok := g.most(refs)
	if !ok {
		return fmt.Sprintf("%s\tno %s here", g, g.unit)
	}
	return fmt.Sprintf("%s = %.2f\t%s", g, most, judge(ns, most))
}

func (g goal) String() string {
	if g.plus != 0 {
		return fmt.Sprintf("<= %g %s + %g ns", g.times, g.unit, g.plus)
	}
	return fmt.Sprintf("<= %g %s", g.times, g.unit)
}
