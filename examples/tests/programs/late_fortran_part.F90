! What late_fortran.c loads: ten messages from rank 0 to rank 1.
subroutine communicate()
  use mpi
  implicit none
  integer :: rank, round, data, code
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  do round = 1, 10
    if (rank == 0) then
      call MPI_Send(round, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, code)
    else
      call MPI_Recv(data, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
    end if
  end do
  if (rank == 0) print '(a)', 'ok'
  call MPI_Finalize(code)
end subroutine
