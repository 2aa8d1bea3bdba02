//go:build !js

package main

import (
	"context"
	"io"
	"log"
	"os"
)

func main() {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := os.Stdout.Write(run(context.Background(), text)); err != nil {
		log.Fatal(err)
	}
}
