// Implicit heat steps by conjugate gradients in the form of Chronopoulos and Gear, whose three scalar products are at hand together.
// Each is summed by an MPI_Allreduce of its own. Cured: one sums the three.
#include "unseen.h"

enum { N = 250, STEPS = 3600, ITERATIONS = 40 };

struct vector {
    double at[N + 2]; // a value of each neighbor around the own
};

static struct vector x, r, p, w, s;

static void halo(struct vector *v)
{
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    v->at[0] = v->at[N + 1] = 0;
    MPI_Sendrecv(&v->at[1], 1, MPI_DOUBLE, left, 0, &v->at[N + 1], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&v->at[N], 1, MPI_DOUBLE, right, 1, &v->at[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void multiply(struct vector *v, struct vector *result)
{
    halo(v);
    for (int i = 1; i <= N; i++)
        result->at[i] = 2.5 * v->at[i] - v->at[i - 1] - v->at[i + 1];
}

static double dot(const struct vector *a, const struct vector *b)
{
    double sum = 0;
    for (int i = 1; i <= N; i++)
        sum += a->at[i] * b->at[i];
    return sum;
}

static void sum_over_ranks(double *scalars)
{
    if (cured) {
        MPI_Allreduce(MPI_IN_PLACE, scalars, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        return;
    }
    MPI_Allreduce(MPI_IN_PLACE, &scalars[0], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // gamma
    MPI_Allreduce(MPI_IN_PLACE, &scalars[1], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // delta
    MPI_Allreduce(MPI_IN_PLACE, &scalars[2], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // size of x
}

// Returns the square of the residual that is left.
static double solve(void)
{
    double gamma_before = 1, alpha = 1, gamma = 0;
    for (int i = 0; i < N + 2; i++)
        x.at[i] = p.at[i] = s.at[i] = 0;
    for (int k = 0; k < ITERATIONS; k++) {
        multiply(&r, &w);
        double scalars[3] = {dot(&r, &r), dot(&w, &r), dot(&x, &x)};
        sum_over_ranks(scalars);
        gamma = scalars[0];
        if (gamma < 1e-20 * (1 + scalars[2]))
            break;
        double beta = k ? gamma / gamma_before : 0;
        alpha = k ? gamma / (scalars[1] - beta * gamma / alpha) : gamma / scalars[1];
        for (int i = 1; i <= N; i++) {
            p.at[i] = r.at[i] + beta * p.at[i];
            s.at[i] = w.at[i] + beta * s.at[i];
            x.at[i] += alpha * p.at[i];
            r.at[i] -= alpha * s.at[i];
        }
        gamma_before = gamma;
    }
    return gamma;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    int correct = 1;
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        for (int i = 1; i <= N; i++)
            r.at[i] = 1 + (i * 37 + step) % 11;
        correct &= solve() < 1e-6;
    }
    return end(correct);
}
