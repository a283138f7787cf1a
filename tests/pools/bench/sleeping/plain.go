package sleeping

import "github.com/poolgen/poolgen/cuda"

// plain is memory that is mapped allocation by allocation, each at addresses of its own.
type plain struct {
	device cuda.Device
	keep   bool
	blocks []block
}

type block struct {
	at     cuda.DevicePtr
	bytes  int64
	memory cuda.Memory
	backup []byte // while asleep
}

// granularity is that of device memory.
const granularity = 2 << 20

func newPlain(o Options) (way, error) { return newBlocks(o, true) }
func newBare(o Options) (way, error)  { return newBlocks(o, false) }

func newBlocks(o Options, keep bool) (way, error) {
	p := &plain{keep: keep}
	for left := o.Bytes; left > 0; left -= o.Block {
		n := (min(o.Block, left) + granularity - 1) / granularity * granularity
		at, err := cuda.ReserveAddresses(n, 0)
		if err != nil {
			return nil, err
		}
		p.blocks = append(p.blocks, block{at: at, bytes: n})
	}
	return p, p.wake()
}

// sleep copies each block to a buffer of its own and unmaps it.
func (p *plain) sleep() error {
	if err := p.device.Synchronize(); err != nil {
		return err
	}
	for i := range p.blocks {
		b := &p.blocks[i]
		if p.keep {
			backup, err := p.device.AllocHost(b.bytes, 0)
			if err != nil {
				return err
			}
			b.backup = backup
			if err := cuda.CopyToHost(backup, b.at); err != nil {
				return err
			}
		}
		if err := b.unmap(); err != nil {
			return err
		}
	}
	return nil
}

func (b *block) unmap() error {
	if err := cuda.Unmap(b.at, b.bytes); err != nil {
		return err
	}
	return b.memory.Close()
}

// wake maps each block, copies its bytes back, and frees the buffer.
func (p *plain) wake() error {
	for i := range p.blocks {
		b := &p.blocks[i]
		m, err := p.device.NewMemory(b.bytes, cuda.MemoryProps{})
		if err != nil {
			return err
		}
		if err := m.Map(b.at, b.bytes, 0); err != nil {
			return err
		}
		if err := cuda.SetAccess(b.at, b.bytes, p.device, cuda.ReadWrite); err != nil {
			return err
		}
		if b.memory = m; b.backup == nil {
			continue
		}
		if err := cuda.CopyToDevice(b.at, b.backup); err != nil {
			return err
		}
		if err := p.device.FreeHost(b.backup); err != nil {
			return err
		}
		b.backup = nil
	}
	return nil
}

func (p *plain) close() error {
	for i := range p.blocks {
		if err := p.blocks[i].unmap(); err != nil {
			return err
		}
		if err := cuda.FreeAddresses(p.blocks[i].at, p.blocks[i].bytes); err != nil {
			return err
		}
	}
	return nil
}
