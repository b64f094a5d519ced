#pragma once
/// How HDF5 writes to a disk that may fail. HDF5 (1.10.8) cannot close a file whose last bytes do not fit on the disk:
/// the file stays in its tables, half gone, and the program crashes when MPI ends. So its writes go through a driver
/// that always succeeds and remembers the first error number; whoever closes the file asks for it.

#include <hdf5.h>

namespace rhumb::io {

/// Lets files created with these properties write through the driver; `error` becomes the first error number, and must
/// outlive the file. Returns less than zero when HDF5 refuses.
herr_t use_patient_disk(hid_t access, int* error);

} // namespace rhumb::io
