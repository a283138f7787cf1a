package traces

//go:generate go run ../../cmd/poolgen generate
