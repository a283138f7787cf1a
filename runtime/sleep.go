package poolrt

import "github.com/poolgen/poolgen/runtime/internal/registry"

// SleepOption makes one call of Sleep differ from what the pool file says. Of two options of the same kind the last one counts.
type SleepOption func(*registry.Sleep)

// SleepContents says whether live blocks have their bytes after Wake.
type SleepContents uint8

// The values of contents in the key sleep.
const (
	Keep    SleepContents = iota + 1 // Sleep copies them to the host, and Wake copies them back
	Discard                          // after Wake live blocks hold anything
)

// Contents replaces contents of the pool file for one sleep. Sleep refuses other values with [ErrUnsupported].
func Contents(c SleepContents) SleepOption {
	return func(s *registry.Sleep) { s.Contents = uint8(c) }
}
