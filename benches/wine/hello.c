/* A program that starts and ends: what a start costs at least. */
#include <stdio.h>

int main(void) {
    puts("hello");
    return 0;
}
