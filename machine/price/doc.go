// Package price compares versions of a program without simulating each. [Predict] follows a few
// wavefronts and adds up the busy cycles of each unit of the chip. Its fetch costs come from a
// simulation of one version ([Measure]).
package price
