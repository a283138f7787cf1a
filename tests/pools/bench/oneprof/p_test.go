package oneprof
import ("testing"
 "github.com/poolgen/poolgen/tests/pools/bench/pools"
 "github.com/poolgen/poolgen/tests/pools/bench/trace")
func BenchmarkClasses(b *testing.B){
	p := new(pools.ClassesPool)
	live:=1000
	steps:=trace.Churn(trace.Seed, live, 1<<16)
	blocks:=make([][]byte,live)
	for i,s:=range trace.Churn(3*trace.Seed%(1<<63), live, live){ blocks[i],_=p.Alloc(int(s.Size)) }
	at:=0
	b.ResetTimer()
	for range b.N {
		s:=steps[at]
		if at++;at==len(steps){at=0}
		p.Free(blocks[s.Slot])
		blocks[s.Slot],_=p.Alloc(int(s.Size))
	}
}
func BenchmarkPair(b *testing.B){
	p := new(pools.ClassesPool)
	for range b.N {
		x,_:=p.Alloc(100)
		p.Free(x)
	}
}
