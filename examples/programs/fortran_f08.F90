! The same by the module mpi_f08.
! needs: mpi_f08
! as: fortran.inc
! languages: Fortran 2008
#define COMMUNICATOR type(MPI_Comm)
#define DATATYPE type(MPI_Datatype)
#define REQUEST type(MPI_Request)
#define STATUSES type(MPI_Status), dimension(2)
#define FIRST statuses(1)
#define SOURCE_OF(at) statuses(at)%MPI_SOURCE
#define TAG_OF(at) statuses(at)%MPI_TAG
program fortran_f08
  use mpi_f08
  implicit none
#include "fortran.inc"
end program
