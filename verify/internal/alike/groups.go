package alike

import (
	"fmt"
	"math"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/trial"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// groupReference returns a kernel in which each invocation does the work of several invocations of its work
// group. Barriers divide the text into phases. Each phase follows once for each invocation, with its registers
// and its number in the group. For groups of 64 and a tile of two that is spread:
//
//	il_cs_2_0                                il_cs_2_0
//	dcl_num_thread_per_group 64              dcl_num_thread_per_group 32
//	lds_store_id(1) vTidInGrpFlat.x, r0      mov r2.x, vTidInGrpFlat.x
//	fence_threads_lds              becomes   iadd r3.x, vTidInGrpFlat.x, 32
//	lds_load_id(1) r0.x, r1.x                lds_store_id(1) r2.x, r0
//	end                                      lds_store_id(1) r3.x, r1
//	                                         fence_threads_lds
//	                                         ...
//
// This is a reference only if the accesses of a phase do not race (verify checks that).
func groupReference(k *il.Kernel, t ir.Tile) (*il.Kernel, error) {
	b := &replicas{k: k, t: t, places: map[il.File]uint16{},
		out: &il.Kernel{Stage: k.Stage, MultiPass: k.MultiPass, RealTime: k.RealTime, Client: k.Client}}
	phases, err := b.measureGroup()
	if err != nil {
		return nil, err
	}
	b.declareGroup()
	for n := range t.Count() {
		for _, file := range b.list {
			b.member(file, n)
		}
	}
	for i, phase := range phases {
		if i > 0 {
			b.appendInst(phase[0])
			phase = phase[1:]
		}
		for n := range t.Count() {
			for _, in := range phase {
				b.statement(in, n)
			}
		}
	}
	b.appendInst(il.Inst{Op: il.OpEnd})
	return il.Parse("tile", il.Print(b.out))
}

// measureGroup counts the registers of the original, and divides its statements into phases. Each phase except
// the first begins with its barrier.
func (b *replicas) measureGroup() (phases [][]il.Inst, err error) {
	size := GroupSize(b.k)
	if size == 0 || size%b.t.X != 0 {
		return nil, fmt.Errorf("groups must be rows of a declared number of invocations, a multiple of %d", b.t.X)
	}
	depth := 0
	phases = [][]il.Inst{nil}
	for i := range b.k.Insts {
		in := b.k.Insts[i]
		if in.Op == il.OpDclLiteral {
			b.literals = max(b.literals, int(in.Dst.Num)+1)
		}
		if in.Op.Kind() == il.Declaration {
			continue
		}
		switch role := in.Op.Role(); role {
		case il.If, il.Loop, il.Switch:
			depth++
		case il.EndIf, il.EndLoop, il.EndSwitch:
			depth--
		case il.Func, il.Call, il.Return, il.Discard:
			return nil, fmt.Errorf("%s cannot be divided into phases", in.Op)
		case il.End, il.EndMain:
			continue
		}
		switch {
		case in.Op == il.OpFence && depth > 0:
			return nil, fmt.Errorf("a barrier under a condition")
		case in.Op == il.OpFence:
			phases = append(phases, nil)
		default:
			if err := b.measureMember(&in); err != nil {
				return nil, err
			}
		}
		last := &phases[len(phases)-1]
		*last = append(*last, in)
	}
	if n := b.t.Count(); (b.temps+len(b.list))*n > math.MaxUint16 || b.arrays*n > math.MaxUint16 {
		return nil, fmt.Errorf("%d invocations have too many registers", n)
	}
	return phases, nil
}

// numbered lists the files with the number of an invocation in its group, and the file with the number of that
// group if it is part of the number.
var numbered = map[il.File]il.File{il.GroupThreadID: il.NoFile, il.GroupThreadFlat: il.NoFile,
	il.AbsThreadID: il.GroupID, il.AbsThreadFlat: il.GroupFlat}

// measureMember measures the registers of a statement.
func (b *replicas) measureMember(in *il.Inst) error {
	switch in.Op {
	case il.OpDsx, il.OpDsy, il.OpAppendAlloc, il.OpAppendConsume, il.OpMemExport, il.OpMemImport:
		return fmt.Errorf("the effect of %s depends on other invocations", in.Op)
	}
	measure := func(r il.Reg, index il.Addr, components ...il.Sel) error {
		_, isNumber := numbered[r.File]
		for rel := index.Rel; rel != nil; rel = rel.Addr.Rel {
			if err := b.measureMemberRegister(rel.Reg, rel.Swz.Vector()[0]); err != nil {
				return err
			}
		}
		if isNumber {
			return b.measureMemberRegister(r, components...)
		}
		return b.measureMemberRegister(r)
	}
	if in.HasDst {
		if err := measure(in.Dst.Reg, in.Dst.Addr); err != nil {
			return err
		}
	}
	for s := range in.Sources() {
		reads := in.Reads(s)
		if err := measure(in.Src[s].Reg, in.Src[s].Addr, reads[:]...); err != nil {
			return err
		}
	}
	return nil
}

// measureMemberRegister measures a register. Only the first component of the number of an invocation may be read.
func (b *replicas) measureMemberRegister(r il.Reg, components ...il.Sel) error {
	if r.File == il.GroupID || r.File == il.GroupFlat {
		return nil // the same
	}
	if _, isNumber := numbered[r.File]; !isNumber {
		if r.File == il.Output || r.File == il.WinCoord {
			return fmt.Errorf("the value of %s in the invocations of a group is not known", r)
		}
		return b.measureRegister(r)
	}
	if _, known := b.places[r.File]; !known {
		b.places[r.File] = uint16(len(b.list))
		b.list = append(b.list, r.File)
	}
	for _, c := range components {
		if c == il.SelY || c == il.SelZ || c == il.SelW {
			return fmt.Errorf("a component of the value of %s in the invocations of a group is not known", r)
		}
	}
	return nil
}

// GroupSize returns the declared size of a group that is a row of threads, or 0.
func GroupSize(k *il.Kernel) int {
	for i := range k.Insts {
		in := &k.Insts[i]
		if in.Op != il.OpDclNumThreadPerGroup {
			continue
		}
		for _, n := range in.Immediates()[1:] {
			if n != 1 {
				return 0
			}
		}
		return int(in.Imm[0])
	}
	return 0
}

// declareGroup copies the declarations with the size of the smaller group, and adds the arrays of the replicas
// and a literal for each: its place in the group, and the size of a group.
func (b *replicas) declareGroup() {
	size := GroupSize(b.k)
	for i := range b.k.Insts {
		in := b.k.Insts[i]
		if in.Op.Kind() != il.Declaration {
			continue
		}
		in.Lead, in.Text = "", ""
		if in.Op == il.OpDclNumThreadPerGroup {
			in.Imm[0] = uint32(size / b.t.X)
		}
		b.appendInst(in)
		for r := 1; r < b.t.Count() && in.Op == il.OpDclIndexedTempArray; r++ {
			in.Dst.Num += uint16(b.arrays)
			b.appendInst(in)
		}
	}
	for n := range b.t.Count() {
		scale, offset := b.t.Member(n, size)
		in := il.Inst{Op: il.OpDclLiteral, HasDst: true, NImm: 4, Imm: [4]uint32{uint32(scale), uint32(offset), uint32(size)}}
		in.Dst.Reg, in.Dst.Mask = b.memberLiteral(n), il.MaskAll
		b.appendInst(in)
	}
}

// memberLiteral returns the literal of replica n.
func (b *replicas) memberLiteral(n int) il.Reg {
	return il.Reg{File: il.Literal, Num: uint16(b.literals + n)}
}

// member computes the number of replica n for reads from file.
func (b *replicas) member(file il.File, n int) {
	to, l := b.place(file, n), b.memberLiteral(n)
	src := func(r il.Reg, s il.Sel) il.Src { return il.Src{Reg: r, Swz: il.MakeSwizzle(s)} }
	in := il.Inst{Op: il.OpIMad, HasDst: true, NSrc: 3}
	in.Dst.Reg, in.Dst.Mask = to, il.MakeMask(il.Result, 0, 0, 0)
	in.Src = [4]il.Src{src(il.Reg{File: il.GroupThreadFlat}, il.SelX), src(l, il.SelX), src(l, il.SelY)}
	b.appendInst(in)
	if group := numbered[file]; group != il.NoFile {
		in.Src = [4]il.Src{src(il.Reg{File: group}, il.SelX), src(l, il.SelZ), src(to, il.SelX)}
		b.appendInst(in)
	}
}

// grouped executes the source of a reference and the reference on two groups each and describes the first
// difference. It returns "" if nothing differs and at least one launch was executed.
func (r *Runs) grouped(source, tiles *il.Kernel, t ir.Tile) (why string) {
	var p [2]*kernel.Program
	for i, k := range []*il.Kernel{source, tiles} {
		var err error
		if p[i], err = kernel.Compile(k); err != nil {
			return "execution: " + err.Error()
		}
	}
	why = "execution: the invocations of a group cannot be executed"
	for _, l := range r.launches() {
		l = r.Constants.InLaunch(l)
		var results [2]*kernel.Result
		var err error
		for i := range p {
			d := *l
			d.Width, d.Height = 2*GroupSize([]*il.Kernel{source, tiles}[i]), 1
			if results[i], err = p[i].Run(&d, r.options()); err != nil {
				break
			}
		}
		if err != nil {
			continue
		}
		if what := trial.DifferingMemory(results[0], results[1]); what != "" {
			return fmt.Sprintf("execution: %s of a group differs from the result of its invocations", what)
		}
		why = ""
	}
	return why
}
