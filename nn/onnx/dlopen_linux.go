//go:build cgo

package onnx

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdlib.h>
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
