#ifndef LARDER_CZLIB_SHIM_H
#define LARDER_CZLIB_SHIM_H

#include <zlib.h>

/* inflateInit2 is a macro over sizeof(z_stream), which Swift can't import. */
static inline int larder_inflateInit2(z_stream *stream, int windowBits) {
    return inflateInit2(stream, windowBits);
}

#endif
