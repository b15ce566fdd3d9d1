//! Recipes that pass an argument of each kind: setup before the call, output after it, and cleanup.
//!
//! In the texts `{n}` is the argument's variable, `{a}` its name, `{t}` the C type it points to.

use traces::calls::ArgumentKind::{self, *};

/// C code that passes one argument.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// Runs before the call.
    pub before: &'static str,
    /// The actual argument.
    pub pass: &'static str,
    /// Completes the call, before its results are looked at.
    pub complete: &'static str,
    /// Prints the result.
    pub show: &'static str,
    /// Frees the argument.
    pub free: &'static str,
}

pub const fn value(pass: &'static str) -> Recipe {
    Recipe { before: "", pass, complete: "", show: "", free: "" }
}

impl Recipe {
    const fn before(self, before: &'static str) -> Recipe {
        Recipe { before, ..self }
    }

    const fn complete(self, complete: &'static str) -> Recipe {
        Recipe { complete, ..self }
    }

    const fn show(self, show: &'static str) -> Recipe {
        Recipe { show, ..self }
    }

    const fn free(self, free: &'static str) -> Recipe {
        Recipe { free, ..self }
    }
}

/// Memory that is read, written, or both.
const FILLED: Recipe = value("{n}").before("int {n}[64]; FILL({n});");
const RESULT: Recipe = value("{n}").before("{t} {n}[64]; BLANK({n});").show("show(\"{a}\", {n}, sizeof {n});");
const RECEIVED: Recipe = value("{n}").before("int {n}[64]; BLANK({n});").show("show(\"{a}\", {n}, sizeof {n});");
const CHANGED: Recipe = value("{n}").before("int {n}[64]; FILL({n});").show("show(\"{a}\", {n}, sizeof {n});");
const EACH: Recipe = value("{n}").before("{t} {n}[2] = {4, 4};");
/// Displacements that do not overlap, counted in elements or in bytes.
const APART: Recipe = value("{n}").before("{t} {n}[2] = {0, 16};");
const TYPES: Recipe = value("{n}").before("MPI_Datatype {n}[2] = {MPI_INT, MPI_INT};");
/// A status that may be ignored.
pub const STATUS: Recipe = value("ignore ? MPI_STATUS_IGNORE : {n}")
    .before("MPI_Status {n}[1]; BLANK({n});")
    .show("show(\"{a}\", {n}, sizeof {n});");
const TWO_RECEIVED: Recipe = value("{n}")
    .before("MPI_Request {n}[2] = {received(7), received(8)};")
    .free("PMPI_Waitall(2, {n}, MPI_STATUSES_IGNORE); part();");

