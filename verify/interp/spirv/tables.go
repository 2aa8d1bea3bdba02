package spirv

import "sync"

// The tables of instructions. The first program makes them, so that a build without this language does not contain
// their functions.
var (
	laneOps    map[uint16]laneOp
	glslOps    map[uint32]laneOp
	vectorOps  map[uint32]vectorOp
	atomicOps  map[uint16]func(old, value, comparator uint32) uint32
	makeTables sync.Once
)

func fillTables() {
	laneOps, glslOps, vectorOps, atomicOps = makeLaneOps(), makeGlslOps(), makeVectorOps(), makeAtomicOps()
}
