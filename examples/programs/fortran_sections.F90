! Array sections by the module mpi_f08. MPICH's binding makes, commits and frees a datatype for each that is not contiguous: those
! calls are not the program's. Where a library cannot take sections (Open MPI), the compiler copies them for blocking calls.
! needs: mpi_f08
! languages: Fortran 2008
! run: -n 2
! expect: calls MPI_Send = 2 * 5
! expect: calls MPI_Send at section out = 5
! expect: calls MPI_Recv = 2 * 5
! expect: calls MPI_Recv at section in = 5
! expect: sent MPI_Send = 2 * 5 * 50 * 4
! expect: received MPI_Recv = 2 * 5 * 50 * 4
! expect: calls MPI_Isend = 2 * 5
! expect: calls MPI_Irecv = 2 * 5
! expect: sent MPI_Isend = 2 * 5 * 50 * 4
! expect: calls MPI_Waitall = 2 * 5
! expect: calls MPI_Bcast at section of two = 2 * 5
! expect: sent MPI_Bcast rank 0 = 5 * 10 * 4
! expect: calls MPI_Gather = 2 * 5
! expect: sent MPI_Gather rank 1 = 5 * 5 * 4
! expect: calls MPI_Type_vector at own type = 2
! expect: calls MPI_Type_vector = 2
! expect: calls MPI_Type_contiguous = 2 * 5
! expect: calls MPI_Type_commit = 2 + 2 * 5
! expect: calls MPI_Type_free = 2 + 2 * 5
! expect: calls MPI_Sendrecv = 2
! expect: sent MPI_Sendrecv = 2 * 50 * 4
! expect: nested MPI_Type_free = 0
! expect: calls MPI_Reduce = 2
program fortran_sections
  use mpi_f08
  implicit none
  integer, parameter :: ROUNDS = 5, COUNT = 100
  integer, asynchronous :: out(COUNT), in(COUNT), whole(COUNT / 2), got(COUNT / 2)
  integer :: rank, other, round, table(10, 10), each(10)
  type(MPI_Datatype) :: every_second, pair
  type(MPI_Request) :: requests(2)
  logical :: good, flag

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  other = 1 - rank
  good = .true.
  call MPI_Type_vector(COUNT / 2, 1, 2, MPI_INTEGER, every_second)  ! own type
  call MPI_Type_commit(every_second)
  do round = 1, ROUNDS
    out = rank + round
    in = -1
    if (rank == 0) then
      call MPI_Send(out(1:COUNT:2), COUNT / 2, MPI_INTEGER, other, 3, MPI_COMM_WORLD)  ! section out
      call MPI_Recv(in(1:COUNT:2), COUNT / 2, MPI_INTEGER, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE)  ! section in
    else
      call MPI_Recv(in(1:COUNT:2), COUNT / 2, MPI_INTEGER, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call MPI_Send(out(1:COUNT:2), COUNT / 2, MPI_INTEGER, other, 3, MPI_COMM_WORLD)
    end if
    good = good .and. all(in(1:COUNT:2) == other + round) .and. all(in(2:COUNT:2) == -1)
    in = -1
    if (MPI_SUBARRAYS_SUPPORTED) then
      call MPI_Irecv(in(2:COUNT:2), COUNT / 2, MPI_INTEGER, other, 4, MPI_COMM_WORLD, requests(1))
      call MPI_Isend(out(2:COUNT:2), COUNT / 2, MPI_INTEGER, other, 4, MPI_COMM_WORLD, requests(2))
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    else
      whole = out(2:COUNT:2)
      call MPI_Irecv(got, COUNT / 2, MPI_INTEGER, other, 4, MPI_COMM_WORLD, requests(1))
      call MPI_Isend(whole, COUNT / 2, MPI_INTEGER, other, 4, MPI_COMM_WORLD, requests(2))
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
      in(2:COUNT:2) = got
    end if
    good = good .and. all(in(2:COUNT:2) == other + round) .and. all(in(1:COUNT:2) == -1)
    table = rank
    call MPI_Bcast(table(1:10:2, 1:10:5), 10, MPI_INTEGER, 0, MPI_COMM_WORLD)  ! section of two
    good = good .and. all(table(1:10:2, 1:10:5) == 0) .and. all(table(2:10:2, :) == rank)
    call MPI_Gather(table(2, 2:10:2), 5, MPI_INTEGER, each, 5, MPI_INTEGER, 0, MPI_COMM_WORLD)
    if (rank == 0) good = good .and. all(each(1:5) == 0) .and. all(each(6:10) == 1)
    call MPI_Type_contiguous(2, MPI_INTEGER, pair)
    call MPI_Type_commit(pair)
    call MPI_Type_free(pair)
  end do
  in = -1
  call MPI_Sendrecv(out, 1, every_second, other, 5, in, 1, every_second, other, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  good = good .and. all(in(1:COUNT:2) == other + ROUNDS)
  call MPI_Type_free(every_second)
  call MPI_Reduce(good, flag, 1, MPI_LOGICAL, MPI_LAND, 0, MPI_COMM_WORLD)
  if (rank == 0 .and. flag) print '(a)', 'ok'
  call MPI_Finalize()
end program
