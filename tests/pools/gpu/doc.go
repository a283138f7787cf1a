// Package gpu tests generated pools on a real GPU. One kernel fills blocks and another verifies them. Both delay on purpose, which makes streams lag
// behind the program, while blocks are freed and handed out on many streams: two owners of the same bytes are detected. Under load and
// with a device nearly full, every word of what is live is written with its owner and verified.
//
// The tests skip where there is no driver. To run them on a machine that has a GPU but no Go, build them here and copy the program:
//
//	go test ./tests -pools '-c -o ../../gpu.test ./gpu'
//	./gpu.test -test.v
//	./gpu.test -test.v -test.run Churn -gpu.churn 1000000000
//	./gpu.test -test.v -test.run Sleep -gpu.sleep 1000 -gpu.asleep 1024
//	compute-sanitizer --tool memcheck ./gpu.test -test.short
//	compute-sanitizer --tool racecheck ./gpu.test -test.short
//	./gpu.test -test.run '^$' -test.bench . -test.cpu 1
//
// Where the CUDA toolkit is installed, testdata/view.cu tests kernels that launch kernels, and the C headers with nvcc.
//
// The tests of load, of a nearly full device and of the current pool also run on the simulated driver, with kernels that are Go functions:
//
//	go test ./tests -pools '-tags cudasim ./gpu'
package gpu
