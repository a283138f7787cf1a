package cuda

// Supports says whether pools can use an allocator, named as in pool files, on the device: nil if so, else an error that matches
// poolrt.ErrUnsupported or poolrt.ErrNoDriver and says why not.
func (d Device) Supports(allocator string) error {
	a, err := kindOf(allocator)
	if err != nil {
		return err
	}
	drv, ctx, err := d.table()
	if err != nil {
		return err
	}
	return a.works(site{drv: drv, dev: d, ctx: ctx})
}
