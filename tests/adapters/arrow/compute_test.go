package arrow

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
)

// Results of compute functions lie in blocks of the pool.
func TestCompute(t *testing.T) {
	a := checked(t)
	r := record(a, 3000)
	defer r.Release()
	ctx := compute.WithAllocator(t.Context(), a)
	numbers := compute.NewDatum(r.Column(0))
	defer numbers.Release()
	sum, err := compute.Add(ctx, compute.ArithmeticOptions{}, numbers, numbers)
	if err != nil {
		t.Fatal(err)
	}
	defer sum.Release()
	result := sum.(*compute.ArrayDatum).MakeArray()
	defer result.Release()
	for i := range result.Len() {
		if i%7 == 3 != result.IsNull(i) || result.IsValid(i) && result.(*array.Int64).Value(i) != int64(2*i) {
			t.Fatalf("row %d is %s", i, result.ValueStr(i))
		}
	}
}
