! Each rank computes in two subroutines of a module and in one that is contained in another, and says in milliseconds what each took.
module work
  use mpi
  implicit none
  double precision :: taken(3) = 0, total = 0
contains
  subroutine compute(seconds, of)
    double precision, intent(in) :: seconds
    integer, intent(in) :: of
    double precision :: begin, now
    integer :: turn
    call cpu_time(begin)
    now = begin
    do while (now - begin < seconds)
      do turn = 1, 20000
        total = total + sqrt(dble(turn))
      end do
      call cpu_time(now)
    end do
    taken(of) = taken(of) + now - begin
  end subroutine compute

  subroutine assemble(seconds)
    double precision, intent(in) :: seconds
    call compute(seconds, 1)
    if (total < 0) stop 1
  end subroutine assemble

  subroutine solve(seconds)
    double precision, intent(in) :: seconds
    call compute(seconds, 2)
    call smooth()
    if (total < 0) stop 1
  contains
    subroutine smooth()
      call compute(seconds / 4, 3)
      if (total < 0) stop 1
    end subroutine smooth
  end subroutine solve
end module work

program sampled
  use work
  implicit none
  integer :: rank, step, of, error
  double precision :: all(3, 2)
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  do step = 1, 20
    call assemble(merge(0.08d0, 0.03d0, rank == 0))
    call solve(merge(0.06d0, 0.10d0, rank == 0))
    call MPI_Barrier(MPI_COMM_WORLD, error)
  end do
  call MPI_Gather(taken, 3, MPI_DOUBLE_PRECISION, all, 3, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
  if (rank == 0) then
    do of = 1, 2
      print '(i0, a, f0.0)', of - 1, ' work::assemble ', 1000 * all(1, of)
      print '(i0, a, f0.0)', of - 1, ' work::solve ', 1000 * all(2, of)
      print '(i0, a, f0.0)', of - 1, ' smooth ', 1000 * all(3, of)
    end do
  end if
  call MPI_Finalize(error)
end program sampled
