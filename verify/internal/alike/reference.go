package alike

import (
	"fmt"
	"math"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
)

// reference returns a kernel in which each invocation runs the bodies of all invocations of its tile in turn.
// Each body becomes a function with its own registers, arrays, labels, outputs and position. For a tile of
// two:
//
//	il_cs_2_0                       il_cs_2_0
//	mov g[vaTid.x], r0     becomes  call 0
//	end                             call 1
//	                                endmain
//	                                func 0                        func 1
//	                                  imad r2.x, vaTid.x, 2, 0      imad r3.x, vaTid.x, 2, 1
//	                                  mov g[r2.x], r0               mov g[r3.x], r1
//	                                  ret                           ret
//	                                endfunc                       endfunc
//
// The result specifies thread coarsening, so this code stays independent of the optimizer's coarsening. It
// favours simplicity over speed. tiled (coarse.go) validates it against k by executing both.
func reference(k *il.Kernel, t ir.Tile) (*il.Kernel, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	b := &replicas{k: k, t: t, places: map[il.File]uint16{},
		out: &il.Kernel{Stage: k.Stage, MultiPass: k.MultiPass, RealTime: k.RealTime, Client: k.Client}}
	if err := b.measure(); err != nil {
		return nil, err
	}
	b.declare()
	for n := range t.Count() {
		b.appendInst(il.Inst{Op: il.OpCall, NImm: 1, Imm: [4]uint32{b.main(n)}})
	}
	b.packOutputs()
	b.appendInst(il.Inst{Op: il.OpEndMain})
	for n := range t.Count() {
		b.replica(n)
	}
	b.appendInst(il.Inst{Op: il.OpEnd})
	return il.Parse("tile", il.Print(b.out))
}

// replicas builds a reference. Replica n of register r is r plus n times the number of such registers.
type replicas struct {
	k   *il.Kernel
	t   ir.Tile
	out *il.Kernel

	// temps to literals are one more than the largest number of each kind in the original. outputs is its
	// number of outputs.
	temps, arrays, addresses, labels, literals int
	outputs                                    int
	// places maps a position register of the original to the register, less the replica's offset, that holds
	// the position.
	places map[il.File]uint16
	// list has the files of places in the order of their registers, the order of first use. texel has the
	// resources that are tables and are fetched at the x position.
	list  []il.File
	texel map[int]bool
}

func (b *replicas) appendInst(in il.Inst) { b.out.Insts = append(b.out.Insts, in) }

// main returns the label of the main program of replica n. These labels follow those of all functions.
func (b *replicas) main(n int) uint32 { return uint32(b.t.Count()*b.labels + n) }

// alone is an allow-list of the register files whose contents depend only on the work of an invocation. Other
// files, such as group numbers, interpolated inputs and facing, depend on more than a position.
var alone = map[il.File]bool{
	il.Temp: true, il.Literal: true, il.ConstBuf: true, il.ImmConstBuf: true, il.Output: true, il.TempArray: true, il.Global: true,
	il.ConstInt: true, il.Address: true, il.Memory: true, il.WinCoord: true, il.AbsThreadID: true, il.AbsThreadFlat: true,
}

// measure counts the registers and labels of the original, and refuses operations that one invocation cannot
// do for others.
func (b *replicas) measure() error {
	row, tiled := false, false // dimensions of the thread numbering
	for i := range b.k.Insts {
		in := &b.k.Insts[i]
		if in.Op == il.OpDclNumThreadPerGroup {
			row, tiled = in.NImm == 1, in.NImm > 1
		}
		if err := b.measureStatement(in); err != nil {
			return err
		}
	}
	if b.k.Stage == il.Compute && b.t.Scale()[1] > 1 && !tiled {
		return fmt.Errorf("threads are numbered in one dimension, so a tile cannot extend down")
	}
	if _, flat := b.places[il.AbsThreadFlat]; flat && tiled && !row {
		return fmt.Errorf("threads are numbered by groups")
	}
	if err := b.twice(); err != nil {
		return err
	}
	n := b.t.Count()
	b.outputs = int(amdil.Outputs(b.k))
	if b.outputs*n/max(b.t.Outputs, 1) > 8 {
		return fmt.Errorf("a tile of %d invocations needs more than 8 outputs", n)
	}
	if (b.temps+len(b.list)+b.outputs)*n > math.MaxUint16 || b.arrays*n > math.MaxUint16 {
		return fmt.Errorf("%d invocations have too many registers", n)
	}
	return b.tables()
}

