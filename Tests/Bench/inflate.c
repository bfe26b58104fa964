/* zlib's own speed: inflates every deflate stream that stands in a file, as `unpack.py` lists them on standard input, and throws the bytes away.
 *
 *     inflate FILE < LIST        (a line for each stream: its offset and length in the file)
 */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <zlib.h>

int main(int argc, char **argv) {
    static unsigned char output[256 << 10];
    struct stat status;
    int file = argc == 2 ? open(argv[1], O_RDONLY) : -1;
    if (file < 0 || fstat(file, &status) != 0) return 1;
    unsigned char *bytes = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED) return 1;
    z_stream stream = {0};
    /* Bare deflate: no checksum is taken. */
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return 1;
    long long offset, length;
    while (scanf("%lld %lld", &offset, &length) == 2) {
        int code = inflateReset(&stream);
        stream.next_in = bytes + offset;
        stream.avail_in = length;
        while (code == Z_OK) {
            stream.next_out = output;
            stream.avail_out = sizeof output;
            code = inflate(&stream, Z_NO_FLUSH);
        }
        if (code != Z_STREAM_END) return 1;
    }
    return 0;
}
