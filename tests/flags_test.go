package tests

import (
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// handedOn returns the flags of this test that also apply to the tests of the module.
func handedOn(set *flag.FlagSet, race bool) (flags []string) {
	if race {
		flags = append(flags, "-race")
	}
	set.Visit(func(f *flag.Flag) {
		switch name, value := strings.TrimPrefix(f.Name, "test."), f.Value.String(); name {
		case "short", "failfast", "shuffle", "parallel":
			flags = append(flags, "-"+name+"="+value)
		case "count": // this test itself runs that often
			flags = append(flags, "-count=1")
		case "cpu": // this test itself runs with each
			flags = append(flags, fmt.Sprintf("-cpu=%d", runtime.GOMAXPROCS(0)))
		case "v": // which is "test2json" for go test -json
			if value != "false" {
				flags = append(flags, "-v")
			}
		}
	})
	return flags
}

func TestFlagsAreHandedOn(t *testing.T) {
	set := flag.NewFlagSet("", flag.ContinueOnError)
	for _, name := range strings.Fields("short failfast shuffle parallel count cpu v run timeout") {
		set.String("test."+name, "", "")
	}
	if got := handedOn(set, false); len(got) != 0 {
		t.Errorf("without flags: %q", got)
	}
	args := strings.Fields("-test.short=true -test.failfast=true -test.shuffle=on -test.parallel=3 -test.count=7 -test.cpu=1,2 -test.v=test2json -test.run=X -test.timeout=9s")
	if err := set.Parse(args); err != nil {
		t.Fatal(err)
	}
	got := handedOn(set, true)
	slices.Sort(got)
	want := []string{"-count=1", fmt.Sprintf("-cpu=%d", runtime.GOMAXPROCS(0)), "-failfast=true", "-parallel=3", "-race", "-short=true", "-shuffle=on", "-v"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
