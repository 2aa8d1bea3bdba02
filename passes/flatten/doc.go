// Package flatten is the pass that computes both sides of a branch and chooses between what
// they result in (if-conversion; Allen, Kennedy, Porterfield and Warren, POPL 1983), and does
// the same to predicated writes. Models without flow control can say nothing else.
package flatten
