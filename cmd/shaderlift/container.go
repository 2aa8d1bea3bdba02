package main

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/containers"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/naming"
	"github.com/shaderlift/shaderlift/opt/input"
)

// opened is a container. Its programs are inputs with the names FILE/NAME, as if the file were a folder.
type opened struct {
	*containers.Container
	job     job // the file itself
	data    []byte
	results map[*containers.Program][]byte
	*bundle
}

// bundle is a set of containers that are written together: an input may have programs of several of them, and files.
type bundle struct {
	containers []*opened
	left       int // inputs that are not finished
	files      []shaderlift.File
	read       []shaderlift.File // files as they were read
}

// join adds the containers of another bundle.
func (b *bundle) join(c *bundle) {
	if b == c {
		return
	}
	b.containers, b.left = append(b.containers, c.containers...), b.left+c.left
	for _, o := range c.containers {
		o.bundle = b
	}
}

// open opens the container at path. It returns nil if the file is no container or cannot be read.
func (a *app) open(path string) (*opened, error) {
	if o := a.opened[path]; o != nil {
		return o, nil
	}
	if head, err := readHead(path); err != nil || path == stdinName || !containers.MayOpen(head) {
		return nil, nil // reading the input will report an error
	}
	data, err := readPath(path, nil)
	if err != nil {
		return nil, nil
	}
	if format := shaderlift.Recognize(data); format != input.Unrecognized && format != input.Assembly {
		return nil, nil
	}
	c, err := containers.Open(path, data)
	if c == nil {
		return nil, err
	}
	printWarnings(a.err, c.Notes)
	if a.opened == nil {
		a.opened = map[string]*opened{}
	}
	o := &opened{Container: c, data: data, results: map[*containers.Program][]byte{}}
	o.bundle = &bundle{containers: []*opened{o}}
	a.opened[path] = o
	return o, a.paths.reads(path)
}

// containerOf returns the open container of an input FILE/NAME, and its program.
func (a *app) containerOf(path string) (*opened, *containers.Program) {
	dir, name := filepath.Split(path)
	if o := a.opened[filepath.Clean(dir)]; o != nil {
		return o, o.Find(name)
	}
	return nil, nil
}

// lacks returns the error for the path of a program that o does not have.
func (o *opened) lacks(path string) error {
	var names []string
	for _, p := range o.Programs {
		names = append(names, p.Names...)
	}
	file, name := filepath.Dir(path), filepath.Base(path)
	return asm.Errorf(asm.Pos{File: path}, "cannot-read", "%s has no program %q%s", asm.Shown(file), name,
		cmp.Or(naming.Suggest(name, names), "; shaderlift stats lists its programs"))
}

// unpack passes the programs of a container to yield, or else j. A program may be given by its name, or
// in a pair by the name of its container if that has no other.
func (a *app) unpack(j job, yield func(job) bool) bool {
	var of *bundle
	for i, path := range j.paths {
		if len(j.paths) > 1 {
			if o, _ := a.open(filepath.Clean(path)); o != nil && len(o.Programs) == 1 {
				path = filepath.Join(path, o.Programs[0].Names[0])
				j.paths[i] = path
			}
		}
		if _, err := os.Stat(path); err == nil || j.err != nil {
			continue
		}
		if o, _ := a.open(filepath.Dir(path)); o != nil && o.Find(filepath.Base(path)) != nil {
			o.job, of = program(filepath.Dir(path)), cmp.Or(of, o.bundle)
			of.join(o.bundle)
		}
	}
	if of != nil {
		of.left++
	}
	if len(j.paths) != 1 || j.err != nil {
		return yield(j)
	}
	path := filepath.Clean(j.paths[0])
	o, err := a.open(path)
	if err != nil {
		j.err = err
	}
	if o == nil {
		return yield(j)
	}
	o.job = j
	for _, unit := range o.Units() {
		times := 1
		if a.places && len(unit) == 1 {
			times = len(unit[0].Names)
		}
		for k := range times {
			m := job{under: j.under, name: filepath.Base(path)}
			for i, p := range unit {
				m.name += string("/,"[i]) + p.Names[k]
				m.paths = append(m.paths, filepath.Join(path, p.Names[k]))
			}
			m.input = strings.Join(m.paths, ",")
			o.left++
			if !yield(m) {
				return false
			}
		}
	}
	return true
}

// collect returns the files to write for an outcome, and the outcome of their input, which is not d for a container. The
// results of a container's programs wait for the last one, and so do other files of their inputs. Programs that do not
// fit into the container become files below its name.
func (a *app) collect(d *outcome, out *output) (of *outcome, files []shaderlift.File, err error) {
	var b *bundle
	for _, path := range d.paths {
		if o, p := a.containerOf(path); p != nil {
			b = o.bundle
		}
	}
	if b == nil {
		return d, d.res.Files, d.err
	}
	for i, f := range d.res.Files {
		if o, p := a.containerOf(f.Name); p != nil {
			o.results[p] = f.Data
		} else if !slices.ContainsFunc(b.files, func(g shaderlift.File) bool {
			return g.Name == f.Name && bytes.Equal(g.Data, f.Data)
		}) {
			b.files, b.read = append(b.files, f), append(b.read, d.read[i])
		}
	}
	if b.left--; b.left > 0 {
		return d, nil, nil
	}
	for _, o := range b.containers {
		list, err := o.encoded(out)
		if err != nil {
			return &outcome{}, nil, err
		}
		b.files, b.read = append(b.files, list...), append(b.read, shaderlift.File{Name: o.job.paths[0], Data: o.data})
	}
	return &outcome{job: b.containers[0].job, read: b.read}, b.files, nil
}

// encoded returns the container with the results, or its programs as files.
func (o *opened) encoded(out *output) (files []shaderlift.File, err error) {
	for _, p := range o.Programs {
		old, data := p.Data, o.results[p]
		if data == nil {
			continue
		}
		p.Data = data
		defer func() { p.Data = old }()
		files = append(files, shaderlift.File{Name: filepath.Join(o.job.paths[0], p.Names[0]), Data: data})
	}
	data, err := o.Encode()
	if err != nil && out.dir {
		return files, nil
	}
	if d := (*asm.Diag)(nil); errors.As(err, &d) {
		d.Msg += "; give -o DIR to write the programs as files"
	}
	return []shaderlift.File{{Name: o.job.paths[0], Data: data}}, err
}

// isFolder reports whether arg is a directory, or a container with several programs.
func (a *app) isFolder(arg string) bool {
	o, _ := a.open(filepath.Clean(arg))
	return isDir(arg) || o != nil && len(o.Programs) > 1
}

// exists reports whether path is a file, or a program of an open container.
func (a *app) exists(path string) bool {
	_, p := a.containerOf(path)
	return p != nil || isFile(path)
}

// convertAll converts files to one text, each below a comment with its name if there are several.
func (a *app) convertAll(files []shaderlift.File, convert func(shaderlift.File, d3d9.Opener) ([]byte, error)) (all []byte, err error) {
	for _, f := range files {
		data, err := convert(f, a.include)
		if err != nil {
			return nil, err
		}
		if len(files) > 1 {
			if isBinary(shaderlift.Recognize(data)) {
				return nil, usagef("%s is one of %d programs; name one of them", asm.Shown(f.Name), len(files))
			}
			all = append(all, "// "+asm.Shown(f.Name)+"\n"...)
		}
		all = append(all, data...)
	}
	return all, nil
}
