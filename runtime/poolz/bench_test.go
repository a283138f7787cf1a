package poolz

import (
	"net/http"
	"testing"

	"github.com/poolgen/poolgen/generated_examples/quickstart"
)

// BenchmarkAnswer requests each address of a program with 100,000 live blocks in one pool.
func BenchmarkAnswer(b *testing.B) {
	pool := new(quickstart.VertexPool)
	defer pool.CloseForce()
	for range 100000 {
		if _, err := pool.Alloc(); err != nil {
			b.Fatal(err)
		}
	}
	for _, address := range []string{"", "figures", "snapshot", "download"} {
		b.Run("of="+address, func(b *testing.B) {
			bytes := 0
			for b.Loop() {
				bytes = ask(Handler(), http.MethodGet, "/"+address).Body.Len()
			}
			b.ReportMetric(float64(bytes), "bytes")
		})
	}
}
