package nn

import "sync"

// parallel calls work(0) to work(n-1) at the same time, the first of them in
// the caller's goroutine, and returns once all have returned. This is the only
// place of the package that starts goroutines.
func parallel(n int, work func(i int)) {
	if n == 1 {
		work(0)
		return
	}
	var wg sync.WaitGroup
	for i := 1; i < n; i++ {
		wg.Go(func() { work(i) })
	}
	work(0)
	wg.Wait()
}
