package main

//go:generate go run ../../cmd/poolgen generate
