! The same by the module mpi.
! as: fortran.inc
! languages: Fortran
#define COMMUNICATOR integer
#define DATATYPE integer
#define REQUEST integer
#define STATUSES integer, dimension(MPI_STATUS_SIZE, 2)
#define FIRST statuses(:, 1)
#define SOURCE_OF(at) statuses(MPI_SOURCE, at)
#define TAG_OF(at) statuses(MPI_TAG, at)
program fortran_module
  use mpi
  implicit none
#include "fortran.inc"
end program