pub const RECIPES: &[(&[ArgumentKind], Recipe)] = &[
    (&[SendBufOrInPlace, SendBuf, ConstBuf], FILLED),
    (&[RecvBufOrInPlace, RecvBuf], RECEIVED),
    (&[SendRecvBuf, Buf], CHANGED),
    (&[SendCount, RecvCount, BothCount, BcastCount, ReduceCount, SendEach, RecvEach], value("4")),
    (&[RootSendEach, RootRecvEach, ReduceScatterEach, NeighborSendEach, NeighborRecvEach], value("4")),
    (&[SendCounts, RecvCounts, RootSendCounts, RootRecvCounts, ReduceScatterCounts], EACH),
    (&[NeighborSendCounts, NeighborRecvCounts], EACH),
    (&[Displs, Aints, AintLens], APART),
    (&[Partitions, PartitionCount, RequestCount], value("2")),
    (&[SendType, RecvType, BothType, OneType, Datatype], value("MPI_INT")),
    (&[SendTypes, RecvTypes, Datatypes], TYPES),
    (&[Dest], value("other").before("expect(7);").complete("part();")),
    (&[Source], value("other").before("deliver(7);").complete("part();")),
    (&[Root], value("0")),
    (&[Target], value("other")),
    (&[SendTag, RecvTag], value("7")),
    (&[EpochGroup], value("others")),
    (&[LockType], value("MPI_LOCK_SHARED")),
    // Objects.
    (&[Comm], value("world")),
    (
        &[Win],
        value("{n}")
            .before("MPI_Win {n} = window();")
            .show("PMPI_Barrier(world); show(\"memory\", memory, sizeof memory);")
            .free("close_window(&{n});"),
    ),
    (&[File], value("{n}").before("MPI_File {n} = file();").free("close_file(&{n});")),
    (&[NewComm], value("&{n}").before("MPI_Comm {n} = MPI_COMM_NULL;").show("show_comm(\"{a}\", &{n});").free("free_comm(&{n});")),
    (&[NewWin], value("&{n}").before("MPI_Win {n} = MPI_WIN_NULL;").show("show(\"none\", &(int){{n} == MPI_WIN_NULL}, 4);").free("close_window(&{n});")),
    (&[NewFile], value("&{n}").before("MPI_File {n} = file(); PMPI_File_close(&{n});").free("close_file(&{n});")),
    (&[NewDatatype], value("&{n}").before("MPI_Datatype {n} = MPI_DATATYPE_NULL;").show("show_type(\"{a}\", {n});")),
    (&[NewGroup], value("&{n}").before("MPI_Group {n} = MPI_GROUP_NULL;").show("show_group(\"{a}\", {n});")),
    (&[NewInfo], value("&{n}").before("MPI_Info {n} = MPI_INFO_NULL;").show("show_info(\"{a}\", {n});")),
    (&[NewErrhandler], value("&{n}").before("MPI_Errhandler {n} = MPI_ERRHANDLER_NULL;").show("show(\"none\", &(int){{n} == MPI_ERRHANDLER_NULL}, 4);")),
    (&[NewOp], value("&{n}").before("MPI_Op {n} = MPI_OP_NULL;").show("show(\"none\", &(int){{n} == MPI_OP_NULL}, 4);")),
    (&[NewSession], value("&{n}").before("MPI_Session {n} = MPI_SESSION_NULL;").free("PMPI_Session_finalize(&{n});")),
    (&[FreeComm], value("&{n}").before("MPI_Comm {n}; PMPI_Comm_dup(world, &{n});").show("show_comm(\"{a}\", &{n});")),
    (&[FreeWin], value("&{n}").before("MPI_Win {n} = window();").show("show(\"none\", &(int){{n} == MPI_WIN_NULL}, 4);")),
    (&[FreeFile], value("&{n}").before("MPI_File {n} = file();").free("close_file(&{n});")),
    (&[FreeDatatype], value("&{n}").before("MPI_Datatype {n}; PMPI_Type_contiguous(3, MPI_INT, &{n});").show("show_type(\"{a}\", {n});")),
    (&[FreeGroup], value("&{n}").before("MPI_Group {n}; PMPI_Comm_group(world, &{n});").show("show_group(\"{a}\", {n});")),
    (&[FreeInfo], value("&{n}").before("MPI_Info {n} = new_info();").show("show_info(\"{a}\", {n});")),
    (&[FreeErrhandler], value("&{n}").before("MPI_Errhandler {n} = handler();").show("show(\"none\", &(int){{n} == MPI_ERRHANDLER_NULL}, 4);")),
    (&[FreeOp], value("&{n}").before("MPI_Op {n} = sum();").show("show(\"none\", &(int){{n} == MPI_OP_NULL}, 4);")),
    (&[Session], value("{n}").before("MPI_Session {n}; PMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &{n});").free("PMPI_Session_finalize(&{n});")),
    (&[FreeSession], value("&{n}").before("MPI_Session {n}; PMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &{n});").show("show(\"none\", &(int){{n} == MPI_SESSION_NULL}, 4);")),
    (&[Group], value("everyone")),
    (&[Op, PrefixOp, ExclusivePrefixOp], value("MPI_SUM")),
    (&[Info], value("MPI_INFO_NULL")),
    (&[Infos], value("{n}").before("MPI_Info {n}[2] = {MPI_INFO_NULL, MPI_INFO_NULL};")),
    (&[Errhandler], value("MPI_ERRORS_RETURN")),
    // Requests and messages.
    (&[NewRequest], value("&{n}").before("MPI_Request {n} = MPI_REQUEST_NULL;").complete("PMPI_Wait(&{n}, MPI_STATUS_IGNORE);")),
    (
        &[NewPersistent],
        value("&{n}")
            .before("MPI_Request {n} = MPI_REQUEST_NULL;")
            .complete("if ({n} != MPI_REQUEST_NULL) { PMPI_Start(&{n}); PMPI_Wait(&{n}, MPI_STATUS_IGNORE); PMPI_Request_free(&{n}); }"),
    ),
    (&[StartRequest], value("&{n}").before("MPI_Request {n} = prepared(7); expect(7);").complete("PMPI_Wait(&{n}, MPI_STATUS_IGNORE); part();").free("PMPI_Request_free(&{n});")),
    (
        &[StartRequests],
        value("{n}")
            .before("MPI_Request {n}[2] = {prepared(7), prepared(8)}; expect(7); expect(8);")
            .complete("PMPI_Waitall(2, {n}, MPI_STATUSES_IGNORE); part();")
            .free("PMPI_Request_free(&{n}[0]); PMPI_Request_free(&{n}[1]);"),
    ),
    (&[WaitRequest], value("&{n}").before("MPI_Request {n} = received(7);").free("PMPI_Wait(&{n}, MPI_STATUS_IGNORE); part();")),
    (&[PeekRequest], value("{n}").before("MPI_Request {n} = received(7);").free("PMPI_Wait(&{n}, MPI_STATUS_IGNORE); part();")),
    (&[WaitRequests, PeekRequests], TWO_RECEIVED),
    (&[FreeRequest], value("&{n}").before("MPI_Request {n} = prepared(7);").show("show(\"none\", &(int){{n} == MPI_REQUEST_NULL}, 4);")),
    (&[CancelRequest], value("&{n}").before("MPI_Request {n}; PMPI_Irecv(inbox, 4, MPI_INT, other, 99, world, &{n});").complete("PMPI_Wait(&{n}, MPI_STATUS_IGNORE);")),
    (&[NewMessage], value("&{n}").before("MPI_Message {n} = MPI_MESSAGE_NULL;").complete("PMPI_Mrecv(inbox, 4, MPI_INT, &{n}, MPI_STATUS_IGNORE);")),
    (&[TakeMessage], value("&{n}").before("MPI_Message {n}; deliver(7); PMPI_Mprobe(other, 7, world, &{n}, MPI_STATUS_IGNORE);").complete("part();")),
    (&[Status, StatusOut], STATUS),
    (&[Statuses], value("ignore ? MPI_STATUSES_IGNORE : {n}").before("MPI_Status {n}[2]; BLANK({n});").show("show(\"{a}\", {n}, sizeof {n});")),
    (&[StatusIn], value("&{n}").before("MPI_Status {n} = received_status();")),
    (&[Flag, Index, Outcount, Indices, IntOut], RESULT),
    // Numbers and texts.
    (&[Int, Level, DispUnit], value("1")),
    (&[Ints], value("{n}").before("int {n}[2] = {0, 1};")),
    (&[Ranges], value("{n}").before("int {n}[1][3] = {{0, 1, 1}};")),
    (&[Aint, AintLen, Offset, Count], value("4")),
    (&[Len], value("2")),
    (&[Lens], value("{n}").before("{t} {n}[2] = {2, 2};")),
    (&[AintOut, CountOut, OffsetOut, LenOut, AintLenOut, DispUnitOut, FintOut], RESULT),
    (&[Str, ObjectName], value("\"key\"")),
    (&[StrOut], value("{n}").before("char {n}[8192] = \"\";").show("fprintf(out, \" {a} \\\"%s\\\"\", {n});")),
    (&[UserFn], value("add{_many}")),
    (&[CommErrorFn], value("comm_failed")),
    (&[HandlerFn], value("comm_failed")),
    (&[WinErrorFn], value("win_failed")),
    (&[FileErrorFn], value("file_failed")),
    (&[GrequestQueryFn], value("query")),
    (&[GrequestFreeFn], value("forget")),
    (&[GrequestCancelFn], value("cancel")),
    (&[SessionErrorFn], value("(MPI_Session_errhandler_function *)comm_failed")),
    (&[CommCopyFn], value("MPI_COMM_NULL_COPY_FN")),
    (&[CommDeleteFn], value("MPI_COMM_NULL_DELETE_FN")),
    (&[TypeCopyFn], value("MPI_TYPE_NULL_COPY_FN")),
    (&[TypeDeleteFn], value("MPI_TYPE_NULL_DELETE_FN")),
    (&[WinCopyFn], value("MPI_WIN_NULL_COPY_FN")),
    (&[WinDeleteFn], value("MPI_WIN_NULL_DELETE_FN")),
    (&[CopyFn], value("MPI_NULL_COPY_FN")),
    (&[DeleteFn], value("MPI_NULL_DELETE_FN")),
    // Statuses in Fortran's form.
    (&[FintIn], value("{n}").before("MPI_Fint {n}[16]; MPI_Status given = received_status(); PMPI_Status_c2f(&given, {n});")),
    (&[F08StatusIn], value("&{n}").before("MPI_F08_status {n}; MPI_Status given = received_status(); PMPI_Status_c2f08(&given, &{n});")),
    (&[F08StatusOut], value("{n}").before("MPI_F08_status {n}[1]; BLANK({n});").show("show(\"{a}\", {n}, sizeof {n});")),
    // The tool information interface.
    (&[Enum], value("enumeration()")),
    (&[EnumOut, NewCvar, NewPvar], value("&{n}").before("{t} {n} = 0;")),
    (&[Cvar], value("{n}").before("MPI_T_cvar_handle {n} = cvar();").free("PMPI_T_cvar_handle_free(&{n});")),
    (&[FreeCvar], value("&{n}").before("MPI_T_cvar_handle {n} = cvar();")),
    (&[Pvar], value("pvar()")),
    (&[FreePvar], value("&{n}").before("MPI_T_pvar_handle {n} = pvar();")),
    (&[PvarSession], value("pvar_session")),
    (&[NewPvarSession], value("&{n}").before("MPI_T_pvar_session {n};").free("PMPI_T_pvar_session_free(&{n});")),
    (&[FreePvarSession], value("&{n}").before("MPI_T_pvar_session {n}; PMPI_T_pvar_session_create(&{n});")),
    (&[EventRegistration, EventInstance, EventFn, EventDroppedFn, EventFreeFn], value("0")),
    (&[NewEventRegistration], value("&{n}").before("MPI_T_event_registration {n} = 0;")),
    (&[CallbackSafety], value("MPI_T_CB_REQUIRE_NONE")),
    (&[SourceOrderOut], value("&{n}").before("MPI_T_source_order {n};")),
    (&[DatatypesOut], value("{n}").before("MPI_Datatype {n}[16];")),
];
