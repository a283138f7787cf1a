package cuda_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// Memory of a device beside pools: allocated, filled and fetched in the order of a stream.
func Example() {
	if err := fetch(0); errors.Is(err, poolrt.ErrNoDriver) {
		log.Print("no GPU here: ", err)
	} else if err != nil {
		log.Fatal(err)
	}
}

func fetch(d cuda.Device) (err error) {
	s, err := d.NewStream(cuda.NonBlocking)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	p, err := d.Alloc(1024)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Free(p)) }()
	out := make([]byte, 1024)
	err = errors.Join(
		cuda.MemsetAsync(p, 7, 1024, s),
		cuda.CopyToHostAsync(out, p, s), // memory of Go: waits
		s.Synchronize())
	fmt.Println(out[0])
	return err
}

// A program that can do without a GPU asks once.
func ExampleProbe() {
	if err := cuda.Probe(); err != nil {
		fmt.Println(err) // which library was looked for, and what was wrong
		return
	}
	devices, err := cuda.Devices()
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range devices {
		fmt.Println(d.Name())
		fmt.Println(d.Supports("device_pool")) // nil: pools with that allocator work
	}
}

// Streams of another binding are adopted once; what comes back is what pools take.
func ExampleAdoptStream() {
	var handle uintptr // a CUstream or cudaStream_t
	s, err := cuda.AdoptStream(handle)
	if err != nil {
		log.Print(err)
		return
	}
	log.Print(s.Device())
}
