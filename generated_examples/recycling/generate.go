package recycling

//go:generate go run ../../cmd/poolgen generate
