package emit

import (
	"context"
	"errors"
	"os"
)

// Apply makes the output directories hold what was generated, all of it or nothing. Every new content is first written to a
// temporary file in its own directory, then all are renamed into place, then orphans are removed. Until the first rename a
// failure leaves the directories as they were; after it, the previous contents are put back. Files that are as generated are not
// touched. If ctx ends before the first rename, that is a failure, too.
//
// A file that is replaced keeps its permissions, a read-only one too; of hard links to it, the others keep the previous content.
//
// Another process sees each file either as it was or as it will be. Two processes that generate the same
// directory at once leave one of two complete results for each file.
func Apply(ctx context.Context, sets ...Changes) error {
	return apply(ctx, sets, disk{})
}

// filesystem is the part of the disk whose failures Apply has to survive. Tests inject faults.
type filesystem interface {
	// write makes a file that does not exist yet, with the permissions, or those of any new file if they are 0.
	write(root *os.Root, name string, content []byte, permissions os.FileMode) error
	rename(root *os.Root, from, to string) error
	remove(root *os.Root, name string) error
}

func apply(ctx context.Context, sets []Changes, disk filesystem) error {
	var all []*transaction
	defer func() {
		for _, t := range all {
			t.cleanUp()
		}
		for _, t := range all { // one directory may have held the temporary files of another
			t.removeMade()
		}
	}()
	for _, set := range sets {
		set.Dir.sweep()
		if len(set.Drift()) == 0 {
			continue
		}
		t, err := stage(ctx, set, disk)
		if t != nil {
			all = append(all, t)
		}
		if err != nil {
			return err
		}
	}
	for i, t := range all {
		if err := t.commit(); err != nil {
			return errors.Join(append([]error{err}, rollBack(all[:i+1])...)...)
		}
	}
	for _, t := range all {
		t.made = t.vacated() // the new directories hold files now
	}
	return nil
}

func rollBack(all []*transaction) []error {
	var errs []error
	for _, t := range all {
		errs = append(errs, t.rollBack()...)
	}
	return errs
}
