! A lattice-Boltzmann channel at the end of its strong scaling: few cells per rank, and each of the three populations that cross an edge
! goes in a message of its own. Cured: the three in one message.
module lattice
    implicit none
    integer, parameter :: width = 24, height = 3, moves = 100000
    integer, parameter :: cx(0:8) = [0, 1, 0, -1, 0, 1, -1, -1, 1], cy(0:8) = [0, 0, 1, 0, -1, 1, 1, -1, -1]
    integer, parameter :: up(3) = [2, 5, 6], down(3) = [4, 7, 8]
    double precision, parameter :: weight(0:8) = [4d0/9, 1d0/9, 1d0/9, 1d0/9, 1d0/9, 1d0/36, 1d0/36, 1d0/36, 1d0/36]
    double precision :: f(width, 0:height + 1, 0:8), g(width, 0:height + 1, 0:8)
    logical :: cured
    integer :: rank, ranks, above, below
contains

    subroutine collide()
        integer :: i, j, k
        double precision :: density, vx, vy, along, at_rest
        do j = 1, height
            do i = 1, width
                density = sum(f(i, j, :))
                vx = sum(f(i, j, :) * cx) / density
                vy = sum(f(i, j, :) * cy) / density
                do k = 0, 8
                    along = cx(k) * vx + cy(k) * vy
                    at_rest = weight(k) * density * (1 + 3*along + 4.5d0*along**2 - 1.5d0*(vx**2 + vy**2))
                    g(i, j, k) = f(i, j, k) + 0.8d0 * (at_rest - f(i, j, k))
                end do
            end do
        end do
    end subroutine

    subroutine exchange()
        use mpi
        integer :: k, error
        double precision :: leaving(width, 3), coming(width, 3)
        if (cured) then
            leaving = g(:, height, up)
            call MPI_Sendrecv(leaving, 3*width, MPI_DOUBLE_PRECISION, above, 0, coming, 3*width, MPI_DOUBLE_PRECISION, below, 0, &
                MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
            g(:, 0, up) = coming
            leaving = g(:, 1, down)
            call MPI_Sendrecv(leaving, 3*width, MPI_DOUBLE_PRECISION, below, 1, coming, 3*width, MPI_DOUBLE_PRECISION, above, 1, &
                MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
            g(:, height + 1, down) = coming
            return
        end if
        do k = 1, 3
            call send_on(g(:, height, up(k)), above, g(:, 0, up(k)), below)
            call send_on(g(:, 1, down(k)), below, g(:, height + 1, down(k)), above)
        end do
    end subroutine

    subroutine send_on(row, to, into, from)
        use mpi
        double precision, intent(in) :: row(width)
        double precision, intent(out) :: into(width)
        integer, intent(in) :: to, from
        integer :: error, status(MPI_STATUS_SIZE)
        call MPI_Sendrecv(row, width, MPI_DOUBLE_PRECISION, to, 2, into, width, MPI_DOUBLE_PRECISION, from, 2, & ! one population
            MPI_COMM_WORLD, status, error)
    end subroutine

    subroutine stream()
        integer :: j, k
        do k = 0, 8
            do j = 1, height
                f(:, j, k) = cshift(g(:, j - cy(k), k), -cx(k))
            end do
        end do
    end subroutine
end module

program lattice_boltzmann
    use mpi
    use lattice
    implicit none
    integer :: move, k, error, correct, everywhere
    double precision :: began, mine, longest, mass, all_mass
    character(len=16) :: argument
    call get_command_argument(1, argument)
    cured = argument == 'cured'
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    above = mod(rank + 1, ranks)
    below = mod(rank + ranks - 1, ranks)
    do k = 0, 8
        f(:, :, k) = weight(k)
    end do
    f(3, 2, 1) = 0.2d0
    g = f
    call MPI_Barrier(MPI_COMM_WORLD, error)
    began = MPI_Wtime()
    do move = 1, moves
        call collide()
        call exchange()
        call stream()
    end do
    mine = MPI_Wtime() - began
    mass = sum(f(:, 1:height, :))
    call MPI_Allreduce(mass, all_mass, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    correct = merge(1, 0, abs(all_mass - ranks * (width * height + 0.2d0 - 1d0/9)) < 1d-6)
    call MPI_Reduce(mine, longest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, error)
    call MPI_Allreduce(correct, everywhere, 1, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, error)
    if (rank == 0) print '(a,f0.6)', 'loop ', longest
    if (rank == 0) print '(a)', merge('ok   ', 'WRONG', everywhere == 1)
    call MPI_Finalize(error)
    if (everywhere == 0) stop 1
end program
