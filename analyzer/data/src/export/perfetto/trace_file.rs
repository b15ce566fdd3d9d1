//! Writes a file of Perfetto packets: names are interned, events lie on tracks.

use std::io;
use std::io::Write;
use std::path::Path;

use prost::encoding::{WireType, encode_key, encode_varint, encoded_len_varint, key_len, message, uint32, uint64};
use rustc_hash::FxHashMap;

use super::encoded_event::{Arguments, EncodedEvent, OnTrack, kind};
use super::proto::{
    AnnotationValue, BOOTTIME, Callstack, ClockSnapshot, ClockTime, DebugAnnotation, EventType, Frame, InternedData,
    InternedName, REALTIME, SEQ_INCREMENTAL_STATE_CLEARED, SEQ_NEEDS_INCREMENTAL_STATE, TracePacket, TrackDescriptor,
    TrackEvent,
};
use crate::export::Output;

/// The number of `Trace.packet`, and of the fields of a `TracePacket`.
const PACKET: u32 = 1;
const TIMESTAMP: u32 = 8;
const SEQUENCE_ID: u32 = 10;
const TRACK_EVENT: u32 = 11;
const INTERNED_DATA: u32 = 12;
const SEQUENCE_FLAGS: u32 = 13;

/// The only sequence of packets.
const SEQUENCE: u32 = 1;

pub struct TraceFile {
    out: Output,
    /// The time written as 0: the format has no negative times.
    origin: i64,
    tracks: u64,
    events: Names,
    categories: Names,
    keys: Names,
    texts: Names,
    functions: Names,
    callstacks: Callstacks,
    encoded: Vec<u8>,
    is_begun: bool,
}

impl TraceFile {
    pub fn create(path: &Path, origin: i64) -> io::Result<TraceFile> {
        let (out, names) = (crate::export::create(path)?, Names::default);
        let (events, categories, keys, texts) = (names(), names(), names(), names());
        let (functions, callstacks) = (names(), Callstacks::default());
        Ok(TraceFile {
            out,
            origin,
            tracks: 0,
            events,
            categories,
            keys,
            texts,
            functions,
            callstacks,
            encoded: Vec::new(),
            is_begun: false,
        })
    }

    /// Says which time since 1970 the time written as 0 is, in nanoseconds.
    pub fn zero_is(&mut self, realtime: u64) -> io::Result<()> {
        let time = |clock_id, nanoseconds| ClockTime { clock_id, timestamp: Some(nanoseconds) };
        let clocks = vec![time(BOOTTIME, 0), time(REALTIME, realtime)];
        self.packet(TracePacket { clock_snapshot: Some(ClockSnapshot { clocks }), ..TracePacket::default() })
    }

    /// Adds a track; returns its number.
    pub fn track(&mut self, track: TrackDescriptor) -> io::Result<u64> {
        self.tracks += 1;
        let track = TrackDescriptor { uuid: self.tracks, ..track };
        self.packet(TracePacket { track_descriptor: Some(track), ..TracePacket::default() })?;
        Ok(self.tracks)
    }

    /// A new event, not placed on a track yet.
    pub fn event(&mut self, name: &str, category: &str) -> TrackEvent {
        let (name_iid, category_iids) = (self.events.number(name), vec![self.categories.number(category)]);
        TrackEvent { name_iid, category_iids, ..TrackEvent::default() }
    }

    pub fn whole(&mut self, event: &mut TrackEvent, key: &str, value: u64) {
        self.add(event, key, AnnotationValue::Whole(value));
    }

    pub fn signed(&mut self, event: &mut TrackEvent, key: &str, value: i64) {
        self.add(event, key, AnnotationValue::Signed(value));
    }

    pub fn text(&mut self, event: &mut TrackEvent, key: &str, value: &str) {
        let value = AnnotationValue::Text(self.texts.number(value));
        self.add(event, key, value);
    }

    fn add(&mut self, event: &mut TrackEvent, key: &str, value: AnnotationValue) {
        event.debug_annotations.push(DebugAnnotation { name_iid: self.keys.number(key), value: Some(value) });
    }

