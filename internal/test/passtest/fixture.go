package passtest

import (
	"fmt"
	"os"
	"strings"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/passes"
	"golang.org/x/tools/txtar"
)

// fixture is one parsed archive.
type fixture struct {
	path     string
	archive  *txtar.Archive
	pipeline passes.Pipeline
	numerics passes.Class
	mirrored bool
	again    bool         // a second run makes more rewrites
	costlier bool         // results that cost more are kept
	target   *chip.Target // target for pricing a kernel, or nil
	verdict  string       // the expected verdict, "" for any success
	in       *Source
}

func loadFixture(path string, table []*passes.Pass) (*fixture, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := &fixture{path: path, archive: txtar.Parse(data), numerics: passes.Real, in: &Source{Name: path}}
	for _, line := range strings.Split(string(f.archive.Comment), "\n") {
		key, value, ok := strings.Cut(line, ": ")
		if !ok {
			continue
		}
		switch key {
		case "pipeline":
			f.pipeline, err = passes.Parse(value, table)
		case "numerics":
			f.numerics, err = ir.ParseNumerics(value)
		case "verdict":
			f.verdict = value
		case "host-constants":
			f.mirrored, err = isWord(key, value, "mirrored")
		case "again":
			f.again, err = isWord(key, value, "more")
		case "costlier":
			f.costlier, err = isWord(key, value, "kept")
		case "target":
			f.target, err = chip.ByName(value)
		default:
			if !strings.Contains(key, " ") && strings.ToLower(key) == key {
				err = fmt.Errorf("there is no setting %q", key)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if f.pipeline == nil {
		return nil, fmt.Errorf("%s: no pipeline", path)
	}
	for _, stage := range f.stages() {
		if data := f.file("in" + stage.ext); data != nil {
			if *stage.program(f.in), err = d3d9.Parse(path+":in"+stage.ext, data); err != nil {
				return nil, err
			}
		}
	}
	if data := f.file("in.il"); data != nil {
		if f.in.Kernel, err = il.Parse(path+":in.il", data); err != nil {
			return nil, err
		}
	}
	if f.in.Vertex == nil && f.in.Pixel == nil && f.in.Kernel == nil {
		return nil, fmt.Errorf("%s: no in.vsh, no in.psh and no in.il", path)
	}
	return f, nil
}

// isWord returns an error unless value is word, the only value of the setting key.
func isWord(key, value, word string) (bool, error) {
	if value != word {
		return false, fmt.Errorf("%s wants %q, not %q", key, word, value)
	}
	return true, nil
}

// stage is a program of a pair.
type stage struct {
	ext     string
	program func(*Source) **d3d9.Program
}

func (f *fixture) stages() [2]stage {
	return [2]stage{
		{".vsh", func(s *Source) **d3d9.Program { return &s.Vertex }},
		{".psh", func(s *Source) **d3d9.Program { return &s.Pixel }},
	}
}

func (f *fixture) file(name string) []byte {
	for i := range f.archive.Files {
		if f.archive.Files[i].Name == name {
			return f.archive.Files[i].Data
		}
	}
	return nil
}

// set sets the contents of a file for -update; nil data removes it.
func (f *fixture) set(name string, data []byte) {
	for i := range f.archive.Files {
		if f.archive.Files[i].Name == name {
			if data == nil {
				f.archive.Files = append(f.archive.Files[:i], f.archive.Files[i+1:]...)
			} else {
				f.archive.Files[i].Data = data
			}
			return
		}
	}
	if data != nil {
		f.archive.Files = append(f.archive.Files, txtar.File{Name: name, Data: data})
	}
}

func (f *fixture) save() error { return os.WriteFile(f.path, txtar.Format(f.archive), 0o644) }
