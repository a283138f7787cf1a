// Package gpu tests generated pools on a real GPU. One kernel fills blocks and another verifies them; both wait on purpose, and streams lag
// behind the program, while blocks are freed and handed out on many streams: two owners of the same bytes would be detected. Under load and
// with a device nearly full, every word of what is live is written with its owner and verified.
//
// The tests skip where there is no driver. To run them on a machine that has a GPU but no Go, build them here and copy the program:
//
//	go test ./tests -pools '-c -o ../../gpu.test ./gpu'
//	./gpu.test -test.v
//	./gpu.test -test.v -test.run Churn -gpu.churn 1000000000
//	compute-sanitizer --tool memcheck ./gpu.test -test.short
//	compute-sanitizer --tool racecheck ./gpu.test -test.short
//	./gpu.test -test.run '^$' -test.bench . -test.cpu 1
//
// Kernels launched by kernels, and what nvcc makes of the C headers, are tested by testdata/view.cu, where the CUDA toolkit is.
//
// Load, fullness and the current pool are tested on the simulated driver, too, with kernels that are Go functions:
//
//	go test ./tests -pools '-tags cudasim ./gpu'
package gpu
