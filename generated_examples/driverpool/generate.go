package driverpool

//go:generate go run ../../cmd/poolgen generate
