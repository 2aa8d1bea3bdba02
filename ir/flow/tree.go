package flow

// Node is an element of structured code. Liveness stores results in it, so the list of a tree stays in place.
type Node[T any] struct {
	Kind   Kind
	Always bool // of Break: it has no condition
	Set    bool // of Flag
	Item   T    // statements of the dialect, or the condition; of other nodes, the statement that they come from
	// Flags are of If and Break: the condition is that any of these jumps is pending. If it is nil, Item has the condition.
	Flags []*Label
	A, B  []Node[T] // of If: the sides; of Loop and Block: A is the body
	To    *Label    // of Jump and Flag; of Block: its end; of Loop: the end of its body

	accesses [2]int32 // range of the slots that the node itself accesses, in Liveness.accesses
	carried  []int32  // slots that a conditional or a loop passes to later code
}

// Kind is the kind of a node.
type Kind uint8

// Kinds of nodes.
const (
	Code  Kind = iota // statements without control flow
	If                // if the condition holds A, else B
	Loop              // A forever
	Break             // leaves the innermost loop, where the condition holds
	Block             // A, which jumps can leave
	Jump              // to the end of a block or of the body of a loop
	Flag              // sets the flag that a jump is pending
)

// Label is a target of jumps: the end of a block.
type Label struct {
	Depth   int  // enclosing loops
	Index   int  // of its flag
	Reached bool // for the builder of the tree
}

// MaxDepth bounds the nesting of branches once cases and early exits are branches.
const MaxDepth = 1 << 10

// isTooDeep reports whether conditionals, loops and blocks nest more than MaxDepth deep.
func isTooDeep[T any](list []Node[T]) bool { return deepest(list, 0) > MaxDepth }

// deepest returns the nesting depth of list, up to MaxDepth.
func deepest[T any](list []Node[T], around int) (depth int) {
	depth = around
	if around > MaxDepth {
		return depth
	}
	for i := range list {
		if n := &list[i]; len(n.A)+len(n.B) > 0 {
			depth = max(depth, deepest(n.A, around+1), deepest(n.B, around+1))
		}
	}
	return depth
}
