package poolrt

import "github.com/poolgen/poolgen/runtime/internal/registry"

// Option makes one pool differ from its pool file, when it is created.
type Option func(*registry.Settings)

// NoDevice stands for no device. No number that OnDevice may get is the same.
const NoDevice = -1 << 31

// WithName names the pool, in errors, events and statistics.
func WithName(name string) Option { return func(s *registry.Settings) { s.Name = name } }

// WithLimit lowers the pool's limit to the given number of bytes. To raise it is refused with [ErrBadSize].
func WithLimit(bytes int64) Option { return func(s *registry.Settings) { s.Limit = bytes } }

// OnDevice puts the pool on a device. Pools of host memory and of numbers, which are on none, refuse it with [ErrUnsupported].
func OnDevice(index int) Option { return func(s *registry.Settings) { s.Device = index } }
