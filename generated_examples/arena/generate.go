package arena

//go:generate go run ../../cmd/poolgen generate
