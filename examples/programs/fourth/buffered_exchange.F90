! Planes of a spectral code that are exchanged by buffered sends, so that nobody can deadlock: each is copied to the buffer before it is sent. Cured:
! MPI_Sendrecv, which cannot deadlock either.
module planes
    implicit none
    integer, parameter :: points = 500000, steps = 450
    double precision, allocatable :: plane(:), others(:), buffer(:)
    integer :: rank, ranks
    logical :: cured
contains

    subroutine allocate_buffer()
        use mpi
        integer :: bytes, error
        bytes = 2 * (8 * points + MPI_BSEND_OVERHEAD)
        allocate (plane(points), others(points), buffer(bytes / 8 + 1))
        plane = 1
        buffer = 0
        if (.not. cured) call MPI_Buffer_attach(buffer, bytes, error)
    end subroutine

    subroutine exchange()
        use mpi
        integer :: error
        if (cured) then
            call MPI_Sendrecv(plane, points, MPI_DOUBLE_PRECISION, 1 - rank, 0, others, points, & ! both ways
                MPI_DOUBLE_PRECISION, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        else
            call MPI_Bsend(plane, points, MPI_DOUBLE_PRECISION, 1 - rank, 0, MPI_COMM_WORLD, error) ! by way of the buffer
            call MPI_Recv(others, points, MPI_DOUBLE_PRECISION, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error) ! other plane
        end if
    end subroutine

    subroutine transform()
        integer :: i
        do i = 1, points
            plane(i) = 0.5d0 * (plane(i) + others(i))
        end do
    end subroutine
end module

program spectral
    use mpi
    use planes
    implicit none
    double precision :: began, took, longest
    integer :: step, error, correct, everywhere
    character(len=16) :: argument
    call get_command_argument(1, argument)
    cured = argument == 'cured'
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    call allocate_buffer()
    call MPI_Barrier(MPI_COMM_WORLD, error)
    began = MPI_Wtime()
    do step = 1, steps
        call exchange()
        call transform()
    end do
    took = MPI_Wtime() - began
    correct = merge(1, 0, maxval(abs(plane - 1)) < 1d-9)
    call MPI_Reduce(took, longest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, error)
    call MPI_Allreduce(correct, everywhere, 1, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, error)
    if (rank == 0) print '(a,f0.6)', 'loop ', longest
    if (rank == 0) print '(a)', merge('ok   ', 'WRONG', everywhere == 1)
    call MPI_Finalize(error)
    if (everywhere == 0) stop 1
end program
