package kernel

import (
	"io/fs"
	"os"
	"slices"
)

// Opener opens a file that a case takes data from, by its path in the case. The method Open
// of an fs.FS is one.
type Opener func(path string) (fs.File, error)

// Beside opens files of the system, relative to the directory of a case file.
func Beside(file string) Opener {
	return func(path string) (fs.File, error) { return os.Open(besides(file, path)) }
}

// FileWord is what says in a case file that data comes from another file.
const FileWord = "file"

// WithoutFiles is c with what it took from files spelled out, so that its text needs none.
func (c *Case) WithoutFiles() *Case {
	d := *c
	spell := func(data *Data) {
		if data.Kind == File {
			*data = Data{Kind: Words, Words: data.Words}
		}
	}
	d.Inputs, d.Resources, d.Views, d.Shares = slices.Clone(c.Inputs), slices.Clone(c.Resources), slices.Clone(c.Views), slices.Clone(c.Shares)
	for i := range d.Inputs {
		spell(&d.Inputs[i].Data)
	}
	for i := range d.Resources {
		spell(&d.Resources[i].Data)
	}
	for i := range d.Views {
		spell(&d.Views[i].Data)
	}
	for i := range d.Shares {
		spell(&d.Shares[i].Data)
	}
	if c.Global != nil {
		g := *c.Global
		spell(&g.Data)
		d.Global = &g
	}
	return &d
}
