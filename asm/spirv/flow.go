package spirv

import (
	"slices"
	"sort"
)

// targets calls use with the places in Args of the labels that an instruction names.
func (x *index) targets(in *Inst, use func(at int)) {
	first, step := 0, 1
	switch in.Op {
	case OpBranch, OpSelectionMerge:
		if len(in.Args) > 0 {
			use(0)
		}
		return
	case OpLoopMerge:
		for at := range min(2, len(in.Args)) {
			use(at)
		}
		return
	case OpBranchConditional:
		for at := 1; at < min(3, len(in.Args)); at++ {
			use(at)
		}
		return
	case OpPhi:
		first, step = 1, 2
	case OpSwitch:
		t, _ := x.literal(in)
		first, step = 1, t.words()+1
	default:
		return
	}
	for at := first; at < len(in.Args); at += step {
		use(at)
	}
}

// flow checks that the labels which the instructions of a block name are labels of its function, and that no branch
// goes to its first block.
func (c *checker) flow(f *body, b int) {
	for i := int(f.blocks[b].first); i <= int(f.blocks[b].last); i++ {
		in := &c.m.Insts[i]
		c.x.targets(in, func(at int) {
			id := ID(in.Args[at])
			if int64(id) >= int64(len(c.x.first)) {
				return // reported
			}
			switch target := int(c.x.first[id]) - 1; {
			case target < 0:
			case c.m.Insts[target].Op != OpLabel || target < f.first || target > f.last:
				c.errorf(i, "branch-target", "id %d is not a label of the function", id)
			case target == int(f.blocks[0].first) && isTerminator(in.Op):
				c.errorf(i, "branch-target", "it goes to the first block of the function")
			}
		})
	}
}

// phis checks that each OpPhi has a value for each predecessor of its block, and for no other block.
func (c *checker) phis(f *body) {
	predecessors := make([][]int32, len(f.blocks))
	for b := range f.blocks {
		last := &c.m.Insts[f.blocks[b].last]
		if last.Op.Info() == nil {
			return // its targets are unknown
		}
		if last.Op == OpPhi {
			continue // an error, reported
		}
		c.x.targets(last, func(at int) {
			to := c.blockOf(f, ID(last.Args[at]))
			if to >= 0 && isTerminator(last.Op) && !endsWith(predecessors[to], int32(b)) {
				predecessors[to] = append(predecessors[to], int32(b))
			}
		})
	}
	stamps, stamp := make([]int32, len(f.blocks)), int32(0)
	for b := range f.blocks {
		for i := int(f.blocks[b].first) + 1; i < int(f.blocks[b].last); i++ {
			in := &c.m.Insts[i]
			if in.Op != OpPhi {
				if in.Op == OpLine || in.Op == OpNoLine {
					continue
				}
				break
			}
			stamp++
			known := 0
			c.x.targets(in, func(at int) {
				if from := c.blockOf(f, ID(in.Args[at])); from >= 0 && stamps[from] != stamp {
					stamps[from] = stamp
					known++
				}
			})
			if known != len(predecessors[b]) ||
				slices.ContainsFunc(predecessors[b], func(p int32) bool { return stamps[p] != stamp }) {
				c.errorf(i, "branch-target", "its blocks are not the predecessors of its block")
			}
		}
	}
}

// endsWith reports whether the last element of list is x.
func endsWith(list []int32, x int32) bool { return len(list) > 0 && list[len(list)-1] == x }

// blockOf returns the number of the block with a label, or -1.
func (c *checker) blockOf(f *body, label ID) int {
	if int64(label) >= int64(len(c.x.first)) {
		return -1
	}
	i := int(c.x.first[label]) - 1
	b := sort.Search(len(f.blocks), func(b int) bool { return int(f.blocks[b].first) >= i })
	if b == len(f.blocks) || int(f.blocks[b].first) != i {
		return -1
	}
	return b
}

// calls checks the numbers of arguments of calls, and that no function calls itself, directly or through others
// (2.16.1).
func (c *checker) calls() {
	numbers := make(map[ID]int, len(c.functions))
	for n := range c.functions {
		numbers[c.m.Insts[c.functions[n].first].Result] = n
	}
	const (
		unseen = iota
		active
		done
	)
	state := make([]uint8, len(c.functions))
	type frame struct{ function, at int }
	for root := range c.functions {
		if state[root] != unseen {
			continue
		}
		state[root] = active
		stack := []frame{{root, int(c.functions[root].first)}}
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if top.at++; top.at >= int(c.functions[top.function].last) {
				state[top.function] = done
				stack = stack[:len(stack)-1]
				continue
			}
			in := &c.m.Insts[top.at]
			callee, ok := numbers[argument(in, 0)]
			if in.Op != OpFunctionCall || !ok {
				continue
			}
			if n := int(c.functions[callee].parameters); len(in.Args)-1 != n {
				c.errorf(top.at, "wrong-operand", "it has %d arguments; the function has %d parameters",
					len(in.Args)-1, n)
			}
			switch state[callee] {
			case active:
				c.errorf(top.at, "recursion", "the function calls itself, directly or through others")
				return
			case unseen:
				state[callee] = active
				stack = append(stack, frame{callee, int(c.functions[callee].first)})
			}
		}
	}
}
