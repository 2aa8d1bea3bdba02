package tile

import (
	"fmt"
	"strconv"
	"strings"
)

// Texels are the packed resources: those of which an element holds two or four numbers that
// stood side by side in a row. Element x of a row of n by holds those from n*x on. Each
// resource takes two bits: how often the numbers of its elements have been doubled.
type Texels uint64

// Packable is how many resources can be packed: those with the lowest numbers.
const Packable = 32

// By is how many numbers an element of a resource holds, 1 if it is not packed.
func (t Texels) By(resource int) int {
	if resource < 0 || resource >= Packable {
		return 1
	}
	return 1 << (t >> (2 * resource) & 3)
}

// With is t with a resource packed by 2 or 4.
func (t Texels) With(resource, by int) Texels {
	return t&^(3<<(2*resource)) | Texels(by/2)<<(2*resource)
}

// Resources lists the packed resources in order.
func (t Texels) Resources() (list []int) {
	for r := range Packable {
		if t.By(r) > 1 {
			list = append(list, r)
		}
	}
	return list
}

// parse adds a resource and by how much it is packed, 0:4 say.
func (t *Texels) parse(text string) error {
	resource, by, _ := strings.Cut(text, ":")
	r, err := strconv.Atoi(resource)
	n, err2 := strconv.Atoi(by)
	if err != nil || err2 != nil || r < 0 || r >= Packable || n != 2 && n != 4 || t.By(r) > 1 {
		return fmt.Errorf("%q is not like 0:4, a resource below %d and 2 or 4 numbers an element, each resource once", text, Packable)
	}
	*t = t.With(r, n)
	return nil
}