// measureStatement measures one statement.
func (b *replicas) measureStatement(in *il.Inst) error {
	switch in.Op {
	case il.OpDclResource:
		if b.k.Stage == il.Pixel && !in.Ctl.Unnorm {
			return fmt.Errorf("the level of detail of resource %d depends on neighbours", in.Ctl.ID)
		}
	case il.OpDsx, il.OpDsy, il.OpFence, il.OpAppendAlloc, il.OpAppendConsume, il.OpMemExport, il.OpMemImport:
		return fmt.Errorf("the effect of %s depends on other invocations", in.Op)
	case il.OpDclLiteral:
		b.literals = max(b.literals, int(in.Dst.Num)+1)
	}
	if role := in.Op.Role(); role == il.Discard {
		return fmt.Errorf("an invocation of a tile may be discarded")
	} else if role == il.Func || role == il.Call {
		b.labels = max(b.labels, int(in.Imm[0])+1)
	}
	if in.Op.Kind() == il.MemoryOp && spaceOfLocal(in.Op) {
		return fmt.Errorf("the effect of %s depends on other invocations", in.Op)
	}
	if in.Op.Kind() == il.Declaration {
		return nil
	}
	if in.HasDst {
		if err := b.measureOperand(in.Dst.Reg, in.Dst.Addr); err != nil {
			return err
		}
	}
	for s := range in.Sources() {
		reads := in.Reads(s)
		if err := b.measureOperand(in.Src[s].Reg, in.Src[s].Addr, reads[:]...); err != nil {
			return err
		}
	}
	return nil
}

// measureOperand measures a register with the components read, and the registers of its address.
func (b *replicas) measureOperand(r il.Reg, index il.Addr, components ...il.Sel) error {
	for rel := index.Rel; rel != nil; rel = rel.Addr.Rel {
		if err := b.measureRegister(rel.Reg, rel.Swz.Vector()[0]); err != nil {
			return err
		}
	}
	return b.measureRegister(r, components...)
}

// measureRegister measures a register with the components read.
func (b *replicas) measureRegister(r il.Reg, components ...il.Sel) error {
	if !alone[r.File] {
		return fmt.Errorf("the value of %s in the invocations of a tile is not known", r)
	}
	switch n := int(r.Num) + 1; r.File {
	case il.Temp:
		b.temps = max(b.temps, n)
	case il.TempArray:
		b.arrays = max(b.arrays, n)
	case il.Address:
		b.addresses = max(b.addresses, n)
	case il.WinCoord, il.AbsThreadID, il.AbsThreadFlat:
		if _, known := b.places[r.File]; !known {
			b.places[r.File] = uint16(len(b.list))
			b.list = append(b.list, r.File)
		}
		for _, c := range components {
			if c == il.SelZ || c == il.SelW || c == il.SelY && r.File == il.AbsThreadFlat {
				return fmt.Errorf("a component of the value of %s in the invocations of a tile is not known", r)
			}
		}
	}
	return nil
}

// twice refuses to repeat an invocation that might load its own stores, judged by the lifted kernel.
// Invocations are repeated at the edge if tiles do not divide the domain. Arrays are private and start
// uninitialized.
func (b *replicas) twice() error {
	if !b.t.Repeats() {
		return nil
	}
	f, err := amdil.Lift(b.k)
	if err != nil {
		return err
	}
	loads, stores := false, false
	f.Walk(func(in *ir.Instr) {
		if in.Op.Has(ir.Memory) && il.File(in.Base.File) != il.TempArray {
			loads, stores = loads || in.Op != ir.OpMemStore, stores || in.Op != ir.OpMemLoad
		}
	})
	if loads && stores {
		return fmt.Errorf("an invocation that runs twice would read its own stores")
	}
	return nil
}

// spaceOfLocal reports whether an op uses memory that groups share, or is atomic.
func spaceOfLocal(op il.Op) bool {
	switch op {
	case il.OpUavLoad, il.OpUavStore, il.OpUavRawLoad, il.OpUavRawStore, il.OpUavArenaLoad, il.OpUavArenaStore,
		il.OpUavStructLoad, il.OpUavStructStore:
		return false
	}
	return true
}

