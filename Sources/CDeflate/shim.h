#ifndef LARDER_CDEFLATE_SHIM_H
#define LARDER_CDEFLATE_SHIM_H

#include <libdeflate.h>

#endif
