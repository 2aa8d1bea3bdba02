package main

import (
	"archive/zip"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// Shader is an input of opt: a program, a pair, an effect or a kernel.
type Shader struct {
	Name  string // short; empty where it is that of the file
	Files []File
	Error string // why it cannot be read
}

// File is a file of a shader.
type File struct {
	Name string // as reports spell it
	To   string // where its successor goes, below the output
	Data []byte
}

// key is the content of a shader: what has the same becomes the same.
func (s *Shader) key() string {
	h := sha256.New()
	fmt.Fprintf(h, "%q", s.Error)
	for _, f := range s.Files {
		fmt.Fprintf(h, "%d\n", len(f.Data))
		h.Write(f.Data)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

func init() { register.Function2x1(expand); register.Emitter2[string, Shader]() }

// expand hands over the shaders of a folder, an archive, or one with its files, by content.
func expand(root string, emit func(string, Shader)) error {
	found := func(s Shader) { emit(s.key(), s) }
	info, err := os.Stat(root)
	switch files := strings.Split(root, ","); {
	case err == nil && info.IsDir():
		return walk(os.DirFS(root), root, found)
	case err == nil && strings.EqualFold(filepath.Ext(root), ".zip"):
		z, err := zip.OpenReader(root)
		if err != nil {
			return fmt.Errorf("%s: %w", root, err)
		}
		defer z.Close()
		return walk(z, root, found)
	case err == nil:
		found(one(files[:0:0], root))
	default:
		found(one(files[1:], files[0]))
	}
	return nil
}

// one is a shader of files by themselves.
func one(more []string, first string) (s Shader) {
	for _, name := range append([]string{first}, more...) {
		data, err := os.ReadFile(name)
		if err != nil {
			s.Error = err.Error()
		}
		s.Files = append(s.Files, File{name, local(name), data})
	}
	return s
}

// local is a name below the output.
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

// walk hands over what is in a tree, folder by folder.
func walk(tree fs.FS, root string, found func(Shader)) error {
	return fs.WalkDir(tree, ".", func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("%s: %w", root, err)
		}
		if d.IsDir() {
			return folder(tree, root, at, found)
		}
		return nil
	})
}

// folder hands over what is in one folder: a pair if there are one vertex and one pixel program,
// and each other file by itself. What is no shader is passed over.
func folder(tree fs.FS, root, dir string, found func(Shader)) error {
	entries, err := fs.ReadDir(tree, dir)
	if err != nil {
		return fmt.Errorf("%s: %w", root, err)
	}
	var stages [2][]File
	var files []File
	for _, e := range entries {
		at := path.Join(dir, e.Name())
		if info, err := fs.Stat(tree, at); err != nil || !info.Mode().IsRegular() {
			continue
		}
		data, err := fs.ReadFile(tree, at)
		if err != nil {
			return fmt.Errorf("%s: %w", root, err)
		}
		f := File{filepath.Join(root, filepath.FromSlash(at)), at, data}
		switch shaderlift.Recognize(data) {
		case shaderlift.Unrecognized:
			continue
		case shaderlift.Assembly, shaderlift.Bytecode:
			if p, err := d3d9.Read(f.Name, data); err == nil {
				stages[p.Model.Stage] = append(stages[p.Model.Stage], f)
			}
		}
		files = append(files, f)
	}
	pair := len(stages[d3d9.Vertex]) == 1 && len(stages[d3d9.Pixel]) == 1
	if pair {
		v, p := stages[d3d9.Vertex][0], stages[d3d9.Pixel][0]
		name := path.Base(dir)
		if dir == "." {
			name = filepath.Base(root)
		}
		found(Shader{Name: name, Files: []File{v, p}})
	}
	for _, f := range files {
		if !pair || f.To != stages[0][0].To && f.To != stages[1][0].To {
			found(Shader{Files: []File{f}})
		}
	}
	return nil
}
