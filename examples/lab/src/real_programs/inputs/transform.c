// A real transform of 48 x 40 x 32 numbers there and back, spread over the ranks; says what the spectrum adds up to.
#include <complex.h>
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>

int main(int argc, char **argv) {
    const ptrdiff_t n[3] = {48, 40, 32}, half = n[2] / 2 + 1;
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    ptrdiff_t planes, first;
    ptrdiff_t size = fftw_mpi_local_size_3d(n[0], n[1], half, MPI_COMM_WORLD, &planes, &first);
    double *numbers = fftw_alloc_real(2 * size);
    fftw_complex *spectrum = fftw_alloc_complex(size);
    fftw_plan there = fftw_mpi_plan_dft_r2c_3d(n[0], n[1], n[2], numbers, spectrum, MPI_COMM_WORLD, FFTW_ESTIMATE);
    fftw_plan back = fftw_mpi_plan_dft_c2r_3d(n[0], n[1], n[2], spectrum, numbers, MPI_COMM_WORLD, FFTW_ESTIMATE);
    for (int round = 0; round < 20; round++) {
        for (ptrdiff_t i = 0; i < planes * n[1]; i++)
            for (ptrdiff_t j = 0; j < n[2]; j++)
                numbers[i * 2 * half + j] = sin((first * n[1] + i) * 0.37 + j * round);
        fftw_execute(there);
        double sum = 0, total, wrong = 0, most;
        for (ptrdiff_t i = 0; i < planes * n[1] * half; i++)
            sum += cabs(spectrum[i]);
        fftw_execute(back);
        for (ptrdiff_t i = 0; i < planes * n[1]; i++)
            for (ptrdiff_t j = 0; j < n[2]; j++)
                wrong = fmax(wrong, fabs(numbers[i * 2 * half + j] / (n[0] * n[1] * n[2])
                                         - sin((first * n[1] + i) * 0.37 + j * round)));
        MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        MPI_Reduce(&wrong, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        if (first == 0)
            printf("round %d: sum %.6e, back to within 1e-12: %d\n", round, total, most < 1e-12);
    }
    MPI_Finalize();
    return 0;
}
