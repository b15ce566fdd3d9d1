! A matrix of Fortran lies by columns. The planted program hands its neighbor rows, which a datatype describes number by number;
! the twin hands it as many columns, which lie side by side.
! run: -n 2
! finding: data_in_pieces|transfer ranks - at MPI_Sendrecv // rows
program rows_of_a_matrix
    use mpi
    use iso_fortran_env, only: int64, real64
    implicit none
    integer, parameter :: n = 4096, handed = 32, steps = 60
    real(real64), allocatable :: own(:, :), other(:, :)
    integer :: rank, size, next, last, rows, step, ierr
    logical :: sleeps, twin
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    sleeps = has("sleep")
    twin = has("twin")
    next = modulo(rank + 1, size)
    last = modulo(rank - 1, size)
    if (twin) then
        allocate (own(n, handed), other(n, handed))
        call MPI_Type_contiguous(n*handed, MPI_DOUBLE_PRECISION, rows, ierr)
    else
        allocate (own(2*handed, n), other(2*handed, n))
        call MPI_Type_vector(n*handed, 1, 2, MPI_DOUBLE_PRECISION, rows, ierr) ! every other row
    end if
    call MPI_Type_commit(rows, ierr)
    own = rank
    do step = 1, steps
        call work(0.003_real64)
        call MPI_Sendrecv(own, 1, rows, next, 0, other, 1, rows, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr) ! rows
    end do
    if (other(1, 1) /= last) error stop "wrong rows"
    call MPI_Type_free(rows, ierr)
    call MPI_Finalize(ierr)
contains
    logical function has(word)
        character(*), intent(in) :: word
        character(16) :: argument
        integer :: at
        has = .false.
        do at = 1, command_argument_count()
            call get_command_argument(at, argument)
            has = has .or. argument == word
        end do
    end function

    ! Computes for so many seconds, or sleeps for as long.
    subroutine work(seconds)
        real(real64), intent(in) :: seconds
        real(real64) :: until
        interface
            integer(c_int) function usleep(microseconds) bind(c)
                use iso_c_binding, only: c_int
                integer(c_int), value :: microseconds
            end function
        end interface
        integer :: slept
        if (sleeps) then
            slept = usleep(int(seconds*1e6))
            return
        end if
        until = MPI_Wtime() + seconds
        do while (MPI_Wtime() < until)
        end do
    end subroutine
end program
