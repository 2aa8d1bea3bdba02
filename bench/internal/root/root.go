// Package root lets the commands of this module run in the root folder of the repository, where their
// paths begin.
package root

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// Enter changes the working directory to the root folder of the repository: the nearest folder, from the
// working directory upwards, whose go.mod is that of the main module. `go run -C bench` starts a command in
// the folder bench.
func Enter() error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	for {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(mod), "module github.com/shaderlift/shaderlift\n") {
			return os.Chdir(dir)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return errors.New("no folder above the working directory has the go.mod of shaderlift")
		}
		dir = up
	}
}
