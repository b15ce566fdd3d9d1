//! Reads the members of a node file.
//!
//! In: the path of a node file, whole or cut, which processes may be writing. Out: its members, and the places of their
//! bytes in the file. The file is not trusted: a part that would lie beyond its end ends the member there.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use memmap2::{MmapOptions, MmapRaw};

use super::page_items::WORD;
use crate::error::Error;
use crate::file::FileHeader;
use crate::folder;
use crate::live::{LiveWords, see_published};
use crate::node::{
    ALIGNMENT, EXTENTS, HEADER_BYTES, MAGIC, MEMBERS, MemberHead, MemberName, NodeHeader, TABLE, VERSION, extent_bytes,
    extent_start,
};
use crate::regular;

const AGAIN: &str = "Copy the file again from where it was recorded";

/// A node file in memory.
pub(super) struct NodeFile {
    pub file: File,
    /// Device and inode.
    pub identity: (u64, u64),
    map: MmapRaw,
    host: String,
    /// Processes that it counts.
    taken: u64,
}

/// A member, and the places of its bytes.
#[derive(Clone)]
pub(super) struct FoundMember {
    /// The name that its file would have.
    pub name: String,
    /// The offset of its head, which no other member has.
    pub head: u64,
    pub layout: Layout,
    /// The run that it belongs to; zeros until MPI_Init returns.
    run: [u8; 16],
}

/// The parts of a member in its node file, in order. They follow each other in the member without a gap.
#[derive(Clone, Default)]
pub(super) struct Layout {
    pub parts: Vec<Part>,
    /// The length that the member has by its head.
    pub used: u64,
}

/// Bytes of a member that lie together.
#[derive(Clone, Copy)]
pub(super) struct Part {
    /// The offset in the member.
    pub start: u64,
    /// The offset in the node file.
    pub at: u64,
    pub bytes: u64,
}

impl Layout {
    /// The bytes that are there, from the member's begin on.
    pub fn bytes(&self) -> u64 {
        self.parts.last().map_or(0, |part| part.start + part.bytes)
    }

    /// The part that an offset lies in.
    pub fn part_of(&self, offset: u64) -> Option<Part> {
        let behind = self.parts.partition_point(|part| part.start <= offset);
        self.parts.get(behind.checked_sub(1)?).copied().filter(|part| offset - part.start < part.bytes)
    }
}

impl NodeFile {
    /// Maps a node file. Fails if it is none, or is cut within its table.
    pub fn open(path: &Path) -> Result<NodeFile, Error> {
        let io = |source| Error::Io { path: path.into(), source };
        let file = regular::open(path).map_err(io)?;
        let data = file.metadata().map_err(io)?;
        if data.len() < HEADER_BYTES as u64 {
            let what = format!(
                "nothing can be read: it ends after {} bytes, within its list of processes. {AGAIN}",
                data.len()
            );
            return Err(Error::Node { path: path.into(), what });
        }
        // The mapping is sparse, and of members only the heads are read.
        let map = MmapOptions::new().len(data.len() as usize).map_raw_read_only(&file).map_err(io)?;
        let mut node = NodeFile { file, identity: (data.dev(), data.ino()), map, host: String::new(), taken: 0 };
        let header: NodeHeader = node.copy(0).filter(|header: &NodeHeader| header.magic == MAGIC).ok_or_else(|| {
            let what = format!("nothing can be read: its header is damaged or was never written. {AGAIN}");
            Error::Node { path: path.into(), what }
        })?;
        if header.version != VERSION {
            let what = format!(
                "nothing can be read: it has version {}, but this overhear reads only {VERSION}. Read it with the overhear that recorded \
                 it, or a later one",
                header.version
            );
            return Err(Error::Node { path: path.into(), what });
        }
        node.taken = header.taken;
        node.host = String::from_utf8_lossy(header.host.split(|byte| *byte == 0).next().unwrap_or_default()).into();
        Ok(node)
    }

    /// The members, in the order in which they came.
    pub fn members(&self) -> impl Iterator<Item = FoundMember> {
        self.heads().filter_map(|head| self.member_at(head))
    }

    /// The reason why the file at a path cannot be read as that of a rank.
    pub fn reason(&self, path: &Path) -> String {
        let own = path.parent().and_then(folder::run_of);
        match self.lost() {
            0 if self.members().any(|member| !is_of(own, &member)) => format!(
                "all processes are of another run than this folder is ({}). Put it back where it was recorded",
                folder::CLAIM
            ),
            0 if self.table().next().is_none() && self.taken > 0 => format!(
                "none of the {} processes that it counts is in its list: they were killed at their start, or the list is lost. {AGAIN}",
                self.taken
            ),
            0 => "no process has begun to write: they were killed at their start".into(),
            1 => format!("the records of one process are missing, as the file ends early. {AGAIN}"),
            lost => format!("the records of {lost} processes are missing, as the file ends early. {AGAIN}"),
        }
    }

    /// The member of a name. Two runs whose processes a launcher has not told apart may have one each: it is the one of
    /// `run`, if that is known.
    pub fn member(&self, name: &str, run: Option<[u8; 16]>) -> Option<FoundMember> {
        let of_name = |at: &u64| self.head_at(*at).is_some_and(|head| self.name_of(&head) == name);
        self.heads().filter(of_name).filter_map(|at| self.member_at(at)).find(|member| is_of(run, member))
    }

