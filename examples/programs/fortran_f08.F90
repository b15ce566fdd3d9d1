! The same by the module mpi_f08.
! needs: mpi_f08
! run: -n 4
! languages: Fortran 2008
! filter: +query
! expect: calls MPI_Comm_rank = 4
! expect: calls MPI_Comm_size = 4
! expect: calls MPI_Wtime = 4 * 2
! expect: calls MPI_Get_count = 4
! expect: calls MPI_Send = 4 * 5
! expect: calls MPI_Send at even ranks send = 2 * 5
! expect: calls MPI_Send at odd ranks send = 2 * 5
! expect: sent MPI_Send rank 1 = 5 * 100 * 4
! expect: messages MPI_Send 1 -> 2 = 5
! expect: calls MPI_Recv = 4 * 5
! expect: received MPI_Recv rank 1 = 5 * 100 * 4
! expect: calls MPI_Isend = 4 * 5
! expect: calls MPI_Irecv = 4 * 5
! expect: calls MPI_Waitall = 4 * 6
! expect: calls MPI_Waitall at waits for both = 4 * 4
! expect: calls MPI_Sendrecv = 4
! expect: sent MPI_Sendrecv rank 2 = 40
! expect: calls MPI_Allreduce at in place = 4
! expect: sent MPI_Allreduce = 4 * 16
! expect: calls MPI_Bcast = 4
! expect: sent MPI_Bcast rank 1 = 28
! expect: received MPI_Bcast rank 1 = 0
! expect: calls MPI_Comm_split = 4
! expect: calls MPI_Comm_free = 4
! expect: calls MPI_Barrier = 4
! expect: calls MPI_Type_contiguous = 4
! expect: calls MPI_Type_commit = 4
! expect: calls MPI_Type_free = 4
! expect: calls MPI_Allgather = 4
! expect: received MPI_Allgather rank 0 = 4 * 8
! expect: calls MPI_Send_init = 4
! expect: calls MPI_Recv_init = 4
! expect: calls MPI_Startall = 4
! expect: calls MPI_Request_free = 4 * 2
! expect: calls MPI_Iprobe = 4
! expect: calls MPI_Reduce = 4
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
