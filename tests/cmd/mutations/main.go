// Command mutations shows that the project's own tests find faults. It has a catalogue of faults, each a small change to one file that a programmer
// could make by mistake: a skipped bit, a bound that is off by one, a lost wakeup. It plants each fault in turn, runs the tests that must find it,
// and prints which faults were found. It exits with 1 if one was not.
//
//	go run ./tests/cmd/mutations all faults; takes some minutes
//	go run ./tests/cmd/mutations -run 'heap'      those whose name matches
//	go run ./tests/cmd/mutations -own             by the short tests of the package with the fault alone, to see what these find
//	go run ./tests/cmd/mutations -list
//
// No file in the tree changes: a fault is an overlay for the go command.
package main

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"time"
)

func main() {
	run := flag.String("run", "", "regular expression of names")
	own := flag.Bool("own", false, "run the short tests of the package with the fault, and no others")
	list := flag.Bool("list", false, "print the names, and plant nothing")
	flag.Parse()
	chosen, err := regexp.Compile(*run)
	if err == nil {
		err = all(os.DirFS("."), chosen, *own, *list)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutations:", err)
		os.Exit(1)
	}
}

// all plants the chosen faults, from the root of the project.
func all(root fs.FS, chosen *regexp.Regexp, own, list bool) error {
	dir, err := os.MkdirTemp("", "mutations")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	caught, missed := 0, 0
	for _, f := range catalogue() {
		if !chosen.MatchString(f.name) {
			continue
		}
		if list {
			fmt.Println(f.name)
			continue
		}
		if own {
			f.tests = "-short ./" + path.Dir(f.file)
		}
		begun := time.Now()
		by, err := f.plant(root, filepath.Join(dir, "overlay"))
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		took := time.Since(begun).Round(time.Second)
		if by == "" {
			missed++
			fmt.Printf("MISSED  %s (%v)\n", f.name, took)
			continue
		}
		caught++
		fmt.Printf("caught  %s: %s (%v)\n", f.name, by, took)
	}
	if !list {
		fmt.Printf("%d caught, %d missed\n", caught, missed)
	}
	if missed > 0 {
		return fmt.Errorf("%d faults were not caught", missed)
	}
	return nil
}
