package testcorpus

import (
	"slices"
	"testing"
)

func TestOf(t *testing.T) {
	defer func(old bool) { Whole = old }(Whole)
	list := []int{0, 1, 2, 3, 4, 5, 6}
	Whole = false
	if some := EveryNth(list, 3); !slices.Equal(some, []int{0, 3, 6}) || Count(2, 9) != 2 {
		t.Errorf("%v, %d", some, Count(2, 9))
	}
	Whole = true
	if all := EveryNth(list, 3); !slices.Equal(all, list) || Count(2, 9) != 9 {
		t.Errorf("%v, %d", all, Count(2, 9))
	}
}
