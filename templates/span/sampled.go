package span

import (
	"github.com/poolgen/poolgen/templates/feature"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

const _ = feature.Sampled // the condition of the declarations below

// weight returns what a block of n items counts on the way to the next sample.
//
//poolgen:if feature.Sampled
func weight(n int) uint64 {
	return uint64(n)*mem.ItemSize*feature.SampleByte + feature.SampleBlock
}

// count counts a request that does not begin on the fast path, unless no pool can serve it. If its block is to be sampled, take finds none.
//
//poolgen:if feature.Sampled
func (p *Pool) count(n int) {
	if uint64(n)-1 >= mem.MaxItems {
		return
	}
	if feature.Sharded {
		p.ready().Countdown(uint64(n) * mem.ItemSize).Spend(weight(n))
	} else {
		if exclusive {
			p.engine.Lock()
		}
		p.engine.Spend(weight(n))
		if exclusive {
			p.engine.Unlock()
		}
	}
}
