package wine

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

//go:embed effects/effects.c
var effectsSource []byte

// Effects loads compiled effects as applications do, with D3DXCreateEffect, and draws all their passes, with
// parameters set by name and changed between draws. It returns the printed lines of each effect, which
// effects/effects.c describes.
func (r *Runner) Effects(files ...[]byte) ([][]string, error) {
	program, err := r.build("effects", effectsSource, "-ld3dx9_43", "-ld3d9", "-ldxguid")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(r.dir, "effects-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var list strings.Builder
	for i, data := range files {
		name := fmt.Sprintf("%d.fxo", i)
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return nil, err
		}
		list.WriteString(name + "\n")
	}
	listName := filepath.Join(dir, "list")
	if err := os.WriteFile(listName, []byte(list.String()), 0o644); err != nil {
		return nil, err
	}
	printed, err := r.runProgram(program, listName, len(files))
	var seen [][]string
	done := false
	for line := range strings.Lines(printed) {
		switch line = strings.TrimRight(line, "\r\n"); {
		case line == "end":
			done = true
		case strings.HasPrefix(line, "file "):
			seen = append(seen, nil)
		case len(seen) > 0:
			seen[len(seen)-1] = append(seen[len(seen)-1], line)
		}
	}
	switch {
	case !done && err != nil: // Wine kills a process that exits slowly, after its work is done
		return nil, err
	case !done || len(seen) != len(files):
		return nil, errors.New("wine: effects were not all loaded")
	}
	return seen, nil
}