    fn words(&self) -> LiveWords<'_> {
        // SAFETY: the mapping stays as long as `self`, and this process does not write to it.
        unsafe { LiveWords::at(self.map.as_ptr(), self.map.len()) }
    }

    fn copy<T: zerocopy::FromBytes + zerocopy::IntoBytes>(&self, at: u64) -> Option<T> {
        let at = usize::try_from(at).ok().filter(|at| at.is_multiple_of(WORD))?;
        let value = self.words().copy(at / WORD);
        see_published();
        value
    }

    /// Offsets of the heads, as the table has them.
    fn table(&self) -> impl Iterator<Item = u64> {
        let words = self.words();
        (0..MEMBERS).filter_map(move |place| words.published(TABLE / WORD + place))
    }

    fn heads(&self) -> impl Iterator<Item = u64> {
        self.table().filter(|at| is_place(*at))
    }

    fn head_at(&self, at: u64) -> Option<MemberHead> {
        let at = usize::try_from(at).ok().filter(|at| at.is_multiple_of(WORD))?;
        member_head(self.words().from(at / WORD))
    }

    fn name_of(&self, head: &MemberHead) -> String {
        match MemberName::from_word(head.name) {
            Some(MemberName { world, rank }) => folder::file_name_of(head.pid, world, rank),
            None => folder::starting_file_name(&self.host, head.pid),
        }
    }

    /// Number of members that cannot be found: the file ends before their heads, or the table is damaged.
    pub fn lost(&self) -> usize {
        let length = self.length();
        let is_lost = |at: &u64| !is_place(*at) || length < at.saturating_add(size_of::<MemberHead>() as u64);
        self.table().filter(is_lost).count()
    }

    /// The member of a head, unless its process was killed before it had written anything.
    fn member_at(&self, at: u64) -> Option<FoundMember> {
        let head = self.head_at(at).filter(|head| head.used > 0)?;
        let layout = self.layout(&head);
        let header = layout.parts.first().and_then(|first| self.copy::<FileHeader>(first.at));
        let run = header.map_or([0; 16], |header| header.run);
        Some(FoundMember { name: self.name_of(&head), head: at, layout, run })
    }

    /// The file's length now: it may have grown since it was mapped.
    fn length(&self) -> u64 {
        self.file.metadata().map_or(0, |data| data.len())
    }

    fn layout(&self, head: &MemberHead) -> Layout {
        // Asked after the member's length was read, which the file has reached by then.
        let length = self.length();
        let mut parts = Vec::new();
        for (extent, at) in head.extents.iter().enumerate().take(EXTENTS) {
            let (start, whole) = (extent_start(extent), extent_bytes(extent));
            let claimed = head.used.saturating_sub(start).min(whole);
            if claimed == 0 || !is_place(*at) || *at >= length {
                break;
            }
            let bytes = claimed.min(length - at);
            parts.push(Part { start, at: *at, bytes });
            if bytes < whole {
                break;
            }
        }
        Layout { parts, used: head.used }
    }
}

/// The head at the first of these words: with at least the length that it had when it got its name, and all extents that
/// its length reaches into.
pub fn member_head(words: LiveWords<'_>) -> Option<MemberHead> {
    let copy = || {
        let head: Option<MemberHead> = words.copy(0);
        see_published();
        head
    };
    let (name, used) = (copy()?.name, copy()?.used);
    Some(MemberHead { name, used, ..copy()? })
}

/// True if a head or an extent may begin there.
fn is_place(at: u64) -> bool {
    at.is_multiple_of(ALIGNMENT) && at >= HEADER_BYTES as u64
}

/// The files of a folder that hold ranks, sorted by name: files of one process, and for each node file the paths of its
/// members, `FOLDER/node-HOST.ovh/rank-0003.ovh`. Members that belong to the run of another folder are left out.
pub fn rank_files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder)?.flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|ending| ending == folder::EXTENSION)).collect();
    paths.sort();
    let run = folder::run_of(folder);
    let (mut files, mut seen) = (Vec::new(), Vec::new());
    for path in paths {
        let Some(node) = node_at(&path) else {
            files.push(path);
            continue;
        };
        // For a moment it has two names, while it moves.
        if seen.contains(&node.identity) {
            continue;
        }
        seen.push(node.identity);
        let members = node.members().filter(|member| is_of(run, member)).map(|member| path.join(member.name));
        let before = files.len();
        files.extend(members);
        // The error of opening the node file itself says why it has no members, or not all.
        if files.len() == before || node.lost() > 0 {
            files.push(path);
        }
    }
    files.sort();
    files.dedup();
    Ok(files)
}

/// True if a member belongs to a folder's run, or has not learned its own.
fn is_of(run: Option<[u8; 16]>, member: &FoundMember) -> bool {
    run.is_none_or(|run| member.run == run || member.run == [0; 16])
}

/// The node file at a path, if the file there is one that can be read.
fn node_at(path: &Path) -> Option<NodeFile> {
    let name = path.file_name()?.to_string_lossy();
    // Most files of a run need not be opened for that.
    if folder::is_of_one_process(&name) { None } else { NodeFile::open(path).ok() }
}
