package cuda

import (
	"fmt"

	"github.com/poolgen/poolgen/runtime"
)

// Supports says whether pools can use an allocator, named as in pool files, on the device: nil if so, else an error that matches
// runtime.ErrUnsupported or runtime.ErrNoDriver and says why not.
func (d Device) Supports(allocator string) error {
	a, ok := allocatorOf(allocator)
	if !ok {
		return fmt.Errorf("%w: allocator %q", runtime.ErrUnsupported, allocator)
	}
	drv, ctx, err := d.table()
	if err != nil {
		return err
	}
	return a.works(site{drv: drv, dev: d, ctx: ctx})
}
