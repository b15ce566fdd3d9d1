//! The kinds of arguments of MPI calls: the C type of each, and what the recorder learns from it.
//!
//! A row reads `Name "C type"` or, where the large-count form differs, `Name "C type" "C type in MPI_X_c"`.
//! The recorder evaluates the kinds under `facts`; it only passes on those under `plain`.

/// Hands all argument kinds to the macro `$with`.
#[macro_export]
macro_rules! kinds {
    ($with:ident) => {
        $with! {
        facts {
            // Buffers of a collective call, either of which may be MPI_IN_PLACE.
            SendBufOrInPlace "const void *";
            RecvBufOrInPlace "void *";

            // Buffers of other transfers, and where each process's part begins: in elements, or in bytes if each part
            // has a datatype of its own.
            SendBuf "const void *";
            RecvBuf "void *";
            SendRecvBuf "void *";
            Displs "const int *" "const MPI_Aint *";
            Aints "const MPI_Aint *";

            // Elements that leave and arrive. `Each` is per process of the communicator, `Counts` an array with one
            // number per process, `Root` significant at the root only, `Neighbor` per neighbor of the topology.
            SendCount "int" "MPI_Count";
            RecvCount "int" "MPI_Count";
            BothCount "int" "MPI_Count";
            BcastCount "int" "MPI_Count";
            ReduceCount "int" "MPI_Count";
            SendEach "int" "MPI_Count";
            RecvEach "int" "MPI_Count";
            RootSendEach "int" "MPI_Count";
            RootRecvEach "int" "MPI_Count";
            ReduceScatterEach "int" "MPI_Count";
            NeighborSendEach "int" "MPI_Count";
            NeighborRecvEach "int" "MPI_Count";
            SendCounts "const int *" "const MPI_Count *";
            RecvCounts "const int *" "const MPI_Count *";
            RootSendCounts "const int *" "const MPI_Count *";
            RootRecvCounts "const int *" "const MPI_Count *";
            ReduceScatterCounts "const int *" "const MPI_Count *";
            NeighborSendCounts "const int *" "const MPI_Count *";
            NeighborRecvCounts "const int *" "const MPI_Count *";
            Partitions "int";
            PartitionCount "MPI_Count";

            // Datatypes. `OneType` is one element of a type, both ways.
            SendType "MPI_Datatype";
            RecvType "MPI_Datatype";
            BothType "MPI_Datatype";
            OneType "MPI_Datatype";
            SendTypes "const MPI_Datatype *";
            RecvTypes "const MPI_Datatype *";

            // Partners and tags.
            Dest "int";
            Source "int";
            Root "int";
            Target "int";
            SendTag "int";
            RecvTag "int";

            // The group that a window is opened to, and the type of its lock.
            EpochGroup "MPI_Group";
            LockType "int";

            // The level of MPI_Pcontrol.
            Level "int";

            // The object that a call works on, and objects that it makes or frees.
            Comm "MPI_Comm";
            Win "MPI_Win";
            File "MPI_File";
            NewComm "MPI_Comm *";
            NewWin "MPI_Win *";
            NewFile "MPI_File *";
            FreeComm "MPI_Comm *";
            FreeWin "MPI_Win *";
            FreeFile "MPI_File *";
            FreeDatatype "MPI_Datatype *";
            FreeGroup "MPI_Group *";
            // A communicator's new name.
            ObjectName "const char *";

            // Requests that a call begins, creates inactive, starts, waits or tests for, frees, cancels, or marks a
            // partition of as ready.
            NewRequest "MPI_Request *";
            NewPersistent "MPI_Request *";
            StartRequest "MPI_Request *";
            StartRequests "MPI_Request *";
            WaitRequest "MPI_Request *";
            WaitRequests "MPI_Request *";
            FreeRequest "MPI_Request *";
            CancelRequest "MPI_Request *";
            ReadyRequest "MPI_Request";
            RequestCount "int";

            // Results.
            Status "MPI_Status *";
            Statuses "MPI_Status *";
            Flag "int *";
            Index "int *";
            Outcount "int *";
            Indices "int *";
            NewMessage "MPI_Message *";
            TakeMessage "MPI_Message *";
            NewSession "MPI_Session *";
            FreeSession "MPI_Session *";
        }
        plain {
            // Other addresses and numbers.
            Buf "void *";
            ConstBuf "const void *";
            Int "int";
            Ints "const int *";
            IntOut "int *";
            Ranges "int (*)[3]";
            Aint "MPI_Aint";
            AintOut "MPI_Aint *";
            Count "MPI_Count";
            CountOut "MPI_Count *";
            Offset "MPI_Offset";
            OffsetOut "MPI_Offset *";
            Fint "MPI_Fint";
            FintIn "const MPI_Fint *";
            FintOut "MPI_Fint *";
            Str "const char *";
            StrOut "char *";
            Strs "char **";
            Argvs "char ***";
            Varargs "...";

            // Lengths that the large-count forms widen.
            Len "int" "MPI_Count";
            Lens "const int *" "const MPI_Count *";
            LenOut "int *" "MPI_Count *";
            AintLen "MPI_Aint" "MPI_Count";
            AintLens "const MPI_Aint *" "const MPI_Count *";
            AintLenOut "MPI_Aint *" "MPI_Count *";
            DispUnit "int" "MPI_Aint";
            DispUnitOut "int *" "MPI_Aint *";

            // Handles that are only passed on.
            Datatype "MPI_Datatype";
            Datatypes "const MPI_Datatype *";
            DatatypesOut "MPI_Datatype *";
            NewDatatype "MPI_Datatype *";
            Group "MPI_Group";
            NewGroup "MPI_Group *";
            Op "MPI_Op";
            // An operation whose result on each process combines the values of lower ranks and its own.
            PrefixOp "MPI_Op";
            // The same without its own, so that the first process has no result.
            ExclusivePrefixOp "MPI_Op";
            NewOp "MPI_Op *";
            FreeOp "MPI_Op *";
            Info "MPI_Info";
            Infos "const MPI_Info *";
            NewInfo "MPI_Info *";
            FreeInfo "MPI_Info *";
            Errhandler "MPI_Errhandler";
            NewErrhandler "MPI_Errhandler *";
            FreeErrhandler "MPI_Errhandler *";
            Session "MPI_Session";
            Message "MPI_Message";
            PeekRequest "MPI_Request";
            PeekRequests "const MPI_Request *";
            StatusIn "const MPI_Status *";
            StatusOut "MPI_Status *";
            F08StatusIn "const MPI_F08_status *";
            F08StatusOut "MPI_F08_status *";

            // Callbacks.
            CommCopyFn "MPI_Comm_copy_attr_function *";
            CommDeleteFn "MPI_Comm_delete_attr_function *";
            TypeCopyFn "MPI_Type_copy_attr_function *";
            TypeDeleteFn "MPI_Type_delete_attr_function *";
            WinCopyFn "MPI_Win_copy_attr_function *";
            WinDeleteFn "MPI_Win_delete_attr_function *";
            CopyFn "MPI_Copy_function *";
            DeleteFn "MPI_Delete_function *";
            CommErrorFn "MPI_Comm_errhandler_function *";
            WinErrorFn "MPI_Win_errhandler_function *";
            FileErrorFn "MPI_File_errhandler_function *";
            SessionErrorFn "MPI_Session_errhandler_function *";
            HandlerFn "MPI_Handler_function *";
            UserFn "MPI_User_function *" "MPI_User_function_c *";
            GrequestQueryFn "MPI_Grequest_query_function *";
            GrequestFreeFn "MPI_Grequest_free_function *";
            GrequestCancelFn "MPI_Grequest_cancel_function *";
            DatarepFn "MPI_Datarep_conversion_function *" "MPI_Datarep_conversion_function_c *";
            DatarepExtentFn "MPI_Datarep_extent_function *";

            // The tool information interface.
            Enum "MPI_T_enum";
            EnumOut "MPI_T_enum *";
            Cvar "MPI_T_cvar_handle";
            NewCvar "MPI_T_cvar_handle *";
            FreeCvar "MPI_T_cvar_handle *";
            Pvar "MPI_T_pvar_handle";
            NewPvar "MPI_T_pvar_handle *";
            FreePvar "MPI_T_pvar_handle *";
            PvarSession "MPI_T_pvar_session";
            NewPvarSession "MPI_T_pvar_session *";
            FreePvarSession "MPI_T_pvar_session *";
            EventRegistration "MPI_T_event_registration";
            NewEventRegistration "MPI_T_event_registration *";
            EventInstance "MPI_T_event_instance";
            CallbackSafety "MPI_T_cb_safety";
            SourceOrderOut "MPI_T_source_order *";
            EventFn "MPI_T_event_cb_function";
            EventDroppedFn "MPI_T_event_dropped_cb_function";
            EventFreeFn "MPI_T_event_free_cb_function";
        }
        }
    };
}
