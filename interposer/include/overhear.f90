! Names parts of a program's run, for overhear. Compile it with the program.
!
!     use overhear
!     call overhear_begin("solve")
!     ...
!     call overhear_end()
!
! Regions may be nested, and belong to the thread that enters them. The recorder is looked up at run time: if the
! program is not recorded, the calls do nothing. Regions are recorded once MPI is initialized, and only in traces, not
! in profiles.
module overhear
    use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_procpointer, c_funptr, c_null_char, c_null_ptr, c_ptr
    implicit none
    private
    public :: overhear_begin, overhear_end

    abstract interface
        subroutine begin_region(name) bind(c)
            import :: c_char
            character(kind=c_char), intent(in) :: name(*)
        end subroutine
        subroutine end_region() bind(c)
        end subroutine
    end interface

    interface
        function dlsym(handle, symbol) bind(c)
            import :: c_char, c_funptr, c_ptr
            type(c_ptr), value :: handle
            character(kind=c_char), intent(in) :: symbol(*)
            type(c_funptr) :: dlsym
        end function
    end interface

    procedure(begin_region), pointer, save :: recorder_begin => null()
    procedure(end_region), pointer, save :: recorder_end => null()
    ! Set last, so that another thread either finds both pointers or looks them up itself.
    logical, volatile, save :: looked = .false.

contains

    ! Enters a region.
    subroutine overhear_begin(name)
        character(len=*), intent(in) :: name
        if (.not. looked) call look
        if (associated(recorder_begin)) call recorder_begin(trim(name)//c_null_char)
    end subroutine

    ! Leaves the region that this thread entered last.
    subroutine overhear_end()
        if (.not. looked) call look
        if (associated(recorder_end)) call recorder_end()
    end subroutine

    subroutine look
        type(c_funptr) :: found_begin, found_end
        ! A null handle searches the whole process: it is RTLD_DEFAULT.
        found_begin = dlsym(c_null_ptr, "overhear_begin"//c_null_char)
        found_end = dlsym(c_null_ptr, "overhear_end"//c_null_char)
        if (c_associated(found_begin) .and. c_associated(found_end)) then
            call c_f_procpointer(found_begin, recorder_begin)
            call c_f_procpointer(found_end, recorder_end)
        end if
        looked = .true.
    end subroutine
end module
