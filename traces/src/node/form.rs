//! The choice between a file of each process and one of each host.

/// The processes that share a file.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum FileForm {
    /// All of a host, if there are [many](FileForm::MANY) of them.
    #[default]
    ByNumber,
    /// None.
    OfRank,
    /// All of a host.
    OfNode,
}

impl FileForm {
    /// The user's words for them.
    pub const NAMES: [&str; 3] = ["auto", "rank", "node"];

    /// Up to this many processes of a launch on a host have a file each by default.
    pub const MANY: u32 = 64;

    /// True if processes share a file. `here` is the launch's number of processes on the host, if the launcher says it.
    pub fn is_shared_by(self, here: Option<u32>) -> bool {
        match self {
            FileForm::ByNumber => here.is_some_and(|here| here > FileForm::MANY),
            FileForm::OfRank => false,
            FileForm::OfNode => true,
        }
    }

    /// The form with a place among [`NAMES`](Self::NAMES).
    pub fn numbered(place: usize) -> FileForm {
        let forms = [FileForm::ByNumber, FileForm::OfRank, FileForm::OfNode];
        forms.get(place).copied().unwrap_or_default()
    }
}
