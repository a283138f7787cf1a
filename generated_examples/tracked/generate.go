package tracked

//go:generate go run ../../cmd/poolgen generate