// tables refuses tables that are fetched anywhere but at the x position. Only at that position, the entries
// for a tile differ by the step between its invocations.
func (b *replicas) tables() error {
	b.texel = map[int]bool{}
	if !b.t.Tabled() {
		return nil
	}
	f, err := amdil.Lift(b.k)
	if err != nil {
		return err
	}
	f.Walk(func(in *ir.Instr) {
		if !in.Op.Has(ir.IsFetch) {
			return
		}
		if _, ok := b.t.Table(int(in.Res.Unit), 0); !ok {
			return
		}
		if in.Op != ir.OpFetch || in.Res.Dim.Coords() != 1 || in.Res.Offset != [3]int8{} || !atTexel(in.Src[0][0]) {
			err = fmt.Errorf("resource %d is not fetched only at the position across", in.Res.Unit)
		}
		b.texel[int(in.Res.Unit)] = true
	})
	return err
}

// atTexel reports whether a coordinate is the x position of the pixel or its left edge. It accepts
// vWinCoord.x through moves, roundings down, and conversions to an integer and back.
func atTexel(l ir.Lane) bool {
	is := func(l ir.Lane, ops ...ir.Op) (ir.Lane, bool) {
		in := l.V.Def
		for _, op := range ops {
			if l.Mod == 0 && in != nil && in.Op == op && in.Mods == 0 {
				return in.Src[0][l.V.Lane], true
			}
		}
		return l, false
	}
	for {
		if l.Mod == 0 && l.V.Kind == ir.Input && il.File(l.V.Home.File) == il.WinCoord && l.V.Home.Comp == 0 {
			return true
		}
		next, ok := is(l, ir.OpMov, ir.OpFloor, ir.OpTrunc)
		if !ok {
			if next, ok = is(l, ir.OpIToF, ir.OpUToF); ok {
				for moved := true; moved; {
					next, moved = is(next, ir.OpMov)
				}
				next, ok = is(next, ir.OpFToI, ir.OpFToU)
			}
		}
		if !ok {
			return false
		}
		l = next
	}
}

// declare copies the declarations and adds those of the replicas: arrays, outputs, and perReplica literals
// each.
func (b *replicas) declare() {
	n := b.t.Count()
	declared := map[uint16]bool{}
	for i := range b.k.Insts {
		if in := &b.k.Insts[i]; in.Op == il.OpDclOutput && in.Dst.File == il.Output {
			declared[in.Dst.Num] = true
		}
	}
	for i := range b.k.Insts {
		in := b.k.Insts[i]
		if in.Op.Kind() != il.Declaration {
			continue
		}
		in.Lead, in.Text = "", ""
		b.appendInst(in)
		num := in.Dst.Num
		for r := 1; r < n; r++ {
			switch {
			case in.Op == il.OpDclIndexedTempArray:
				in.Dst.Num = num + uint16(r*b.arrays)
				b.appendInst(in)
			case in.Op == il.OpDclOutput && in.Dst.File == il.Output && int(num) < b.outputs:
				at, _, _ := b.t.Output(r, int(num), b.outputs)
				if in.Dst.Num = uint16(at); !declared[in.Dst.Num] {
					declared[in.Dst.Num] = true
					b.appendInst(in)
				}
			}
		}
	}
	// The literals of each replica: scale and offset of its position, and the step of its tables.
	for r := range n {
		scale, offset := b.t.Scale(), b.t.Offset(r)
		for _, integers := range []bool{true, false} {
			in := il.Inst{Op: il.OpDclLiteral, HasDst: true, NImm: 4}
			for c := range 2 {
				in.Imm[c], in.Imm[2+c] = uint32(scale[c]), uint32(offset[c])
				if !integers {
					// The centre of pixel x of the original is at x+0.5. The centre of tile t is at t+0.5. So invocation
					// offset of tile t is at scale*(t+0.5) + (offset + 0.5 - 0.5*scale).
					in.Imm[c], in.Imm[2+c] = math.Float32bits(float32(scale[c])), math.Float32bits(float32(offset[c])+
						0.5-0.5*float32(scale[c]))
				}
			}
			in.Dst.Reg, in.Dst.Mask = b.literal(r, integers), il.MaskAll
			b.appendInst(in)
		}
		for axis := range 2 {
			if last, would := b.t.LastCoordinate(r, axis); would {
				in := il.Inst{Op: il.OpDclLiteral, HasDst: true, NImm: 4,
					Imm: [4]uint32{uint32(last), math.Float32bits(float32(last) + 0.5)}}
				in.Dst.Reg, in.Dst.Mask = b.lastCoordinate(r, axis), il.MaskAll
				b.appendInst(in)
			}
		}
		i, j := b.t.PositionOf(r)
		in := il.Inst{Op: il.OpDclLiteral, HasDst: true, NImm: 4,
			Imm: [4]uint32{math.Float32bits(float32(i)), math.Float32bits(float32(j))}}
		in.Dst.Reg, in.Dst.Mask = b.tableOffset(r), il.MaskAll
		b.appendInst(in)
	}
}

