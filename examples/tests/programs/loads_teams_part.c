// Executes so many parallel regions of two threads. Returns how often a thread has executed one.
int regions_of(int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++) {
#pragma omp parallel num_threads(2) reduction(+ : sum) // loaded
        sum++;
    }
    return sum;
}
