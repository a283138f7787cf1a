package runtime

// Option changes one pool from what its pool file says, when it is created.
type Option func(*settings)

type settings struct {
	name   string
	limit  int64
	device int
	meter  *Meter
}

// NoDevice says that no device was named. Any number that OnDevice may get is another.
const NoDevice = -1 << 31

// WithName gives the pool another name, for errors, events and statistics.
func WithName(name string) Option { return func(s *settings) { s.name = name } }

// WithLimit lowers the pool's limit to the given number of bytes.
func WithLimit(bytes int64) Option { return func(s *settings) { s.limit = bytes } }

// OnDevice puts the pool on a device. Pools of host memory and of numbers are on none and refuse it.
func OnDevice(index int) Option { return func(s *settings) { s.device = index } }