// perReplica is the number of literals of a replica: scale and offset as floats and as integers, the step of
// its tables, and the last coordinate of either axis.
const perReplica = 5

// literal returns the literal with the scale of positions and the offset of replica n.
func (b *replicas) literal(n int, integers bool) il.Reg {
	num := b.literals + perReplica*n
	if integers {
		num++
	}
	return il.Reg{File: il.Literal, Num: uint16(num)}
}

// tableOffset returns the literal with the difference between the tables of replica n and of the first one.
func (b *replicas) tableOffset(n int) il.Reg {
	return il.Reg{File: il.Literal, Num: uint16(b.literals + perReplica*n + 2)}
}

// lastCoordinate returns the literal with the largest coordinate of replica n, as an integer and as the centre of that
// pixel.
func (b *replicas) lastCoordinate(n, axis int) il.Reg {
	return il.Reg{File: il.Literal, Num: uint16(b.literals + perReplica*n + 3 + axis)}
}

// replica writes the functions of replica n: its main program, which first computes its position, and a copy
// of each function of the original under a new label.
func (b *replicas) replica(n int) {
	function := func(label uint32) { b.appendInst(il.Inst{Op: il.OpFunc, NImm: 1, Imm: [4]uint32{label}}) }
	function(b.main(n))
	for _, file := range b.list {
		b.position(file, n)
	}
	inMain := true
	for i := range b.k.Insts {
		in := b.k.Insts[i]
		switch role := in.Op.Role(); {
		case in.Op.Kind() == il.Declaration:
			continue
		case role == il.EndMain, role == il.End, role == il.Func:
			if inMain {
				b.appendInst(il.Inst{Op: il.OpRet})
				b.appendInst(il.Inst{Op: il.OpEndFunc})
			}
			inMain = false
			if role != il.Func {
				continue
			}
		}
		b.statement(in, n)
	}
}

// position computes the position of replica n in the domain of the original, for reads from file. The
// position is scale times the position of the tile, plus the offset. It is clamped where the tile reaches
// over the edge.
func (b *replicas) position(file il.File, n int) {
	to, from := b.place(file, n), il.Reg{File: file}
	op, least, most, integers := il.OpMad, il.OpMin, il.SelY, false
	if file != il.WinCoord {
		op, least, most, integers = il.OpIMad, il.OpIMin, il.SelX, true
	}
	lanes := [4]il.Write{il.Result, il.Result}
	if file == il.AbsThreadFlat {
		lanes[1] = il.Keep
	}
	move := il.Inst{Op: il.OpMov, HasDst: true, NSrc: 1}
	move.Dst.Reg, move.Dst.Mask = to, il.MakeMask(lanes[0], lanes[1], 0, 0)
	move.Src[0] = il.Src{Reg: from, Swz: il.MakeSwizzle(il.SelX, il.SelY, il.SelY, il.SelY)}
	b.appendInst(move)
	l := b.literal(n, integers)
	for c, scale := range b.t.Scale() {
		if scale == 1 || lanes[c] == il.Keep {
			continue
		}
		in := il.Inst{Op: op, HasDst: true, NSrc: 3}
		var mask [4]il.Write
		mask[c] = il.Result
		in.Dst.Reg, in.Dst.Mask = to, il.MakeMask(mask[0], mask[1], 0, 0)
		in.Src[0] = il.Src{Reg: from, Swz: il.MakeSwizzle(il.Sel(c))}
		in.Src[1] = il.Src{Reg: l, Swz: il.MakeSwizzle(il.Sel(c))}
		in.Src[2] = il.Src{Reg: l, Swz: il.MakeSwizzle(il.Sel(2 + c))}
		b.appendInst(in)
		if _, would := b.t.LastCoordinate(n, c); would {
			in.Op, in.NSrc = least, 2
			in.Src[0] = il.Src{Reg: to, Swz: il.MakeSwizzle(il.Sel(c))}
			in.Src[1] = il.Src{Reg: b.lastCoordinate(n, c), Swz: il.MakeSwizzle(most)}
			b.appendInst(in)
		}
	}
}

