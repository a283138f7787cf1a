// Package ranks tests pools with NCCL on two GPUs: in two threads, in two processes, and in two processes that NCCL takes for two machines. The tests skip where there are not two
// GPUs and NCCL. To run them on a machine that has no Go, build them here and copy the program:
//
//	go test ./tests -pools '-c -o ../../ranks.test ./ranks'
//	NCCL_NVLS_ENABLE=0 POOLGEN_NCCL_LIBRARY=.../nvidia/nccl/lib/libnccl.so.2 ./ranks.test -test.v
//	NCCL_NVLS_ENABLE=0 POOLGEN_NCCL_LIBRARY=.../nvidia/nccl/lib/libnccl.so.2 ./ranks.test -test.run '^$' -test.bench . -test.benchtime 1x
package ranks
