#ifndef LARDER_CCRYPTO_SHIM_H
#define LARDER_CCRYPTO_SHIM_H

#include <openssl/evp.h>

#endif
