//! One thread's recording. Hooks and signal handlers may use it at any moment; [`at_work`] states which parts they must
//! leave alone.
//!
//! [`current`] finds the calling thread's recording, and [`recording`] is the straight line of every call. [`slots`]
//! lets a new thread take over the recording of one that has ended, by its [`vacancy`]. The cache knows recent calls by
//! their words; from a new call's [`draft`] comes the key of its signature, and from the dictionary its number
//! ([`numbers`]). Its [`call_paths`] know where it is called from. Records go to pages of [`events`], definitions to
//! pages of [`signatures`]; without room for events there is a [`profile`], which is [`counting`].
//!
//! The thread's current state is in its [`block`] of the file. Around the calls are [`requests`], each a [`request`];
//! unsuccessful [`polls`]; the [`engine`]'s activity during a call ([`engine_records`]); [`regions`] and other
//! [`time_marks`]; checksums ([`contents`]); and requests that the recorder queries ([`queried_requests`],
//! [`completion_queries`]). [`abandoned`] closes calls that never return. If a thread has several stacks,
//! [`stack_switch`] finds the one that a wrapper is on ([`stack`]): each stack has its [`call_room`], the others are
//! [`suspended`], and some calls have [`returned_elsewhere`]. [`samples`] say where the thread is between its calls;
//! [`sample_counts`] counts the periods that end elsewhere. [`off_line`] splits off the ticks of starting and ending
//! MPI, and [`usage_readings`] are of the thread's use of the machine. [`off_processor`] measures how much of a long
//! gap between calls ([`long_gaps`]) the thread was on a processor. [`teams`] are those of OpenMP that the thread starts, whose threads have [`team_places`]; [`accesses`] are those to
//! files, and sleeps, of which it [keeps](kept_accesses) runs. A [`rehearsal`] records into memory.

pub mod abandoned;
mod accesses;
mod at_work;
mod block;
pub mod call_paths;
pub mod call_room;
mod completion_queries;
pub mod contents;
mod counting;
pub mod current;
pub mod draft;
pub mod element_counts;
pub mod engine;
mod engine_records;
mod events;
pub mod kept_accesses;
mod long_gaps;
mod numbers;
mod off_line;
mod off_processor;
mod polls;
pub mod profile;
pub mod queried_requests;
mod recording;
mod regions;
mod rehearsal;
pub mod request;
pub mod requests;
mod returned_elsewhere;
mod sample_counts;
pub mod samples;
mod signatures;
pub mod slots;
mod stack;
mod stack_switch;
mod suspended;
pub mod team_places;
mod teams;
mod time_marks;
pub mod usage_readings;
mod vacancy;

pub use recording::Thread;