    /// The number of a call stack, given by its functions, the outermost first.
    pub fn callstack<'n>(&mut self, functions: impl IntoIterator<Item = &'n str>) -> u64 {
        let frames = functions.into_iter().map(|function| self.functions.number(function)).collect();
        self.callstacks.number(frames)
    }

    /// Writes an event with a duration.
    pub fn slice(&mut self, track: u64, (from, to): (i64, i64), event: TrackEvent) -> io::Result<()> {
        self.place(track, from, EventType::SliceBegin, event)?;
        self.place(track, to, EventType::SliceEnd, TrackEvent::default())
    }

    /// Writes an event without a duration.
    pub fn instant(&mut self, track: u64, at: i64, event: TrackEvent) -> io::Result<()> {
        self.place(track, at, EventType::Instant, event)
    }

    fn place(&mut self, track: u64, at: i64, kind: EventType, event: TrackEvent) -> io::Result<()> {
        let event = TrackEvent { track_uuid: track, r#type: kind as i32, ..event };
        let timestamp = Some(self.time(at));
        self.packet(TracePacket { timestamp, track_event: Some(event), ..TracePacket::default() })
    }

    fn time(&self, at: i64) -> u64 {
        at.saturating_sub(self.origin).max(0) as u64
    }

    /// Writes a packet, with the names that are new in it.
    fn packet(&mut self, packet: TracePacket) -> io::Result<()> {
        let (interned_data, sequence_flags) = (self.untold(), self.sequence_flags());
        let packet = TracePacket { trusted_packet_sequence_id: SEQUENCE, sequence_flags, interned_data, ..packet };
        self.encoded.clear();
        message::encode(PACKET, &packet, &mut self.encoded);
        self.out.write_all(&self.encoded)
    }

    fn sequence_flags(&mut self) -> u32 {
        let cleared = if self.is_begun { 0 } else { SEQ_INCREMENTAL_STATE_CLEARED };
        self.is_begun = true;
        cleared | SEQ_NEEDS_INCREMENTAL_STATE
    }

    /// Writes an event with a duration and its own arguments.
    pub fn encoded_slice(
        &mut self,
        OnTrack(track): &OnTrack,
        (from, to): (i64, i64),
        event: &EncodedEvent,
        Arguments(own): &Arguments,
    ) -> io::Result<()> {
        let (begin, end) = (kind(EventType::SliceBegin), kind(EventType::SliceEnd));
        self.encoded_packet(from, &[&event.before, own, &begin, &event.name, track, &event.behind])?;
        self.encoded_packet(to, &[&end, track])
    }

    /// Writes an event without a duration, with its own arguments and an arrow.
    pub fn encoded_instant(
        &mut self,
        OnTrack(track): &OnTrack,
        at: i64,
        event: &EncodedEvent,
        (Arguments(own), flow): (&Arguments, &[u8]),
    ) -> io::Result<()> {
        let kind = kind(EventType::Instant);
        self.encoded_packet(at, &[&event.before, own, &kind, &event.name, track, flow, &event.behind])
    }

    /// Writes a packet like [`packet`](Self::packet), with an event that is given by its parts in the order of their fields.
    fn encoded_packet(&mut self, at: i64, parts: &[&[u8]]) -> io::Result<()> {
        let (interned_data, sequence_flags, time) = (self.untold(), self.sequence_flags(), self.time(at));
        let event: usize = parts.iter().map(|part| part.len()).sum();
        let told = interned_data.as_ref().map_or(0, |told| message::encoded_len(INTERNED_DATA, told));
        let packet = uint64::encoded_len(TIMESTAMP, &time)
            + uint32::encoded_len(SEQUENCE_ID, &SEQUENCE)
            + key_len(TRACK_EVENT)
            + encoded_len_varint(event as u64)
            + event
            + told
            + uint32::encoded_len(SEQUENCE_FLAGS, &sequence_flags);
        let out = &mut self.encoded;
        out.clear();
        encode_key(PACKET, WireType::LengthDelimited, out);
        encode_varint(packet as u64, out);
        uint64::encode(TIMESTAMP, &time, out);
        uint32::encode(SEQUENCE_ID, &SEQUENCE, out);
        encode_key(TRACK_EVENT, WireType::LengthDelimited, out);
        encode_varint(event as u64, out);
        for part in parts {
            out.extend_from_slice(part);
        }
        if let Some(told) = &interned_data {
            message::encode(INTERNED_DATA, told, out);
        }
        uint32::encode(SEQUENCE_FLAGS, &sequence_flags, out);
        self.out.write_all(&self.encoded)
    }

    /// The number of an argument's key.
    pub fn key(&mut self, key: &str) -> u64 {
        self.keys.number(key)
    }

    fn untold(&mut self) -> Option<InternedData> {
        if !self.has_untold() {
            return None;
        }
        let lists = [&mut self.categories, &mut self.events, &mut self.keys, &mut self.texts, &mut self.functions];
        let [event_categories, event_names, debug_annotation_names, debug_annotation_string_values, function_names] =
            lists.map(|names| std::mem::take(&mut names.untold));
        // A frame has the number of its function.
        let frame = |function: &InternedName| Frame { iid: function.iid, function_name_id: function.iid };
        let told = InternedData {
            frames: function_names.iter().map(frame).collect(),
            callstacks: std::mem::take(&mut self.callstacks.untold),
            event_categories,
            event_names,
            debug_annotation_names,
            debug_annotation_string_values,
            function_names,
        };
        Some(told)
    }

    fn has_untold(&self) -> bool {
        let lists = [&self.categories, &self.events, &self.keys, &self.texts, &self.functions];
        lists.iter().any(|names| !names.untold.is_empty()) || !self.callstacks.untold.is_empty()
    }

    /// Completes the file; returns its size in bytes.
    pub fn finish(self) -> io::Result<u64> {
        crate::export::finish(self.out)
    }
}

/// Names numbered from 1.
#[derive(Default)]
struct Names {
    numbers: FxHashMap<String, u64>,
    untold: Vec<InternedName>,
}

impl Names {
    fn number(&mut self, name: &str) -> u64 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let iid = self.numbers.len() as u64 + 1;
        self.numbers.insert(name.into(), iid);
        self.untold.push(InternedName { iid, name: name.into() });
        iid
    }
}

/// Call stacks numbered from 1.
#[derive(Default)]
struct Callstacks {
    numbers: FxHashMap<Vec<u64>, u64>,
    untold: Vec<Callstack>,
}

impl Callstacks {
    fn number(&mut self, frame_ids: Vec<u64>) -> u64 {
        if let Some(number) = self.numbers.get(&frame_ids) {
            return *number;
        }
        let iid = self.numbers.len() as u64 + 1;
        self.numbers.insert(frame_ids.clone(), iid);
        self.untold.push(Callstack { iid, frame_ids });
        iid
    }
}
