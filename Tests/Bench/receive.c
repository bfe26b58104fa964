/* The floor beneath every downloader: asks for one file over HTTP/1.1, writes the body as it comes, and does nothing else.
 *
 *     receive PORT PATH FILE
 *
 * For a server that answers 200 with a Content-Length, on 127.0.0.1. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static char buffer[256 << 10];

static void write_all(int file, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(file, bytes, count);
        if (written < 0) err(1, "write");
        bytes += written;
        count -= (size_t)written;
    }
}

int main(int count, char **arguments) {
    if (count != 4) errx(64, "usage: %s PORT PATH FILE", arguments[0]);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(arguments[1]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int server = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(server, (struct sockaddr *)&address, sizeof address) != 0) err(1, "connect");
    int length = snprintf(buffer, sizeof buffer, "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", arguments[2]);
    write_all(server, buffer, (size_t)length);

    int file = open(arguments[3], O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file < 0) err(1, "%s", arguments[3]);
    char *body = NULL;
    size_t held = 0;
    while (body == NULL) {
        ssize_t received = recv(server, buffer + held, sizeof buffer - held, 0);
        if (received <= 0) errx(1, "the head is not complete");
        held += (size_t)received;
        body = memmem(buffer, held, "\r\n\r\n", 4);
    }
    body += 4;
    write_all(file, body, held - (size_t)(body - buffer));
    ssize_t received;
    while ((received = recv(server, buffer, sizeof buffer, 0)) > 0) write_all(file, buffer, (size_t)received);
    if (received < 0) err(1, "recv");
    return 0;
}
