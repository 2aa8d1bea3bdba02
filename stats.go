package shaderlift

// Stats prices an input as it is. The error is diagnostics of what cannot be read.
func Stats(in Input, o Options) (res *Result, err error) {
	defer recovered(&Fault{Task: TaskStats, Input: in, Options: o}, &res, &err)
	defer o.begin()()
	res = newResult(in)
	if err := o.checkTarget(); err != nil {
		return res.fail(err)
	}
	if isKernel(in) {
		if err := kernelStats(in, o, res); err != nil {
			return res.fail(err)
		}
		return res, nil
	}
	if isEffect(in) {
		if err := effectStats(in, o, res); err != nil {
			return res.fail(err)
		}
		return res, nil
	}
	if err := o.checkSlots(); err != nil {
		return res.fail(err)
	}
	programs, err := read(in)
	if err != nil {
		return res.fail(err)
	}
	res.before(programs)
	remarkLinks(res, programs)
	return res, nil
}
