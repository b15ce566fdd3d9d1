// same_messages.c but for one number.
// run: -n 3
// set: OVERHEAR_CHECKSUM=crc32
#define CHANGED
#include "same_messages.c"
