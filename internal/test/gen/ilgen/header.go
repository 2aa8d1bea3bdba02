package ilgen

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/il"
)

// winCoord is the position of a pixel, of which two components are declared.
const winCoord = "vWinCoord0"

// header chooses the resources of a kernel and declares them: registers by class, inputs and outputs,
// constants, literals, resources and memory.
func (g *generator) header() {
	g.regs = [numClasses]int{float: 3 + g.r.IntN(8), integer: 2 + g.r.IntN(5), double: 2 + g.r.IntN(3)}
	if g.o.Stage == il.Pixel {
		g.declare("dcl_input_position_interp(linear_noperspective) %s.xy__", winCoord)
		g.inputs = append(g.inputs, winCoord)
		if g.chance(50) {
			g.declare("dcl_input vObjIndex0")
		}
		for i := range g.r.IntN(3) {
			g.declare("dcl_input_generic_interp(%s) v%d", pickOne(g, "linear", "constant"), i)
			g.inputs = append(g.inputs, fmt.Sprintf("v%d", i))
		}
		g.outputs = 1 + g.r.IntN(4)
		for i := range g.outputs {
			g.declare("dcl_output_generic o%d", i)
		}
	} else {
		g.groups()
	}
	g.consts = 4 + g.r.IntN(9)
	g.declare("dcl_cb cb0[%d]", g.consts)
	g.declareLiterals()
	if !g.o.NoFetch {
		g.declareResources()
	}
	g.declareMemory()
	// Kernels with local memory have barriers, which all threads must reach.
	g.early = g.memory.local == noLocal && g.chance(40)
	g.now.parted = g.memory.local == noLocal
}

// groups declares the work group of a compute kernel, with a power of two of threads.
func (g *generator) groups() {
	g.memory.group = pickOne(g, 4, 16, 64)
	op := pickOne(g, "dcl_num_thread_per_group", "dcl_num_thread_per_blk")
	if g.chance(30) {
		g.declare("%s %d, 4, 1", op, g.memory.group/4)
		return
	}
	g.declare("%s %d", op, g.memory.group)
}

// threadNumber names a register with numbers of the thread.
func (g *generator) threadNumber() string {
	if g.o.Stage == il.Pixel {
		return "vObjIndex0.x"
	}
	return pickOne(g, "vaTid.xyyx", "vTid.xyyx", "vTGroupid.xyyx", "vAbsTidFlat.x", "vTidInGrpFlat.x")
}

// start gives every register a value, first those of the generator. In threadReg, x is the number of the
// thread, y its first element of the global buffer, and z the address of its bytes in the view. In compute
// kernels w is its address in local memory. coordReg holds its coordinates as floats.
func (g *generator) start() {
	if g.o.Stage == il.Pixel {
		g.addLine("mov r%d.xy00, %s.xyxx", coordReg, winCoord)
		g.addLine("mov r%d.x__w, vObjIndex0.x", threadReg)
	} else {
		g.addLine("utof r%d.xyz0, vaTid.xyz", coordReg)
		g.addLine("mov r%d.x, %s", threadReg, pickOne(g, "vaTidFlat.x", "vAbsTidFlat.x"))
		g.addLine("ishl r%d.w, vTidInGrpFlat.x, %s", threadReg, g.number(4))
	}
	g.addLine("ishl r%d.y, r%d.x, %s", threadReg, threadReg, g.number(2))
	g.addLine("iadd r%d.y, r%d.y, %s", threadReg, threadReg, g.number(sharedElements))
	g.addLine("ishl r%d.z, r%d.x, %s", threadReg, threadReg, g.number(6))
	for c := range numClasses {
		if c == double && g.o.NoDouble {
			continue
		}
		for i := range g.regs[c] {
			g.addLine("mov r%d, %s", firstReg[c]+i, g.first(c))
		}
		for i := range g.memory.arrays[c] {
			g.addLine("mov x%d[%d], %s", c, i, g.first(c))
		}
	}
	if g.early {
		for i := range g.outputs {
			g.addLine("mov o%d, %s", i, g.first(float))
		}
	}
}

// first picks an initial value of a class: a literal, constants, or a value that differs between threads.
func (g *generator) first(c class) string {
	swizzle := g.selections(c, 4)
	if c == double {
		swizzle = lanes
	}
	switch k := g.r.IntN(10); {
	case c == double || k < 3:
		return fmt.Sprintf("l%d.%s", firstLiteral[c]+g.r.IntN(g.literals[c]), swizzle)
	case c == integer && k < 7:
		return g.threadNumber()
	case c == float && k < 5:
		return fmt.Sprintf("r%d.%s", coordReg, swizzle)
	case c == float && k < 7 && len(g.inputs) > 0:
		name := pickOne(g, g.inputs...)
		return name + "." + within(name, swizzle)
	}
	return fmt.Sprintf("cb0[%d].%s", g.r.IntN(g.consts), swizzle)
}

// finish stores the results: a compute kernel to its elements of the global buffer, a pixel kernel to its
// outputs, in one write or in two.
func (g *generator) finish() {
	if g.o.Stage == il.Compute {
		g.addLine("mov g[r%d.y], %s", threadReg, g.pickRegister(float))
		g.addLine("mov g[r%d.y+2], %s", threadReg, g.pickRegister(integer))
		if !g.o.NoDouble {
			g.addLine("mov g[r%d.y+3], %s", threadReg, g.pickRegister(double))
		}
		return
	}
	for i := range g.outputs {
		if g.early && g.chance(30) {
			continue
		}
		if g.chance(30) {
			g.addLine("mov o%d.xy__, %s", i, g.pickRegister(float))
			g.addLine("mov o%d.__zw, %s", i, g.pickRegister(class(g.r.IntN(int(numClasses-1)))))
			continue
		}
		c := class(g.r.IntN(int(numClasses)))
		if c == double && g.o.NoDouble {
			c = float
		}
		g.addLine("mov o%d, %s", i, g.pickRegister(c))
	}
}
