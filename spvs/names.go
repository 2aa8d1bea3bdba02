package spvs

import "strconv"

// Names numbers what programs share: blocks, images, kinds of fetches and specialization constants. All modules of one
// comparison (both stages, before and after) must use the same Names, so that equal numbers mean equal resources. It is
// not safe for concurrent use.
type Names struct {
	spaces [numSpaces]space
}

// space is one sequence of numbers.
type space struct {
	of   map[string]int
	keys []string
}

type nameSpace uint8

const (
	nameBlock    nameSpace = iota // uniform blocks, push constants and storage buffers
	nameTexture                   // pairs of an image and a sampler
	nameMemory                    // buffers and images that are accessed as memory
	nameAccess                    // descriptions of fetches and accesses, for ir.Instr.Imm
	nameConstant                  // specialization constants
	numSpaces
)

// NewNames returns an empty Names.
func NewNames() *Names { return &Names{} }

// number returns the number of key, a new one at the first call.
func (n *Names) number(s nameSpace, key string) int {
	sp := &n.spaces[s]
	if k, ok := sp.of[key]; ok {
		return k
	}
	if sp.of == nil {
		sp.of = map[string]int{}
	}
	k := len(sp.keys)
	sp.of[key] = k
	sp.keys = append(sp.keys, key)
	return k
}

// name returns the key of a number, or the number itself.
func (n *Names) name(s nameSpace, number int) string {
	if keys := n.spaces[s].keys; number < len(keys) {
		return keys[number]
	}
	return strconv.Itoa(number)
}
