//! Events in the bytes of the file. What all calls of a signature, or all messages between two calls, share is encoded once.
//!
//! A message is its fields in the order of their numbers, so an event is the bytes of its parts one after another: category and shared
//! arguments, own arguments, kind, name, track, arrows, call stack.

use prost::Message;
use prost::encoding::{fixed64, int32, message};

use super::proto::{AnnotationValue, DebugAnnotation, EventType, TrackEvent};

/// The shared parts of an event.
pub struct EncodedEvent {
    /// Category and arguments.
    pub before: Vec<u8>,
    pub name: Vec<u8>,
    /// The call stack.
    pub behind: Vec<u8>,
}

impl EncodedEvent {
    pub fn new(event: &TrackEvent) -> EncodedEvent {
        let TrackEvent { category_iids, debug_annotations, name_iid, callstack_iid, .. } = event.clone();
        let before = TrackEvent { category_iids, debug_annotations, ..TrackEvent::default() };
        let name = TrackEvent { name_iid, ..TrackEvent::default() };
        let behind = TrackEvent { callstack_iid, ..TrackEvent::default() };
        let [before, name, behind] = [before, name, behind].map(|part| part.encode_to_vec());
        EncodedEvent { before, name, behind }
    }
}

/// A track as events name it.
pub struct OnTrack(pub Vec<u8>);

impl OnTrack {
    pub fn new(track: u64) -> OnTrack {
        OnTrack(TrackEvent { track_uuid: track, ..TrackEvent::default() }.encode_to_vec())
    }
}

/// The kind of an event.
pub fn kind(kind: EventType) -> [u8; 2] {
    let mut encoded = [0; 2];
    int32::encode(KIND, &(kind as i32), &mut encoded.as_mut_slice());
    encoded
}

/// The numbers of `TrackEvent`'s fields.
const DEBUG_ANNOTATIONS: u32 = 4;
const KIND: u32 = 9;
const FLOW_IDS: u32 = 47;
const TERMINATING_FLOW_IDS: u32 = 48;

/// An event's own arguments.
#[derive(Default)]
pub struct Arguments(pub Vec<u8>);

impl Arguments {
    /// Adds an argument, by the number of its key.
    pub fn add(&mut self, key: u64, value: AnnotationValue) {
        message::encode(DEBUG_ANNOTATIONS, &DebugAnnotation { name_iid: key, value: Some(value) }, &mut self.0);
    }
}

/// An arrow that begins or continues at an event, or ends there.
pub fn flow(number: u64, ends: bool) -> [u8; 10] {
    let mut encoded = [0; 10];
    fixed64::encode(if ends { TERMINATING_FLOW_IDS } else { FLOW_IDS }, &number, &mut encoded.as_mut_slice());
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_are_the_event() {
        let value = |value| Some(AnnotationValue::Whole(value));
        let (shared, own) = (
            DebugAnnotation { name_iid: 3, value: value(0) },
            DebugAnnotation { name_iid: 400, value: value(1 << 40) },
        );
        let event = TrackEvent {
            category_iids: vec![1],
            debug_annotations: vec![shared],
            name_iid: 300,
            callstack_iid: 5,
            ..TrackEvent::default()
        };
        let whole = TrackEvent {
            debug_annotations: vec![shared, own],
            r#type: EventType::Instant as i32,
            track_uuid: 70_000,
            terminating_flow_ids: vec![8],
            ..event.clone()
        };
        let mut arguments = Arguments::default();
        arguments.add(400, AnnotationValue::Whole(1 << 40));
        let (event, on) = (EncodedEvent::new(&event), OnTrack::new(70_000));
        let (kind, flow) = (kind(EventType::Instant), flow(8, true));
        let parts: [&[u8]; 7] = [&event.before, &arguments.0, &kind, &event.name, &on.0, &flow, &event.behind];
        assert_eq!(parts.concat(), whole.encode_to_vec());
    }
}
