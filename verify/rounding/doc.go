// Package rounding bounds what roundings can do to Direct3D 9 programs: how far the outputs
// of a program, as hardware computes them, can be from what real arithmetic gives for the
// same inputs. Two versions that are the same over the reals are then no farther from each
// other than both bounds together.
//
// # The analysis
//
// [Analyzer] walks once through a lifted program and gives every value two ranges, of the
// exact value and of the computed one, and a bound of their distance. That is forward error
// analysis in the standard model of floating-point arithmetic,
//
//	fl(x op y) = (x op y)(1 + d), |d| <= u
//
// (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., SIAM 2002, section
// 2.2; chapter 3 has the propagation of errors, section 3.3 the analysis along with the
// values, section 4.2 sums in any order) over intervals instead of numbers, as FPTaylor and
// Daisy do it. Errors of operands go through +, - and * exactly, second-order terms
// included, and through functions by the largest slope that either range admits. The
// bound of an operation that rounds twice holds for one that rounds once, so whether mad, or
// a mul and an add that the driver brings together, is fused is within the bound; sums of
// products of vectors may be added in any order.
//
// What amplifies errors without limit where its operand may lie, at a pole or at a step, is
// bounded by its range: a frc by 1, a comparison by the distance of what it chooses between,
// a component of a normalised vector by 2, square roots and powers by what their growth
// admits (|sqrt x - sqrt y| <= sqrt |x-y|). Where there is no such range the bound is
// infinite. Branches are both taken, unless only one can be; loops of a known count go trip
// by trip, others until what they carry stays in its ranges.
//
// # What it rests on
//
// The box: [Box] says where inputs and constants lie. What is not said is taken from the
// constant table (half to twice the default), the usual formats of vertex elements
// (colours and weights 0..1, indices bytes, the fourth component of a position 1), else
// -1..1; which of these were used is in the outcome.
//
// The hardware: [Arithmetic] has the unit roundoff of full precision (fp32, or fp24 in the
// pixel programs of R300-class hardware) and of what is marked _pp (fp16), the precision that
// the reference demands of rcp, rsq, exp, log, pow and sincos, and the error of an
// interpolated component, relative to its largest value in the triangle.
//
// Textures: 2048 texels along an axis, values in 0..1 unless the box says otherwise, linear
// between texels, with weights of eight bits: a coordinate that is off by d texels changes a
// texel by d+1/256 at most. How far fetches are off is reported, too. The level of detail is
// taken to be the same.
//
// Bounds hold where every number on the way is one: not where infinities cancel or 0 meets
// infinity.
//
// # Where there is no bound
//
// Errors in first order at points of the box take its place: the same analysis over ranges
// of one number each, which is the running error analysis of Higham's section 3.3. By how
// much these grow from one version to the other is the condition that is reported. At such
// points it also shows which programs are fragile: see [Fragility].
package rounding
