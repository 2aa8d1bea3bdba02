package spirv

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
)

// tryModule compiles and runs a module under a low limit of steps. It must not panic.
func tryModule(data []byte) {
	p, err := Compile(data, "", nil)
	if err != nil {
		return
	}
	env := testEnv()
	env.Fill, env.Steps = 1, 5000
	p.Run(env, randomBatch(p, 1))
}

// FuzzRun compiles and runs any bytes.
func FuzzRun(f *testing.F) {
	paths, _ := filepath.Glob("testdata/*.spv")
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { tryModule(data) })
}

// Modules with a few changed words are rejected or run.
func TestDamaged(t *testing.T) {
	paths, _ := filepath.Glob("testdata/*.spv")
	if list := testcorpus.GlobOptional(t, "corpus/spirv/*/*.spv"); list != nil {
		paths = append(paths, testcorpus.EveryNth(list, 12)...)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(1, uint64(len(data))))
		for range testcorpus.Count(20, 200) {
			bad := append([]byte(nil), data...)
			for range 1 + r.IntN(3) {
				at := 4 * r.IntN(len(bad)/4)
				w := binary.LittleEndian.Uint32(bad[at:])
				switch r.IntN(4) {
				case 0:
					w = r.Uint32()
				case 1:
					w ^= 1 << r.IntN(32)
				case 2:
					w = w + uint32(r.IntN(5)) - 2
				default:
					w = binary.LittleEndian.Uint32(data[4*r.IntN(len(data)/4):])
				}
				binary.LittleEndian.PutUint32(bad[at:], w)
			}
			if func() { // name the module before a panic
				defer func() {
					if e := recover(); e != nil {
						t.Errorf("%s: %v", path, e)
						panic(e)
					}
				}()
				tryModule(bad)
			}(); t.Failed() {
				return
			}
		}
	}
}
