! Calls MPI from subroutines of a module, from one that is contained in another, and from the main program.
module work
  use mpi
  implicit none
contains
  subroutine layer()
    double precision :: in, out
    integer :: error
    in = 1
    call MPI_Allreduce(in, out, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_SELF, error)
    if (error /= MPI_SUCCESS) stop 1
  end subroutine layer

  subroutine solver()
    call layer()
    call inner()
    if (work_done() < 0) stop 1
  contains
    subroutine inner()
      call layer()
      if (work_done() < 0) stop 1
    end subroutine inner
  end subroutine solver

  subroutine check()
    call layer()
    if (work_done() < 0) stop 1
  end subroutine check

  integer function work_done()
    work_done = 1
  end function work_done
end module work

program call_paths
  use work
  implicit none
  integer :: error, turn, rank
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  do turn = 1, 40
    call solver()
    call check()
  end do
  if (rank == 0) then
    print '(a)', '40 main > call_paths > work::solver > work::layer > MPI_Allreduce'
    print '(a)', '40 main > call_paths > work::solver > inner > work::layer > MPI_Allreduce'
    print '(a)', '40 main > call_paths > work::check > work::layer > MPI_Allreduce'
  end if
  call MPI_Finalize(error)
end program call_paths
