package mutate

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/gen"
	"github.com/shaderlift/shaderlift/internal/test/gen/ilgen"
)

// Subjects holds the programs from which mutants are made. It stores programs from files; generated ones
// are created when they are picked.
type Subjects struct {
	pairs, kernels []*Subject // single programs are among the pairs
}

// maxStatements excludes programs that take long to judge: verdicts take more than linear time. Assumed.
const maxStatements = 1200

// ReadSubjects reads the programs below some folders. A folder with one vertex and one pixel program is a
// pair. It skips unreadable files.
func ReadSubjects(folders ...string) *Subjects {
	s := &Subjects{}
	for _, root := range folders {
		filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err == nil && e.IsDir() {
				s.folder(root, path)
			}
			return nil
		})
	}
	return s
}

// Len returns the number of pairs, programs and kernels that were read.
func (s *Subjects) Len() int { return len(s.pairs) + len(s.kernels) }

// folder reads the programs of one folder. It skips files larger than a megabyte, invalid programs and test
// cases.
func (s *Subjects) folder(root, dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	name := func(file string) string {
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return file
		}
		return filepath.ToSlash(filepath.Join(filepath.Base(root), rel))
	}
	var lone []*d3d9.Program
	var loneNames []string
	for _, e := range entries {
		file := filepath.Join(dir, e.Name())
		if e.IsDir() || strings.HasSuffix(file, ".case") || strings.HasSuffix(file, ".txtar") {
			continue
		}
		info, err := e.Info()
		if err != nil || info.Size() > 1<<20 {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		switch {
		case il.IsKernel(data):
			if k, err := il.Parse(file, data); err == nil && len(k.Insts) < maxStatements && len(il.Check(k)) == 0 {
				s.kernels = append(s.kernels, &Subject{Name: name(file), Kernel: k})
			}
		case d3d9.IsBytecode(data), d3d9.IsText(data):
			p, err := d3d9.Read(file, data)
			if err == nil && len(p.Insts) < maxStatements && len(d3d9.Validate(p)) == 0 {
				lone = append(lone, p)
				loneNames = append(loneNames, name(file))
			}
		}
	}
	if len(lone) == 2 && lone[0].Model.Stage != lone[1].Model.Stage {
		pair := Pair{Vertex: lone[0], Pixel: lone[1]}
		if pair.Vertex.Model.Stage == d3d9.Pixel {
			pair.Vertex, pair.Pixel = pair.Pixel, pair.Vertex
		}
		s.pairs = append(s.pairs, &Subject{Name: name(dir), Pair: pair})
		return
	}
	for i, p := range lone {
		pair := Pair{Vertex: p}
		if p.Model.Stage == d3d9.Pixel {
			pair = Pair{Pixel: p}
		}
		s.pairs = append(s.pairs, &Subject{Name: loneNames[i], Pair: pair})
	}
}

// generated is the percentage of mutants of generated programs if there are programs from files. Generated
// programs have shapes that no compiler emits; files have the shapes that matter.
const generated = 40

// kernelStream separates the decisions about a kernel from those of other generators.
const kernelStream = 0x70a3

// pickSubject returns a subject for a kind. Its choice depends on r alone.
func (s *Subjects) pickSubject(r *rand.Rand, k *Kind) *Subject {
	d, list := k.Dialect, s.pairs
	if d == IL {
		list = s.kernels
	}
	if len(list) > 0 && (k.Files || r.IntN(100) >= generated) {
		return list[r.IntN(len(list))]
	}
	seed := uint64(r.Uint32())
	if d == IL {
		o := ilgen.Options{Stage: il.Stage(r.IntN(2)), Size: 10 + r.IntN(40), NoDouble: r.IntN(2) == 0,
			NoCalls: r.IntN(2) == 0, Straight: r.IntN(4) == 0}
		return &Subject{Name: fmt.Sprintf("kernel %d %+v", seed, o), Kernel: ilgen.KernelFrom(gen.Seeded(seed, kernelStream), o)}
	}
	size := 6 + r.IntN(40)
	if r.IntN(4) == 0 {
		p := gen.NewProgram(seed, size).Program
		pair := Pair{Vertex: p}
		if p.Model.Stage == d3d9.Pixel {
			pair = Pair{Pixel: p}
		}
		return &Subject{Name: fmt.Sprintf("program %d %d", seed, size), Pair: pair}
	}
	p := gen.NewPair(seed, size)
	return &Subject{Name: fmt.Sprintf("pair %d %d", seed, size),
		Pair: Pair{Vertex: p.Vertex.Program, Pixel: p.Pixel.Program}}
}
