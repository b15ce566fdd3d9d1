//! A thread's recording, and whose it is. Hooks and signal handlers come to it in the midst of anything: [`at_work`] says what
//! they leave alone.
//!
//! [`current`] finds that of the calling thread, [`recording`] is the straight line every call takes in it, [`slots`] say which
//! thread goes on with whose, and [`vacancy`] hands it over. A call is known by its words in the cache; one that is not, by
//! its [`draft`], which gives the key of a signature, and the dictionary its number ([`numbers`]). Its [`events`] go to pages, its [`signatures`] to
//! others; where there is no room for events there is a [`profile`].
//!
//! Further: what holds at any moment, in its [`block`] of the file; its [`requests`], each a [`request`]; calls that ask in vain ([`polls`]); what the [`engine`] did during a call
//! ([`turns`]); [`regions`] and other moments ([`marks`]); checksums ([`contents`]); requests that MPI is asked
//! about ([`asked`], [`asking`]); calls that were left ([`abandoned`]), and those that others are made beside, on other stacks
//! ([`stack_switch`]): each stack has its own [`call_room`], the [`suspended`] ones wait, as the [`stack`] says, and some calls have
//! [`returned_elsewhere`].

pub mod abandoned;
pub mod amount;
pub mod asked;
mod asking;
mod at_work;
mod block;
pub mod call_room;
pub mod contents;
pub mod current;
pub mod draft;
pub mod engine;
mod events;
mod marks;
mod numbers;
mod polls;
pub mod profile;
mod recording;
mod regions;
pub mod request;
pub mod requests;
mod returned_elsewhere;
mod signatures;
pub mod slots;
mod stack;
mod stack_switch;
mod suspended;
mod turns;
mod vacancy;

pub use recording::Thread;
