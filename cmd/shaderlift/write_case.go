package main

import (
	"crypto/sha256"
	"path/filepath"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// caseWriter writes the launches of kernels as case files below a directory. A nil caseWriter writes nothing.
type caseWriter struct {
	files *output
	// given is the case file of the run; its paths are relative to it.
	given string
}

// writeCases returns a writer for the directory to, or nil if that is empty. Names below it are
// those of the programs below their output. It returns an error if no file can be written there.
func (a *app) writeCases(to, given string, programs *output) (*caseWriter, error) {
	if to == "" {
		return nil, nil
	}
	if to == stdinName {
		return nil, usagef("--write-case: give the name of a directory")
	}
	if err := writable(filepath.Join(to, ".case")); err != nil {
		return nil, err
	}
	files := &output{to: to, dir: true, one: programs.one, written: map[string][sha256.Size]byte{}, paths: &a.paths}
	return &caseWriter{files: files, given: given}, nil
}

// write writes the launches of a result, all of them or none: NAME.LAUNCH.case if it applies to
// both versions of the kernel in the file NAME, or NAME.LAUNCH.before.case and
// NAME.LAUNCH.after.case.
func (w *caseWriter) write(d *outcome) error {
	if w == nil || d.err != nil || len(d.res.Launches) == 0 {
		return nil
	}
	var files []shaderlift.File
	add := func(suffix, text string) error {
		text, err := w.moved(filepath.Dir(w.files.destinationOf(&d.job, d.paths[0])), text)
		files = append(files, shaderlift.File{Name: d.paths[0] + suffix, Data: []byte(text)})
		return err
	}
	for _, l := range d.res.Launches {
		var err error
		if l.After == "" {
			err = add("."+l.Name+".case", l.Before)
		} else if err = add("."+l.Name+".before.case", l.Before); err == nil {
			err = add("."+l.Name+".after.case", l.After)
		}
		if err != nil {
			return err
		}
	}
	return w.files.write(d, files, nil)
}

// moved returns the text of a case with file paths adapted to a case file in dir.
func (w *caseWriter) moved(dir, text string) (string, error) {
	if w.given == "" {
		return text, nil
	}
	c, err := kernel.ParseCaseWith(w.given, []byte(text), kernel.Beside(w.given))
	if err != nil {
		return "", err
	}
	from, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return string(c.Moved(func(path string) string {
		if filepath.IsAbs(path) {
			return path
		}
		to, err := filepath.Abs(filepath.Join(filepath.Dir(w.given), path))
		if err != nil {
			return path
		}
		rel, err := filepath.Rel(from, to)
		if err != nil {
			return to
		}
		return rel
	}).Format()), nil
}
