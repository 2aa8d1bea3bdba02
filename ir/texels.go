package ir

import (
	"fmt"
	"strconv"
	"strings"
)

// Texels are the packed resources, whose elements hold two or four adjacent numbers of a row. Element x
// of a row packed by n holds the numbers from n*x on. Each resource takes two bits: log2 of n.
type Texels uint64

// MaxPackedResources is the number of resources that can be packed: those with the lowest numbers.
const MaxPackedResources = 32

// ElementSize returns the count of numbers in an element of a resource, 1 if it is not packed.
func (t Texels) ElementSize(resource int) int {
	if resource < 0 || resource >= MaxPackedResources {
		return 1
	}
	return 1 << (t >> (2 * resource) & 3)
}

// WithPacking returns t with a resource packed by 2 or 4.
func (t Texels) WithPacking(resource, by int) Texels {
	return t&^(3<<(2*resource)) | Texels(by/2)<<(2*resource)
}

// Resources lists the packed resources in order.
func (t Texels) Resources() (list []int) {
	for r := range MaxPackedResources {
		if t.ElementSize(r) > 1 {
			list = append(list, r)
		}
	}
	return list
}

// parse adds a packed resource, written as in 0:4.
func (t *Texels) parse(text string) error {
	resource, by, _ := strings.Cut(text, ":")
	r, err := strconv.Atoi(resource)
	n, err2 := strconv.Atoi(by)
	if err != nil || err2 != nil || r < 0 || r >= MaxPackedResources || n != 2 && n != 4 || t.ElementSize(r) > 1 {
		return fmt.Errorf("%q must have the form 0:4: a resource below %d, each only once, and 2 or 4 numbers per element",
			text, MaxPackedResources)
	}
	*t = t.WithPacking(r, n)
	return nil
}
