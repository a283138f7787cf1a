package sleep

//go:generate go run ../../cmd/poolgen generate
