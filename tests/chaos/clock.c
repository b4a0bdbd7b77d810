/* A host's clock that can be set: loaded before the C library, adds the seconds in the file $SET_CLOCK to the time of
   day. Clocks that nobody can set (monotonic ones, by which programs sleep) stay as they are. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int (*real)(clockid_t, struct timespec *);

static long offset(void) {
    const char *path = getenv("SET_CLOCK");
    char text[32] = {0};
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return 0;
    if (read(file, text, sizeof text - 1) < 0) text[0] = 0;
    close(file);
    return atol(text);
}

int clock_gettime(clockid_t which, struct timespec *at) {
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int failed = real(which, at);
    if (!failed && which == CLOCK_REALTIME) at->tv_sec += offset();
    return failed;
}

int gettimeofday(struct timeval *at, void *zone) {
    struct timespec now;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
    at->tv_sec = now.tv_sec;
    at->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *into) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (into) *into = now.tv_sec;
    return now.tv_sec;
}
