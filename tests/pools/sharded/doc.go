// Package sharded tests pools that scale with cores, under load. How long that load lasts is up to a flag, for machines that have many cores and
// time; the log tells how many operations a second there were:
//
//	go test ./tests -pools '-c -o ../../sharded.test ./sharded'
//	./sharded.test -test.v -test.run Soak -soak 1000000000
package sharded
