//! The messages of Perfetto's trace format that an export needs, with the field numbers of `protos/perfetto/trace/` in
//! <https://github.com/google/perfetto>.

use prost::{Message, Oneof};

/// A packet. A trace is a sequence of packets.
#[derive(Clone, PartialEq, Message)]
pub struct TracePacket {
    #[prost(message, optional, tag = "6")]
    pub clock_snapshot: Option<ClockSnapshot>,
    /// Nanoseconds.
    #[prost(uint64, optional, tag = "8")]
    pub timestamp: Option<u64>,
    /// Sequence whose interned names it uses.
    #[prost(uint32, tag = "10")]
    pub trusted_packet_sequence_id: u32,
    #[prost(message, optional, tag = "11")]
    pub track_event: Option<TrackEvent>,
    #[prost(message, optional, tag = "12")]
    pub interned_data: Option<InternedData>,
    #[prost(uint32, tag = "13")]
    pub sequence_flags: u32,
    #[prost(message, optional, tag = "60")]
    pub track_descriptor: Option<TrackDescriptor>,
}

/// Clocks' times at one moment.
#[derive(Clone, PartialEq, Message)]
pub struct ClockSnapshot {
    #[prost(message, repeated, tag = "1")]
    pub clocks: Vec<ClockTime>,
}

/// A clock and its nanoseconds.
#[derive(Clone, PartialEq, Message)]
pub struct ClockTime {
    #[prost(uint32, tag = "1")]
    pub clock_id: u32,
    #[prost(uint64, optional, tag = "2")]
    pub timestamp: Option<u64>,
}

/// The system's clock, since 1970.
pub const REALTIME: u32 = 1;
/// The clock of packets that name none.
pub const BOOTTIME: u32 = 6;

/// The sequence has no names so far.
pub const SEQ_INCREMENTAL_STATE_CLEARED: u32 = 1;
/// The packet uses interned names.
pub const SEQ_NEEDS_INCREMENTAL_STATE: u32 = 2;

/// An event on a track, with interned names.
#[derive(Clone, PartialEq, Message)]
pub struct TrackEvent {
    #[prost(uint64, repeated, tag = "3")]
    pub category_iids: Vec<u64>,
    #[prost(message, repeated, tag = "4")]
    pub debug_annotations: Vec<DebugAnnotation>,
    #[prost(enumeration = "EventType", tag = "9")]
    pub r#type: i32,
    #[prost(uint64, tag = "10")]
    pub name_iid: u64,
    #[prost(uint64, tag = "11")]
    pub track_uuid: u64,
    /// Arrows that begin or continue here.
    #[prost(fixed64, repeated, packed = "false", tag = "47")]
    pub flow_ids: Vec<u64>,
    /// Arrows that end here.
    #[prost(fixed64, repeated, packed = "false", tag = "48")]
    pub terminating_flow_ids: Vec<u64>,
    /// Number of an interned call stack; 0 for none.
    #[prost(uint64, tag = "56")]
    pub callstack_iid: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, prost::Enumeration)]
#[repr(i32)]
pub enum EventType {
    Unspecified = 0,
    SliceBegin = 1,
    SliceEnd = 2,
    Instant = 3,
}

/// An argument of an event.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct DebugAnnotation {
    #[prost(uint64, tag = "1")]
    pub name_iid: u64,
    #[prost(oneof = "AnnotationValue", tags = "2, 3, 4, 17")]
    pub value: Option<AnnotationValue>,
}

#[derive(Clone, Copy, PartialEq, Oneof)]
pub enum AnnotationValue {
    #[prost(bool, tag = "2")]
    Flag(bool),
    #[prost(uint64, tag = "3")]
    Whole(u64),
    #[prost(int64, tag = "4")]
    Signed(i64),
    /// Number of an interned string.
    #[prost(uint64, tag = "17")]
    Text(u64),
}

/// New interned names.
#[derive(Clone, PartialEq, Message)]
pub struct InternedData {
    #[prost(message, repeated, tag = "1")]
    pub event_categories: Vec<InternedName>,
    #[prost(message, repeated, tag = "2")]
    pub event_names: Vec<InternedName>,
    #[prost(message, repeated, tag = "3")]
    pub debug_annotation_names: Vec<InternedName>,
    #[prost(message, repeated, tag = "5")]
    pub function_names: Vec<InternedName>,
    #[prost(message, repeated, tag = "6")]
    pub frames: Vec<Frame>,
    #[prost(message, repeated, tag = "7")]
    pub callstacks: Vec<Callstack>,
    #[prost(message, repeated, tag = "29")]
    pub debug_annotation_string_values: Vec<InternedName>,
}

/// `EventCategory`, `EventName`, `DebugAnnotationName` and `InternedString`, which have the same two fields.
#[derive(Clone, PartialEq, Message)]
pub struct InternedName {
    #[prost(uint64, tag = "1")]
    pub iid: u64,
    #[prost(string, tag = "2")]
    pub name: String,
}

/// A function in call stacks.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct Frame {
    #[prost(uint64, tag = "1")]
    pub iid: u64,
    #[prost(uint64, tag = "2")]
    pub function_name_id: u64,
}

#[derive(Clone, PartialEq, Message)]
pub struct Callstack {
    #[prost(uint64, tag = "1")]
    pub iid: u64,
    /// The outermost frame first.
    #[prost(uint64, repeated, packed = "false", tag = "2")]
    pub frame_ids: Vec<u64>,
}

#[derive(Clone, PartialEq, Message)]
pub struct TrackDescriptor {
    #[prost(uint64, tag = "1")]
    pub uuid: u64,
    #[prost(string, optional, tag = "2")]
    pub name: Option<String>,
    #[prost(message, optional, tag = "3")]
    pub process: Option<ProcessDescriptor>,
    #[prost(message, optional, tag = "4")]
    pub thread: Option<ThreadDescriptor>,
    #[prost(uint64, optional, tag = "5")]
    pub parent_uuid: Option<u64>,
}

#[derive(Clone, PartialEq, Message)]
pub struct ProcessDescriptor {
    #[prost(int32, tag = "1")]
    pub pid: i32,
    /// Sort key of processes.
    #[prost(int32, tag = "3")]
    pub legacy_sort_index: i32,
    #[prost(string, tag = "6")]
    pub process_name: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct ThreadDescriptor {
    #[prost(int32, tag = "1")]
    pub pid: i32,
    #[prost(int64, tag = "2")]
    pub tid: i64,
    #[prost(string, tag = "5")]
    pub thread_name: String,
}