// packOutputs copies outputs that share a register from their temporaries into its components.
func (b *replicas) packOutputs() {
	if b.t.Outputs == 0 {
		return
	}
	for n := range b.t.Count() {
		for m := range b.outputs {
			at, component, _ := b.t.Output(n, m, b.outputs)
			in := il.Inst{Op: il.OpMov, HasDst: true, NSrc: 1}
			var mask [4]il.Write
			mask[component] = il.Result
			in.Dst.Reg, in.Dst.Mask = il.Reg{File: il.Output, Num: uint16(at)}, il.MakeMask(mask[0], mask[1], mask[2], mask[3])
			in.Src[0] = il.Src{Reg: b.unpacked(n, uint16(m)), Swz: il.MakeSwizzle(il.SelX)}
			b.appendInst(in)
		}
	}
}

// unpacked returns the temporary for an output of replica n that shares a register with others.
func (b *replicas) unpacked(n int, output uint16) il.Reg {
	return il.Reg{File: il.Temp, Num: uint16(b.t.Count()*(b.temps+len(b.list))+n*b.outputs) + output}
}

// place returns the register of replica n that holds the original's value of file.
func (b *replicas) place(file il.File, n int) il.Reg {
	return il.Reg{File: il.Temp, Num: uint16(b.t.Count()*b.temps+n*len(b.list)) + b.places[file]}
}

// statement copies a statement for replica n with its registers renamed. A fetch from a table becomes the
// first replica's fetch plus the step of this replica.
func (b *replicas) statement(in il.Inst, n int) {
	in.Lead, in.Text = "", ""
	if role := in.Op.Role(); role == il.Func || role == il.Call {
		in.Imm[0] += uint32(n * b.labels)
	}
	if in.HasDst {
		in.Dst.Reg = b.replicaRegister(in.Dst.Reg, n)
		in.Dst.Addr = b.address(in.Dst.Addr, n)
	}
	for s := range in.Sources() {
		src := &in.Src[s]
		src.Reg, src.Addr = b.replicaRegister(src.Reg, n), b.address(src.Addr, n)
	}
	if in.Op.Kind() != il.Fetch || !b.texel[int(in.Ctl.ID)] {
		b.appendInst(in)
		return
	}
	in.Src[0] = il.Src{Reg: il.Reg{File: il.WinCoord}, Swz: il.MakeSwizzle(il.SelX)}
	b.appendInst(in)
	if more, _ := b.t.Table(int(in.Ctl.ID), n); more == 0 {
		return
	}
	lane := il.SelX
	if int(in.Ctl.ID)+1 == b.t.YTable {
		lane = il.SelY
	}
	var mask [4]il.Write
	for c := range mask {
		if in.Dst.Mask.Computed().Has(c) {
			mask[c] = il.Result
		}
	}
	add := il.Inst{Op: il.OpAdd, HasDst: true, NSrc: 2}
	add.Dst.Reg, add.Dst.Mask = in.Dst.Reg, il.MakeMask(mask[0], mask[1], mask[2], mask[3])
	add.Src[0] = il.Src{Reg: in.Dst.Reg, Swz: il.MakeSwizzle(il.SelX, il.SelY, il.SelZ, il.SelW)}
	add.Src[1] = il.Src{Reg: b.tableOffset(n), Swz: il.MakeSwizzle(lane)}
	b.appendInst(add)
}

// address renames the registers of an address, at every depth of indirection.
func (b *replicas) address(a il.Addr, n int) il.Addr {
	if a.Rel != nil {
		rel := *a.Rel
		rel.Reg, rel.Addr = b.replicaRegister(rel.Reg, n), b.address(rel.Addr, n)
		a.Rel = &rel
	}
	return a
}

// replicaRegister renames register r for replica n.
func (b *replicas) replicaRegister(r il.Reg, n int) il.Reg {
	if _, ok := b.places[r.File]; ok {
		return b.place(r.File, n)
	}
	switch r.File {
	case il.Temp:
		r.Num += uint16(n * b.temps)
	case il.TempArray:
		r.Num += uint16(n * b.arrays)
	case il.Address:
		r.Num += uint16(n * b.addresses)
	case il.Output:
		if b.t.Outputs > 0 {
			return b.unpacked(n, r.Num)
		}
		r.Num += uint16(n * b.outputs)
	}
	return r
}
