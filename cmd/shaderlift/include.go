package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/internal/regular"
	"github.com/spf13/pflag"
)

// includeDirs is the flag -I: folders from which programs may include files, with links resolved.
type includeDirs []string

func (f *includeDirs) String() string { return strings.Join(*f, ",") }

// Type describes the value of the flag (see flagError).
func (f *includeDirs) Type() string { return "the name of a directory" }

// Set adds a folder, which has to exist.
func (f *includeDirs) Set(name string) error {
	if !isDir(name) {
		return errors.New("not a directory")
	}
	*f = append(*f, place(name))
	return nil
}

func (a *app) addInclude(set *pflag.FlagSet) {
	set.VarP(&a.includeDirs, "include", "I",
		"also look in this `DIR` for files that assembly text includes; may be repeated (default: only below the working directory)")
}

// include opens a file that an assembly text includes, relative to the text or else to a folder of
// -I. It accepts backslashes as separators. It records included files as read, so that they are not
// overwritten. The file has to be below the working directory or a folder of -I; an absolute path
// has to be below a folder of -I. Otherwise, the author of a program could choose which of the
// user's files are read.
func (a *app) include(from, name string) (string, []byte, error) {
	name = filepath.FromSlash(strings.ReplaceAll(name, "\\", "/"))
	within, tried := slices.Clone(a.includeDirs), []string{name}
	if !filepath.IsAbs(name) {
		within = append(within, place("."))
		if from != stdinName {
			tried[0] = filepath.Join(filepath.Dir(from), name)
		}
		for _, dir := range a.includeDirs {
			tried = append(tried, filepath.Join(dir, name))
		}
	}
	var failed error
	for _, path := range tried {
		data, err := a.included(path, within)
		if err == nil {
			return path, data, nil
		}
		if failed == nil || errors.Is(failed, os.ErrNotExist) {
			failed = err
		}
	}
	return tried[0], nil, reason(failed)
}

// included reads the file at path, if it is in one of the folders within.
func (a *app) included(path string, within []string) ([]byte, error) {
	real := place(path)
	if !slices.ContainsFunc(within, func(dir string) bool { return isBelow(real, dir) }) {
		return nil, fmt.Errorf("it is outside the directories that programs may include from; -I %s allows it",
			asm.Shown(filepath.Dir(path)))
	}
	f, err := regular.Open(real)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	a.paths.reads(path)
	return io.ReadAll(io.LimitReader(f, maxInput+1))
}

// isBelow reports whether place is dir or below it.
func isBelow(place, dir string) bool {
	rel, err := filepath.Rel(dir, place)
	return err == nil && filepath.IsLocal(rel)
}
