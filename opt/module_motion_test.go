package opt_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/opt"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/verify"
)

// TestModuleMotion checks that work on coordinates moves to the vertex module for a phone: a selection that a uniform
// decides, offsets that uniforms give, and a map to a part of a texture.
func TestModuleMotion(t *testing.T) {
	for _, test := range []struct {
		name       string
		moved      []string // instructions that only the vertex module has in the result
		components int
	}{
		{"flip", []string{"OpSelect", "OpFSub"}, 2},
		{"morphology", []string{"OpFSub", "OpFAdd"}, 6},
		{"blur", []string{"OpFDiv"}, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := modulePair(t, "testdata/spirv/"+test.name+".vert.spv", "testdata/spirv/"+test.name+".frag.spv")
			res, err := opt.Optimize(t.Context(), in, opt.Options{Target: "bifrost"})
			if err != nil || res.Status != opt.Improved || res.Verdict() < verify.ProvedReal {
				t.Fatalf("%v: the pair is %v and %v: %v", err, res.Status, res.Verdict(), res.Remarks)
			}
			checkModules(t, in, res)
			vertex, fragment := listing(t, res.Files[0]), listing(t, res.Files[1])
			for _, op := range test.moved {
				if !strings.Contains(vertex, op+" ") || strings.Contains(fragment, op+" ") {
					t.Errorf("%s did not move:\n%s\n%s", op, vertex, fragment)
				}
			}
			if n := res.Modules[1].CurrentCost().Components; n != test.components {
				t.Errorf("the fragment module reads %d components, want %d", n, test.components)
			}
		})
	}
}

// listing returns the text of a module.
func listing(t *testing.T, f opt.File) string {
	t.Helper()
	m, err := spirv.Decode(f.Name, f.Data)
	if err != nil {
		t.Fatal(err)
	}
	return string(m.Format())
}

// TestDeclaredBlocks checks when the vertex module reads a block that it declares, but did not use: for a named GPU, or
// if the application mirrors its constants. A remark then names the descriptor and the flag of the stage.
func TestDeclaredBlocks(t *testing.T) {
	for name, test := range map[string]struct {
		options opt.Options
		used    bool
	}{
		"default":  {opt.Options{}, false},
		"named":    {opt.Options{Target: "bifrost"}, true},
		"mirrored": {opt.Options{Host: opt.HostOptions{PixelConstants: input.Mirrored}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			in := modulePair(t, "testdata/spirv/flip.vert.spv", "testdata/spirv/flip.frag.spv")
			res, err := opt.Optimize(t.Context(), in, test.options)
			if err != nil {
				t.Fatal(err)
			}
			flag := slices.ContainsFunc(res.Remarks, func(r opt.Remark) bool {
				return r.Code == "descriptor-visibility" && strings.Contains(r.Message, "binding 0 of set 0") &&
					strings.Contains(r.Message, "VK_SHADER_STAGE_VERTEX_BIT")
			})
			if reads := strings.Contains(listing(t, res.Files[0]), "OpAccessChain %_ptr_Uniform"); reads != test.used || flag != test.used {
				t.Errorf("the vertex module reads the block: %v; a remark says so: %v; want %v", reads, flag, test.used)
			}
		})
	}
}
