package spvs

import (
	"sync"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
)

// The tables. The first program makes them, so that a build without this language does not contain their functions.
var (
	preciseBuiltins map[spirv.BuiltIn]bool
	glslLanewise    []lanewiseRow
	dims            map[spirv.Dim][2]ir.Dim
	varies          map[spirv.Decoration]bool
	opRules         map[ir.Op]opRule
	supported       [ir.NumOps]bool
	logical         map[ir.Op]spirv.Op
	lanewise        [512]lanewiseRow
	others          map[spirv.Op]rule
	glslOthers      map[spirv.GLSL]glslEntry
	makeTables      sync.Once
)

func fillTables() {
	preciseBuiltins = makePreciseBuiltins()
	glslLanewise = makeGlslLanewise()
	dims = makeDims()
	varies = makeVaries()
	logical = makeLogical()
	lanewise = makeLanewise()
	others = makeOthers()
	glslOthers = makeGlslOthers()
	opRules = makeOpRules()
	supported = makeSupported()
}
