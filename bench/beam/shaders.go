package main

import (
	"archive/zip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/shaderlift/shaderlift/opt/input"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// Shader is an input of opt: a program, a pair, an effect or a kernel. It holds the locations of
// its files, which are read when it is optimized.
type Shader struct {
	Name  string // short name; empty if it is the file's name
	Files []File
	Error string // reason why it cannot be read
}

// File is a file of a shader.
type File struct {
	Name    string // spelling in reports
	To      string // path of the result below the output, and path in the archive
	Archive string // archive that contains it, if any
}

// key returns a hash of a shader's content: equal content has equal results.
func key(contents [][]byte, problem string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q", problem)
	for _, data := range contents {
		fmt.Fprintf(h, "%d\n", len(data))
		h.Write(data)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// archives are the open archives, by name.
type archives map[string]*zip.ReadCloser

// read reads the files of a shader; was is the key of its content when it was found.
func (a archives) read(s *Shader, was string) (contents [][]byte, err error) {
	for _, f := range s.Files {
		var data []byte
		if f.Archive == "" {
			data, err = os.ReadFile(f.Name)
		} else {
			data, err = a.file(f.Archive, f.To)
		}
		if err != nil {
			return nil, err
		}
		contents = append(contents, data)
	}
	if key(contents, "") != was {
		return nil, errChanged
	}
	return contents, nil
}

var errChanged = errors.New("the file has changed during the run")

func (a archives) file(archive, name string) ([]byte, error) {
	z := a[archive]
	if z == nil {
		var err error
		if z, err = zip.OpenReader(archive); err != nil {
			return nil, err
		}
		a[archive] = z
	}
	return fs.ReadFile(z, name)
}

func (a archives) close() {
	for _, z := range a {
		z.Close()
	}
}

// expand passes the shaders of a folder, an archive, or a list of files to found, with the key of
// their content.
func expand(root string, found finder) error {
	info, err := os.Stat(root)
	switch files := strings.Split(root, ","); {
	case err == nil && info.IsDir():
		return walk(os.DirFS(root), root, "", found)
	case err == nil && strings.EqualFold(filepath.Ext(root), ".zip"):
		z, err := zip.OpenReader(root)
		if err != nil {
			return fmt.Errorf("%s: %w", root, err)
		}
		defer z.Close()
		return walk(z, root, root, found)
	case err == nil:
		return one(found, root)
	default:
		return one(found, files...)
	}
}

// finder receives a shader and the key of its content.
type finder func(key string, s Shader) error

// one passes a shader made of the named files to found.
func one(found finder, names ...string) error {
	var s Shader
	var contents [][]byte
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			s.Error = err.Error()
		}
		s.Files, contents = append(s.Files, File{Name: name, To: local(name)}), append(contents, data)
	}
	return found(key(contents, s.Error), s)
}

// local returns a path below the output for a name.
func local(name string) string {
	name = filepath.ToSlash(strings.TrimPrefix(filepath.Clean(name), filepath.VolumeName(name)))
	for !filepath.IsLocal(name) {
		_, rest, more := strings.Cut(name, "/")
		if !more {
			return path.Base(name)
		}
		name = rest
	}
	return name
}

// walk passes the shaders in a tree, folder by folder, to found. archive is the name of the archive
// that holds the tree, if any.
func walk(tree fs.FS, root, archive string, found finder) error {
	return fs.WalkDir(tree, ".", func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("%s: %w", root, err)
		}
		if d.IsDir() {
			return folder(tree, root, archive, at, found)
		}
		return nil
	})
}

// folder passes the shaders of one folder to found: a pair if there are exactly one vertex and one
// pixel program, and otherwise each file separately. It skips files that are not shaders.
func folder(tree fs.FS, root, archive, dir string, found finder) error {
	entries, err := fs.ReadDir(tree, dir)
	if err != nil {
		return fmt.Errorf("%s: %w", root, err)
	}
	type one struct {
		file File
		key  string
	}
	var all []one
	var stages [2]struct { // the first program of each stage, and the number of programs
		File
		data []byte
		many int
	}
	for _, e := range entries {
		at := path.Join(dir, e.Name())
		if info, err := fs.Stat(tree, at); err != nil || !info.Mode().IsRegular() {
			continue
		}
		data, err := fs.ReadFile(tree, at)
		if err != nil {
			return fmt.Errorf("%s: %w", root, err)
		}
		f := File{filepath.Join(root, filepath.FromSlash(at)), at, archive}
		switch shaderlift.Recognize(data) {
		case input.Unrecognized:
			continue
		case input.Assembly, input.Bytecode:
			if p, err := d3d9.Read(f.Name, data); err == nil {
				of := &stages[p.Model.Stage]
				if of.many++; of.many == 1 {
					of.File, of.data = f, data
				}
			}
		}
		all = append(all, one{f, key([][]byte{data}, "")})
	}
	v, p := stages[d3d9.Vertex], stages[d3d9.Pixel]
	pair := v.many == 1 && p.many == 1
	if pair {
		name := path.Base(dir)
		if dir == "." {
			name = filepath.Base(root)
		}
		if err := found(key([][]byte{v.data, p.data}, ""), Shader{Name: name, Files: []File{v.File, p.File}}); err != nil {
			return err
		}
	}
	for _, a := range all {
		if !pair || a.file != v.File && a.file != p.File {
			if err := found(a.key, Shader{Files: []File{a.file}}); err != nil {
				return err
			}
		}
	}
	return nil
}
