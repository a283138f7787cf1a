// Package sharded tests pools that scale with cores, under load. A flag sets how many operations the load has, for machines with many cores and
// for longer runs; the log has the operations per second:
//
//	go test ./tests -pools '-c -o ../../sharded.test ./sharded'
//	./sharded.test -test.v -test.run Soak -soak 1000000000
package sharded
