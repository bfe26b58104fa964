#ifndef LARDER_CEXPAT_SHIM_H
#define LARDER_CEXPAT_SHIM_H

#include <expat.h>

#endif
