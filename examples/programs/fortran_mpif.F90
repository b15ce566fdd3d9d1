! Calls MPI from Fortran by mpif.h. What the binding asks of MPI on its way is not counted, and the places are those of
! the program.
! as: fortran.inc
! languages: Fortran
#define COMMUNICATOR integer
#define DATATYPE integer
#define REQUEST integer
#define STATUSES integer, dimension(MPI_STATUS_SIZE, 2)
#define FIRST statuses(:, 1)
#define SOURCE_OF(at) statuses(MPI_SOURCE, at)
#define TAG_OF(at) statuses(MPI_TAG, at)
program fortran_mpif
  implicit none
  include "mpif.h"
#include "fortran.inc"
end program
