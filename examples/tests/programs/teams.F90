! Two ranks of two threads. In each of 40 rounds the second thread sleeps twice as long as the first in a region, then the first sleeps
! alone, and rank 1 for longer, so that rank 0 waits in MPI. Each rank says in seconds what it measured.
program teams
  use mpi
  use omp_lib
  use iso_c_binding
  implicit none
  interface
    integer(c_int) function usleep(microseconds) bind(c)
      import c_int
      integer(c_int), value :: microseconds
    end function usleep
  end interface
  integer :: ierror, provided, rank, round, total, turn, thread
  double precision :: took(0:1), work, longest, idle, inside, serial, in_mpi, begin, begun, alone
  work = 0
  longest = 0
  idle = 0
  inside = 0
  in_mpi = 0
  total = 0
  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  begun = omp_get_wtime()
  do round = 1, 40
    begin = omp_get_wtime()
    !$omp parallel num_threads(2) private(thread) ! uneven
    thread = omp_get_thread_num()
    took(thread) = nap(2000 * (thread + 1))
    !$omp end parallel
    begin = omp_get_wtime() - begin
    inside = inside + begin
    idle = idle + 2 * begin - sum(took)
    work = work + sum(took)
    longest = longest + maxval(took)
    alone = nap(2000 + 3000 * rank)
    begin = omp_get_wtime()
    call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    in_mpi = in_mpi + omp_get_wtime() - begin
  end do
  serial = omp_get_wtime() - begun - inside - in_mpi
  do turn = 0, 1
    if (turn == rank) then
      print '(i0, a, f0.6)', rank, ' work 0', work, rank, ' longest 0', longest, rank, ' idle 0', idle
      print '(i0, a, f0.6)', rank, ' serial 0', serial, rank, ' mpi 0', in_mpi
      flush (6)
    end if
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
  end do
  call MPI_Finalize(ierror)
contains
  double precision function nap(microseconds)
    integer, intent(in) :: microseconds
    integer(c_int) :: ignored
    double precision :: before
    before = omp_get_wtime()
    ignored = usleep(int(microseconds, c_int))
    nap = omp_get_wtime() - before
  end function nap
end program teams
