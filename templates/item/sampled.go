package item

import (
	"github.com/poolgen/poolgen/templates/feature"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

const _ = feature.Sampled // the condition of the declarations below

// weight is what each block counts on the way to the next sample.
//
//poolgen:if feature.Sampled
const weight uint64 = mem.ItemSize*feature.SampleByte + feature.SampleBlock

// count counts a request that does not begin on the fast path. If its block is to be sampled, take finds none.
//
//poolgen:if feature.Sampled
func (p *Pool) count() {
	if feature.Sharded {
		p.ready().Countdown(mem.ItemSize).Spend(weight)
	} else {
		if exclusive {
			p.engine.Lock()
		}
		p.engine.Spend(weight)
		if exclusive {
			p.engine.Unlock()
		}
	}
}
