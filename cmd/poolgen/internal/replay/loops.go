package replay

// blockText declares a name for the type of a block at package level, where no variable hides the names in it. Words that begin with $ are replaced,
// here and below.
const blockText = `
type $BLOCK = $TYPE
`

// poolText describes a pool to the harness.
const poolText = `
func zzReplay$NAME() zzharness.Pool {
	return zzharness.Pool{Item: uint64($ITEM), Single: $SINGLE, Open: func(setup zzharness.Setup) (zzharness.Instance, error) {
		meter := new(zzruntime.Meter)
		pool, err := New$NAMEPool(zzruntime.WithMeter(meter))
		if err != nil {
			return zzharness.Instance{}, err
		}
		blocks := make([]$BLOCK, setup.Slots)
		p := zzharness.Instance{
			Play: func(part *zzharness.Part) error { return zzPlay$NAME(part, pool, blocks) },
			Stats: func() zzharness.Stats {
				s := pool.Stats()
				return zzharness.Stats{Reserved: s.Reserved, PeakReserved: s.PeakReserved, PeakLive: s.PeakBytes}
			},
			Meter:     meter,
			Watch:     func(f func(int64)) func() { return zzruntime.OnEvent(func(e zzruntime.Event) { f(e.Reserved) }) },
			Effective: pool.Effective,
			Close:     pool.CloseForce,
		}
$CHOOSE		return p, nil
	}}
}
`

// chooseText makes a trace of several streams run on streams.
const chooseText = `		if setup.Streams > 0 {
			streams, end, err := zzdriver.Streams($DEVICE, setup.Streams)
			if err != nil {
				return p, err
			}
			p.Play = func(part *zzharness.Part) error { return zzPlayOn$NAME(part, pool, blocks, streams) }
			p.Busy = func(events int) (zzharness.Work, error) { return zzdriver.Busy(streams, events) }
			p.Close = func() error {
				if err := pool.CloseForce(); err != nil {
					return err
				}
				return end()
			}
		}
`

// streamsText is the additional parameter of a loop with streams.
const streamsText = `, streams []zzcuda.Stream`

// loopText runs events through a pool. A slot is empty if its alloc failed.
const loopText = `
func $PLAY$NAME(part *zzharness.Part, pool *$NAMEPool, blocks []$BLOCK$STREAMS) error {
	var none $BLOCK
	for i, e := range part.Events {
		if e.Free {
			if e.Shared {
				part.Await(e.Slot)
			}
			b := blocks[e.Slot]
			if $NONE {
				continue
			}
			if err := $FREE; err != nil {
				return part.Refused(i, err)
			}
			blocks[e.Slot] = none
			continue
		}
		if e.Items == 0 {
			part.Fail(i, nil)
		} else if b, err := $ALLOC; err == nil {
			blocks[e.Slot] = b
		} else {
			part.Fail(i, err)
		}
		if e.Shared {
			part.Publish(e.Slot)
		}
	}
	return nil
}
`
