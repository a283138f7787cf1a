package modelmemory

//go:generate go run ../../cmd/poolgen generate
