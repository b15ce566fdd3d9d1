// A library with one function, which has another name in each of the libraries that are built of this.
void NAME(void (*layer)(const char *), const char *path);

void NAME(void (*layer)(const char *), const char *path)
{
    layer(path);
    __asm__ volatile("" ::: "memory");
}
