package kernel

import (
	"io/fs"
	"slices"

	"github.com/shaderlift/shaderlift/internal/regular"
)

// Opener opens a data file of a case by its path in the case. The method Open of an fs.FS is one.
type Opener func(path string) (fs.File, error)

// Beside returns an Opener for regular files, relative to the directory of a case file.
func Beside(file string) Opener {
	return func(path string) (fs.File, error) { return regular.Open(besides(file, path)) }
}

// fileWord is the word that introduces data from another file in a case file.
const fileWord = "file"

// WithoutFiles returns c with the contents of files inlined, so that its text needs no files.
func (c *Case) WithoutFiles() *Case {
	return c.withData(func(d Data) Data {
		if d.Kind == File {
			return Data{Kind: Words, Words: d.Words}
		}
		return d
	})
}

// Moved returns c with its file paths replaced by the results of move.
func (c *Case) Moved(move func(path string) string) *Case {
	return c.withData(func(d Data) Data {
		if d.Kind == File {
			d.Path = move(d.Path)
		}
		return d
	})
}

// withData returns c with edited data.
func (c *Case) withData(edit func(d Data) Data) *Case {
	d := *c
	d.Inputs, d.Resources, d.Views, d.Shares = slices.Clone(c.Inputs), slices.Clone(c.Resources), slices.Clone(c.Views), slices.Clone(c.Shares)
	for i := range d.Inputs {
		d.Inputs[i].Data = edit(d.Inputs[i].Data)
	}
	for i := range d.Resources {
		d.Resources[i].Data = edit(d.Resources[i].Data)
	}
	for i := range d.Views {
		d.Views[i].Data = edit(d.Views[i].Data)
	}
	for i := range d.Shares {
		d.Shares[i].Data = edit(d.Shares[i].Data)
	}
	if c.Global != nil {
		g := *c.Global
		g.Data = edit(g.Data)
		d.Global = &g
	}
	return &d
}
