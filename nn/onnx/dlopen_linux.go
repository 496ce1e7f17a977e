//go:build cgo

package onnx

/*
#cgo LDFLAGS: -ldl
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

// cudaDevice copies the name of a device as libcuda.so.1, which is loaded, tells it, and
// returns how many there are.
static int cudaDevice(int number, char *name, int size) {
	int (*init)(unsigned) = dlsym(RTLD_DEFAULT, "cuInit");
	int (*count)(int *) = dlsym(RTLD_DEFAULT, "cuDeviceGetCount");
	int (*get)(int *, int) = dlsym(RTLD_DEFAULT, "cuDeviceGet");
	int (*tell)(char *, int, int) = dlsym(RTLD_DEFAULT, "cuDeviceGetName");
	int n = 0, device = 0;
	if (!init || !count || !get || !tell || init(0) || count(&n)) return 0;
	if (get(&device, number) || tell(name, size, device)) *name = 0;
	return n;
}
*/
import "C"

import (
	"errors"
	"unsafe"
)

// openLibrary loads a shared library for good, so that libraries loaded later find it by
// its name.
func openLibrary(path string) error {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	if C.dlopen(name, C.RTLD_NOW|C.RTLD_GLOBAL) == nil {
		return errors.New(C.GoString(C.dlerror()))
	}
	return nil
}

// cudaDevice returns the name of a device, "" if it is unknown, and how many there are, once
// the driver's library is loaded.
func cudaDevice(number uint) (name string, count uint) {
	text := [256]C.char{}
	count = uint(C.cudaDevice(C.int(number), &text[0], C.int(len(text))))
	return C.GoString(&text[0]), count
}
