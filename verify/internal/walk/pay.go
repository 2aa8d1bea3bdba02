package walk

import "github.com/shaderlift/shaderlift/verify/internal/symbolic"

// glances is the number of instructions between checks of a domain's size.
const glances = 1 << 8

// chargeStep charges one step for an instruction, plus the steps that the domain took since the last call. It checks
// the size of a domain only every glances instructions, because each check sums it up again.
func (w *walker[T]) chargeStep() error {
	steps := 1
	if d, ok := w.dom.(symbolic.Laborer); ok {
		steps += d.Worked()
	}
	if err := w.work.SpendSteps(steps); err != nil {
		return err
	}
	if d, ok := w.dom.(symbolic.Weigher); ok && w.budget%glances == 0 {
		return w.work.HoldBytes(d.Weight())
	}
	return nil
}

// wordsPerStep is the number of word operations that count as a step. They do not use the domain.
const wordsPerStep = 16

// payWords charges operations on words and carries over fractions of a step.
func (w *walker[T]) payWords(n int) error {
	w.unpaid += n
	steps := w.unpaid / wordsPerStep
	w.unpaid %= wordsPerStep
	return w.work.SpendSteps(steps)
}
