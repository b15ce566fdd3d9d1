//! Readers on the run's other nodes: a `top --feed` on each.
//!
//! Nothing here waits for a node: threads read, and each look takes what has arrived.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::mem::take;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use rustix::process::{Pid, Signal, kill_process};
use traces::error::in_words;

use super::feed::Greeting;
use crate::cli::NodeLauncher;
use crate::launch::on_node;
use model::error::Error;
use model::process::THIS_HOST;
use model::standing::Spot;
use model::watch::{NodeNews, Watch};

pub struct NodeReaders {
    launcher: NodeLauncher,
    folder: PathBuf,
    readers: BTreeMap<String, NodeReader>,
    /// Run of the ranks they read.
    run: Option<[u8; 16]>,
}

struct NodeReader {
    child: Option<Child>,
    heard: Arc<Mutex<Heard>>,
    has_spoken: bool,
    /// The reason why it will send nothing more.
    ended: Option<String>,
}

/// Input that threads have read from a node.
#[derive(Default)]
struct Heard {
    news: Vec<NodeNews>,
    /// Version of the reader, if it differs from ours.
    other_version: Option<String>,
    is_unreadable: bool,
    /// Last line of its stderr.
    complaint: String,
    /// Number of its streams that have ended.
    over: u8,
}

impl NodeReaders {
    /// No readers yet. Fails if none could be started.
    pub fn new(launcher: NodeLauncher, folder: &Path) -> Result<NodeReaders, Error> {
        on_node::check(launcher)?;
        let absolute = |source| Error::NoFolder { folder: folder.into(), source };
        let folder = std::path::absolute(folder).map_err(absolute)?;
        Ok(NodeReaders { launcher, folder, readers: BTreeMap::new(), run: None })
    }

    /// Starts readers on nodes with live ranks, and passes on the others' reports.
    pub fn follow(&mut self, watch: &mut Watch) {
        let run = watch.ranks.first().map(|rank| rank.header.run);
        if run != self.run {
            self.run = run;
            self.readers.retain(|_, reader| reader.ended.is_none());
        }
        for (rank, view) in watch.ranks.iter().zip(&watch.views) {
            let host = &rank.process.host;
            let is_elsewhere = !host.is_empty() && *host != THIS_HOST.name;
            if is_elsewhere && !matches!(view.spot, Spot::Finalized) && !self.readers.contains_key(host) {
                self.readers.insert(host.clone(), NodeReader::begin(self.launcher, host, &self.folder));
            }
        }
        for (host, reader) in &mut self.readers {
            for news in reader.take() {
                watch.hear(host, news);
            }
            if reader.ended.is_some() {
                watch.forget(host);
            }
        }
    }

    /// True if each reader has reported its ranks, or has ended.
    pub fn have_spoken(&self) -> bool {
        self.readers.values().all(|reader| reader.has_spoken || reader.ended.is_some())
    }

    /// A line for each node whose ranks are seen from here alone.
    pub fn notes(&self) -> Vec<String> {
        let note = |(host, reader): (&String, &NodeReader)| match &reader.ended {
            Some(why) => Some(format!("{host}: {why}; its ranks as seen from here")),
            None if !reader.has_spoken => Some(format!("{host}: not heard yet; its ranks as seen from here")),
            None => None,
        };
        self.readers.iter().filter_map(note).collect()
    }
}

impl NodeReader {
    fn begin(launcher: NodeLauncher, host: &str, folder: &Path) -> NodeReader {
        let heard = Arc::new(Mutex::new(Heard::default()));
        let words = [OsString::from("top"), "--feed".into(), host.into(), "--".into(), folder.into()];
        let started = on_node::command(launcher, host, &words).map_err(|error| error.to_string());
        let started = started.and_then(|mut command| {
            let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
            command
                .spawn()
                .map_err(|error| format!("{} cannot be started: {}", on_node::name(launcher), in_words(&error)))
        });
        let (child, ended) = match started {
            Ok(mut child) => {
                listen(child.stdout.take(), &heard, Heard::line);
                listen(child.stderr.take(), &heard, Heard::complain);
                (Some(child), None)
            }
            Err(why) => (None, Some(why)),
        };
        NodeReader { child, heard, has_spoken: false, ended }
    }

    /// Takes the reports since the last call.
    fn take(&mut self) -> Vec<NodeNews> {
        let mut heard = lock(&self.heard);
        let news = take(&mut heard.news);
        self.has_spoken |= !news.is_empty();
        if self.ended.is_none() {
            let status = self.child.as_mut().and_then(|child| child.try_wait().ok().flatten());
            self.ended = match (&heard.other_version, status) {
                (Some(other), _) => Some(format!(
                    "overhear there is {other}, here {}: install the same on both",
                    Greeting::ours().overhear
                )),
                _ if heard.is_unreadable => Some("overhear there is another build: install the same on both".into()),
                // Its streams may hold more.
                (None, Some(status)) if heard.over == 2 => Some(match heard.complaint.as_str() {
                    "" => format!("its reader ended ({status})"),
                    complaint => format!("its reader ended ({status}): {complaint}"),
                }),
                _ => None,
            };
        }
        news
    }
}

impl Drop for NodeReader {
    fn drop(&mut self) {
        let Some(child) = &mut self.child else { return };
        // srun passes the signal on, and the reader ends once its output is not read any more.
        if let (Ok(None), Some(pid)) = (child.try_wait(), Pid::from_raw(child.id() as i32)) {
            let _ = kill_process(pid, Signal::TERM);
        }
    }
}

impl Heard {
    fn line(&mut self, line: &[u8]) {
        if line.starts_with(b"{\"overhear\"") {
            let greeting = serde_json::from_slice::<Greeting>(line);
            let other = greeting.ok().map(|greeting| greeting.overhear);
            self.other_version = other.filter(|other| *other != Greeting::ours().overhear);
        } else if line.starts_with(b"{\"ranks\"") {
            match serde_json::from_slice(line) {
                Ok(news) => self.news.push(news),
                Err(_) => self.is_unreadable = true,
            }
        }
        // Other lines come from a user's shell profile on that node.
    }

    fn complain(&mut self, line: &[u8]) {
        let line = String::from_utf8_lossy(line).trim().to_string();
        if !line.is_empty() {
            self.complaint = line;
        }
    }
}

/// Reads a stream by lines, in a thread of its own.
fn listen(stream: Option<impl Read + Send + 'static>, heard: &Arc<Mutex<Heard>>, take: fn(&mut Heard, &[u8])) {
    let heard = Arc::clone(heard);
    thread::spawn(move || {
        if let Some(stream) = stream {
            let lines = BufReader::new(stream).split(b'\n');
            for line in lines.map_while(Result::ok) {
                take(&mut lock(&heard), &line);
            }
        }
        lock(&heard).over += 1;
    });
}

fn lock(heard: &Mutex<Heard>) -> MutexGuard<'_, Heard> {
    heard.lock().unwrap_or_else(PoisonError::into_inner)
}
