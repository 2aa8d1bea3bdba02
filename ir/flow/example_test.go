package flow_test

import (
	"fmt"
	"strings"

	"github.com/shaderlift/shaderlift/ir/flow"
)

type node = flow.Node[string]

// A return in the middle of a block becomes a flag, because only one path of the inner side jumps.
func ExampleStructure() {
	end := &flow.Label{Index: 1}
	inner := node{Kind: flow.If, Item: "d", A: []node{{Kind: flow.Jump, To: end}}}
	outer := node{Kind: flow.If, Item: "c", A: []node{inner, {Item: "A"}}}
	list, ok := flow.Structure(node{Kind: flow.Block, To: end, A: []node{outer, {Item: "B"}}})
	fmt.Println(text(list), ok)
	// Output: f=false; if c { if d { f=true } else { A } } else { }; if f { } else { B } true
}

// text returns the code of list.
func text(list []node) string {
	var parts []string
	for _, n := range list {
		switch {
		case n.Kind == flow.Flag:
			n.Item = fmt.Sprintf("f=%v", n.Set)
		case n.Kind == flow.If && n.Flags != nil:
			n.Item = "f"
		}
		if n.Kind == flow.If {
			n.Item = "if " + n.Item + " { " + space(text(n.A)) + "} else { " + space(text(n.B)) + "}"
		}
		parts = append(parts, n.Item)
	}
	return strings.Join(parts, "; ")
}

func space(s string) string {
	if s == "" {
		return ""
	}
	return s + " "
}
