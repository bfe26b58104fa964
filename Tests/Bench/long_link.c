/* The long link: a proxy of bytes, for one server on this machine, that delays each direction by so many milliseconds and holds each connection,
   or all of them together, to so many bytes a second towards the client.

       long_link PORT SERVER_PORT DELAY_MS BYTES_PER_SECOND each|all

   One process a connection; each direction is a ring of bytes with the moments at which they may go on. */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <fcntl.h>

/* As much as is on its way at once at ten times the rates that are measured. */
enum { RING_BYTES = 1 << 20, MARKS = 4096, TICK_MS = 2 };

struct mark {
    double due;
    size_t bytes;
};

/* What may pass, by a rate. */
struct bucket {
    atomic_flag is_taken;
    double rate, allowance, filled;
};

struct direction {
    int from, to;
    double delay;
    struct bucket *bucket;
    int is_ended, is_closed;
    unsigned char *ring;
    size_t head, count;
    struct mark marks[MARKS];
    size_t first_mark, mark_count;
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

/* Takes up to so many bytes out of a bucket, which fills meanwhile. */
static size_t allowed(struct bucket *bucket, size_t wanted, double time) {
    while (atomic_flag_test_and_set(&bucket->is_taken)) {}
    if (time > bucket->filled) {
        /* A hundredth of a second's worth may gather. */
        bucket->allowance += (time - bucket->filled) * bucket->rate;
        if (bucket->allowance > bucket->rate / 100) bucket->allowance = bucket->rate / 100;
        bucket->filled = time;
    }
    if (wanted > bucket->allowance) wanted = bucket->allowance < 1 ? 0 : (size_t)bucket->allowance;
    bucket->allowance -= (double)wanted;
    atomic_flag_clear(&bucket->is_taken);
    return wanted;
}

static void give_back(struct bucket *bucket, size_t bytes) {
    while (atomic_flag_test_and_set(&bucket->is_taken)) {}
    bucket->allowance += (double)bytes;
    atomic_flag_clear(&bucket->is_taken);
}

/* Takes what has come, as far as the rate allows. */
static int take(struct direction *way, double time) {
    if (way->is_ended || way->count == RING_BYTES || way->mark_count == MARKS) return 0;
    size_t room = RING_BYTES - way->count;
    size_t tail = (way->head + way->count) % RING_BYTES;
    if (room > RING_BYTES - tail) room = RING_BYTES - tail;
    if (way->bucket && (room = allowed(way->bucket, room, time)) == 0) return 0;
    ssize_t got = recv(way->from, way->ring + tail, room, MSG_DONTWAIT);
    if (way->bucket) give_back(way->bucket, room - (got > 0 ? (size_t)got : 0));
    if (got < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
    struct mark *mark = &way->marks[(way->first_mark + way->mark_count++) % MARKS];
    *mark = (struct mark){time + way->delay, (size_t)got};
    way->is_ended = got == 0;
    way->count += (size_t)got;
    return 0;
}

/* Hands on what has been under way for long enough. */
static int hand_on(struct direction *way, double time) {
    while (way->mark_count > 0 && way->marks[way->first_mark].due <= time) {
        struct mark *mark = &way->marks[way->first_mark];
        while (mark->bytes > 0) {
            size_t part = mark->bytes;
            if (part > RING_BYTES - way->head) part = RING_BYTES - way->head;
            ssize_t sent = send(way->to, way->ring + way->head, part, MSG_DONTWAIT | MSG_NOSIGNAL);
            if (sent < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
            way->head = (way->head + (size_t)sent) % RING_BYTES;
            way->count -= (size_t)sent;
            mark->bytes -= (size_t)sent;
        }
        way->first_mark = (way->first_mark + 1) % MARKS;
        way->mark_count--;
        if (way->is_ended && way->mark_count == 0 && !way->is_closed) {
            shutdown(way->to, SHUT_WR);
            way->is_closed = 1;
        }
    }
    return 0;
}

static int connected(int port) {
    int server = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (server < 0 || connect(server, (struct sockaddr *)&address, sizeof address) < 0) _exit(1);
    return server;
}

static void carry(int client, int server_port, double delay, struct bucket *bucket) {
    int server = connected(server_port);
    int one = 1;
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct direction *ways = calloc(2, sizeof *ways);
    if (!ways) _exit(1);
    for (int i = 0; i < 2; i++) {
        ways[i].from = i ? server : client;
        ways[i].to = i ? client : server;
        ways[i].delay = delay;
        ways[i].bucket = i ? bucket : NULL;
        ways[i].ring = malloc(RING_BYTES);
        if (!ways[i].ring) _exit(1);
    }
    while (!ways[0].is_closed || !ways[1].is_closed) {
        double time = now();
        for (int i = 0; i < 2; i++)
            if (take(&ways[i], time) < 0 || hand_on(&ways[i], time) < 0) _exit(0);
        /* Idle connections wait for something to come; busy ones for the next tick. */
        int is_idle = ways[0].mark_count == 0 && ways[1].mark_count == 0;
        struct pollfd both[2] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
        if (is_idle) {
            for (int i = 0; i < 2; i++)
                if (ways[i].is_ended) both[i].fd = -1;
            poll(both, 2, 1000);
        }
        usleep(TICK_MS * 1000);
    }
    _exit(0);
}

int main(int count, char **arguments) {
    int is_shared = count == 6 && strcmp(arguments[5], "all") == 0;
    if (count != 6 || (!is_shared && strcmp(arguments[5], "each") != 0)) {
        fprintf(stderr, "usage: long_link PORT SERVER_PORT DELAY_MS BYTES_PER_SECOND each|all\n");
        return 64;
    }
    struct bucket *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return 1;
    *shared = (struct bucket){ATOMIC_FLAG_INIT, atof(arguments[4]), 0, now()};
    signal(SIGCHLD, SIG_IGN);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    int one = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    /* Small windows: bytes wait at the server's, not here. */
    int window = 256 << 10;
    setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &window, sizeof window);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(arguments[1]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 64) < 0) {
        perror("long_link");
        return 1;
    }
    printf("ready\n");
    fflush(stdout);
    for (;;) {
        int client = accept(listener, NULL, NULL);
        if (client < 0) continue;
        if (fork() == 0) {
            close(listener);
            struct bucket own = {ATOMIC_FLAG_INIT, shared->rate, 0, now()};
            carry(client, atoi(arguments[2]), atof(arguments[3]) / 1000, is_shared ? shared : &own);
        }
        close(client);
    }
}
